"""How long a worker waits: for its supervisor, which must not hold its slot, and after failed starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import NOT_STARTED, AttemptReport
from orchestrator.protocol.time_budget import longest_after_start

_FREE = 2  # failures in a row without a pause
_LONGEST_SECONDS = 10.0


class Patience:
    """Returns, when called, the seconds that a supervisor may still take; zero or less once it has failed.

    It has the attempt's timeout and grace period from the start of its processes, which stands in the
    journal, and longer as long as it has started none. Setting the node's clock changes nothing.

    Parameters
    ----------
    journal
        The worker's own, in which the supervisor writes when it starts the processes.
    """

    def __init__(self, order: AttemptOrder, journal: Path) -> None:
        self._order = order
        self._journal = journal
        self._begun = time.monotonic()
        self._begun_us = time.time_ns() // 1000
        self._bound = longest_after_start(order.longest_seconds, order.grace_seconds)
        self._started: float | None = None

    @property
    def waited(self) -> float:
        """Seconds since the order was given."""
        return time.monotonic() - self._begun

    def __call__(self) -> float:
        """Return the seconds that are left."""
        if (soonest := self._bound - self.waited) > 0:
            return soonest
        if self._started is None:
            self._started = self._start_of_processes()
        longest = self._order.longest_seconds if self._started is None else self._started + self._bound
        return longest - self.waited

    def _start_of_processes(self) -> float | None:
        """Return after how many seconds the processes were started; None if they were not."""
        from orchestrator.rundir import journal  # which few attempts need

        at_us = journal.process_start_us(self._journal, self._order.token)
        return None if at_us is None else min(max(0.0, (at_us - self._begun_us) / 1e6), self.waited)


class FailedStarts:
    """Counts the attempts in a row that did not start on a slot, and waits before the next.

    A full disk is not full for a second.
    """

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
