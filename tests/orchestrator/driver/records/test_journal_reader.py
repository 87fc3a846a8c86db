from __future__ import annotations

from collections.abc import Iterator

from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import Head
from tests.messages import report


class Clock:
    """A clock that reading turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def seconds(self) -> float:
        return self.now


class SlowReports:
    """Reports of attempts that end at a pace, each of which takes a time to read."""

    complete = True

    def __init__(self, clock: Clock, each_second: float, seconds_each: float) -> None:
        self._clock, self._pace, self._cost = clock, each_second, seconds_each
        self._read_until = clock.now

    def read(self) -> Iterator[AttemptReport]:
        number = int(self._pace * (self._clock.now - self._read_until))
        self._read_until = self._clock.now
        for _ in range(number):
            self._clock.now += self._cost
            yield report()

    def new_heads(self) -> dict[str, Head]:
        return {}


def test_reading_keeps_up_with_ends_whose_reports_are_slow_to_read() -> None:
    """The longer it waits, the more there is to read: its pause must not grow with that."""
    clock = Clock()
    reader = JournalReader(SlowReports(clock, each_second=400, seconds_each=0.0003), clock)  # type: ignore[arg-type]
    pauses, last = [], clock.now
    while clock.now < 1_000:
        if list(reader.read()):
            pauses.append(clock.now - last)
            last = clock.now
        clock.now += 0.1
    assert max(pauses) < 15
