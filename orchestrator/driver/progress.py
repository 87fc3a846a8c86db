"""Progress of a running campaign: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True)
class Snapshot:
    """Where a campaign stands, for progress displays."""

    total: int
    done: int = 0
    exhausted: int = 0
    running: int = 0
    queued: int = 0
    failures: int = 0
    note: str = ""


class Watcher(Protocol):
    """Shows progress."""

    def update(self, snapshot: Snapshot) -> None:
        """Show where the campaign stands; called several times a second."""

    def say(self, message: str) -> None:
        """Tell the user one thing that happened."""


class Silent:
    """Shows nothing."""

    def update(self, snapshot: Snapshot) -> None:
        """Show nothing."""

    def say(self, message: str) -> None:
        """Say nothing."""
