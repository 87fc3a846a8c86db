"""The driver's clock: the machine's own, or one that a simulation moves."""

from __future__ import annotations

import queue
import time
from typing import Protocol, TypeVar

from db.events import now_us

_GRAIN_SECONDS = 0.1  # attempts that end within it are one transaction of the ledger; slots have more waiting

Item = TypeVar("Item")


class Clock(Protocol):
    """Tells the time, and waits."""

    def seconds(self) -> float:
        """Return monotonic seconds."""

    def now_us(self) -> int:
        """Return UTC microseconds."""

    def take(self, mailbox: queue.Queue[Item], seconds: float) -> list[Item]:
        """Wait until something is in a mailbox, for about so long at most, and return all that is."""


class WallClock:
    """The machine's clock."""

    def seconds(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def now_us(self) -> int:
        """Return UTC microseconds."""
        return now_us()

    def take(self, mailbox: queue.Queue[Item], seconds: float) -> list[Item]:
        """Wait until something is in a mailbox, for so long at most, and a moment for what comes with it."""
        taken = []
        try:
            taken.append(mailbox.get(timeout=seconds))
            time.sleep(_GRAIN_SECONDS)
            while True:
                taken.append(mailbox.get_nowait())
        except queue.Empty:
            return taken
