"""Where a campaign stands, for progress displays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True)
class Snapshot:
    """Counts of instances, and of attempts that failed.

    Parameters
    ----------
    failures
        Failed attempts of this session.
    campaign
        Its name in the ledger; empty for one that is simulated.
    note
        What keeps the campaign from going on; empty if nothing does.
    """

    total: int
    done: int = 0
    exhausted: int = 0
    running: int = 0
    queued: int = 0
    failures: int = 0
    note: str = ""
    campaign: str = ""


class ProgressDisplay(Protocol):
    """Shows progress."""

    def update(self, snapshot: Snapshot) -> None:
        """Show where the campaign stands; called several times a second."""


class NoDisplay:
    """Shows nothing."""

    def update(self, snapshot: Snapshot) -> None:
        """Show nothing."""
