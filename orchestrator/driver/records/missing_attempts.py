"""Attempts whose worker was lost and that may still run: they are tried again when they have ended."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.driver.clock import Clock
from orchestrator.node.attempt.driver_watch import SILENCE_SECONDS
from orchestrator.protocol.report import AttemptReport

_SPARE_SECONDS = 5.0


class MissingAttempts:
    """Attempts that end by themselves and report that to their journal, if their node lives.

    Without its worker, a supervisor ends its attempt once it has seen that the driver lives. Until then
    another attempt of the instance would run beside it.

    Parameters
    ----------
    grace_seconds
        Between SIGTERM and SIGKILL.
    """

    def __init__(self, clock: Clock, grace_seconds: float) -> None:
        self._clock = clock
        self._seconds = grace_seconds + SILENCE_SECONDS + _SPARE_SECONDS
        self._waiting: dict[str, tuple[float, AttemptReport]] = {}

    def add(self, report: AttemptReport) -> None:
        """Take the driver's own report of an attempt, which counts if none of the attempt itself comes."""
        self._waiting[report.token] = (self._clock.seconds() + self._seconds, report)

    def given_up(self, in_flight: Collection[str]) -> list[AttemptReport]:
        """Return the reports of those that had time to end and did not report it, each once."""
        now = self._clock.seconds()
        open_ones = {token: one for token, one in self._waiting.items() if token in in_flight}
        self._waiting = {token: one for token, one in open_ones.items() if one[0] > now}
        return [report for until, report in open_ones.values() if until <= now]
