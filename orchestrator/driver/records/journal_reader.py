"""Reads what attempts wrote to their journals, about once a second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from orchestrator.driver.clock import Clock
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import Head

_PERIOD_SECONDS = 1.0
_SHARE_OF_TIME = 20  # reading takes a twentieth of the driver's time
_LONGEST_SECONDS = 10.0  # the driver's own journal takes what is in no other after 30 s


class Reports(Protocol):
    """Reports of a session as they come in: `orchestrator.rundir.journal.Tail` of files."""

    complete: bool

    def read(self) -> Iterator[AttemptReport]:
        """Yield the reports since the last call; `complete` says whether all could be read."""

    def new_heads(self) -> dict[str, Head]:
        """Return the heads of the journals that grew since the last call."""


class JournalReader:
    """Reads the journals of a session as they grow.

    Attributes
    ----------
    read_at
        When all journals were last read, in seconds by the driver's clock.
    """

    def __init__(self, reports: Reports, clock: Clock) -> None:
        self._tail = reports
        self._clock = clock
        self._next = 0.0
        self._expected: dict[str, tuple[float, AttemptReport]] = {}
        self.read_at = 0.0

    def expect(self, report: AttemptReport) -> None:
        """Take a result that came by another way, and that a journal should have too."""
        self._expected[report.token] = (self._clock.seconds(), report)

    def found(self, token: str) -> None:
        """Note that a journal has a result."""
        self._expected.pop(token, None)

    def unread(self, seconds: float) -> list[AttemptReport]:
        """Return the results that came so many seconds ago or earlier and were read in no journal."""
        until = self._clock.seconds() - seconds
        return [report for since, report in self._expected.values() if since <= until]

    def new_heads(self) -> dict[str, Head]:
        """Return the heads of the journals that grew since the last call."""
        return self._tail.new_heads()

    def read(self, *, now: bool = False) -> Iterator[AttemptReport]:
        """Yield new reports if it is time to read, or at once."""
        if not now and self._clock.seconds() < self._next:
            return
        begin = self._clock.seconds()
        for report in self._tail.read():
            if report.state.final:
                self.found(report.token)
            yield report
        end = self._clock.seconds()
        if self._tail.complete:
            self.read_at = begin
        self._next = end + min(max(_PERIOD_SECONDS, _SHARE_OF_TIME * (end - begin)), _LONGEST_SECONDS)
