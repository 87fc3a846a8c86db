"""A worker whose attempts do not start waits before the next: a full disk is not full for a second."""

from __future__ import annotations

import time
from collections.abc import Callable

from orchestrator.protocol.report import NOT_STARTED, AttemptReport

_FREE = 2  # failures in a row without a pause
_LONGEST_SECONDS = 10.0


class FailedStarts:
    """Counts the attempts in a row that did not start on a slot."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep
        self._number = 0
        self._until = 0.0

    def note(self, report: AttemptReport) -> None:
        """Take the final report of an attempt of the slot."""
        self._number = self._number + 1 if report.failure_reason in NOT_STARTED else 0
        over = self._number - _FREE
        self._until = time.monotonic() + (min(2.0**over, _LONGEST_SECONDS) if over > 0 else 0.0)

    def pause(self, stopping: Callable[[], bool]) -> None:
        """Return when the next attempt may start, or the campaign stops."""
        while (left := self._until - time.monotonic()) > 0 and not stopping():
            self._sleep(min(left, 1.0))
