"""Describe finished scheduler jobs ("blocks"), and back off after failed ones."""

from __future__ import annotations

from pathlib import Path

from db.events import EventKind
from orchestrator.schedulers.model import Job, JobState

FAILED_STATES = (JobState.FAILED, JobState.NODE_FAILURE)
TOO_MANY = 3
_WINDOW_SECONDS = 600.0
_PAUSE_SECONDS = 5.0  # after a failed block, doubled with each further one
_LONGEST_PAUSE_SECONDS = 300.0


def describe_block(job: Job, outputs: Path) -> str:
    """Return the state of a block's job in words for the user."""
    reason = f": {job.reason}" if job.reason else ""
    words = {
        JobState.HELD: f"is held{reason}; release it with the scheduler's release command",
        JobState.TIMEOUT: "reached its walltime",
        JobState.CANCELLED: f"was cancelled from outside{reason}",
        JobState.FAILED: f"failed{reason}; its output is in {outputs}",
        JobState.NODE_FAILURE: f"lost its nodes{reason}",
    }
    return words.get(job.state, f"is {job.state}{reason}")


def block_event(state: JobState) -> EventKind:
    """Return the kind of event that a block's change to a state is."""
    if state is JobState.NODE_FAILURE:
        return EventKind.BLOCK_LOST
    return EventKind.BLOCK_FAILED if state is JobState.FAILED else EventKind.BLOCK_CHANGED


class BlockFailures:
    """Times of failed blocks, in monotonic seconds; failures older than ten minutes do not count."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}

    def note(self, block: str, now: float) -> None:
        """Note that a block failed; if it was noted before, the first time stays."""
        self._at.setdefault(block, now)

    def too_many(self, now: float) -> bool:
        """Return whether so many blocks failed recently that further ones would fail too."""
        return len(self._recent(now)) >= TOO_MANY

    def next_request(self, now: float) -> float:
        """Return the earliest time of the next request: `now`, unless recent blocks failed."""
        recent = self._recent(now)
        if not recent:
            return now
        return max(recent) + min(_PAUSE_SECONDS * 2.0 ** (len(recent) - 1), _LONGEST_PAUSE_SECONDS)

    def _recent(self, now: float) -> list[float]:
        return [at for at in self._at.values() if now - at < _WINDOW_SECONDS]
