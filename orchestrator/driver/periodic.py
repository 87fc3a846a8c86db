"""What a driver does now and then beside its work."""

from __future__ import annotations

from collections.abc import Callable


class Chore:
    """Something to be done about every so many seconds.

    Parameters
    ----------
    every_seconds
        How often.
    do
        What.
    """

    def __init__(self, every_seconds: float, do: Callable[[], None]) -> None:
        self._every = every_seconds
        self._do = do
        self._next = float("-inf")

    def when_due(self, now: float) -> None:
        """Do it if it is time, in seconds by a monotonic clock."""
        if now >= self._next:
            self._do()
            self._next = now + self._every
