"""Work that a driver does at intervals."""

from __future__ import annotations

from collections.abc import Callable


class PeriodicTask:
    """A task to run about every so many seconds."""

    def __init__(self, period_seconds: float, task: Callable[[], None]) -> None:
        self._period = period_seconds
        self._task = task
        self._next = float("-inf")

    def run_if_due(self, now: float) -> None:
        """Run the task if it is time, in seconds by a monotonic clock."""
        if now >= self._next:
            self._task()
            self._next = now + self._period
