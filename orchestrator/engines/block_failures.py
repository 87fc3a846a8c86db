"""Blocks, the scheduler jobs that hold nodes: what befell them, and when to ask for the next one."""

from __future__ import annotations

from pathlib import Path

from orchestrator.schedulers.model import Job, JobState

FAILED_STATES = (JobState.FAILED, JobState.NODE_FAILURE)
TOO_MANY = 3
_WINDOW_SECONDS = 600.0
_PAUSE_SECONDS = 5.0  # after a failed block, doubled with each further one
_LONGEST_PAUSE_SECONDS = 300.0


def told(job: Job, outputs: Path) -> str:
    """Return what became of a block's job, in words for the user.

    Parameters
    ----------
    outputs
        Folder of the jobs' own output.
    """
    reason = f": {job.reason}" if job.reason else ""
    words = {
        JobState.HELD: f"is held{reason}; the batch system's release command lets it go on",
        JobState.TIMEOUT: "reached its walltime",
        JobState.CANCELLED: f"was cancelled from outside{reason}",
        JobState.FAILED: f"failed{reason}; its output is in {outputs}",
        JobState.NODE_FAILURE: f"lost its nodes{reason}",
    }
    return words.get(job.state, f"is {job.state}{reason}")


class BlockFailures:
    """When blocks failed, by a monotonic clock; old failures are forgiven."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}

    def note(self, block: str, now: float) -> None:
        """Keep that a block failed; noted again, its first time stands."""
        self._at.setdefault(block, now)

    def too_many(self, now: float) -> bool:
        """Tell whether so many failed lately that further ones would too."""
        return len(self._recent(now)) >= TOO_MANY

    def next_request(self, now: float) -> float:
        """Return when the next block may be asked for: at once, unless the last ones failed."""
        recent = self._recent(now)
        if not recent:
            return now
        return max(recent) + min(_PAUSE_SECONDS * 2.0 ** (len(recent) - 1), _LONGEST_PAUSE_SECONDS)

    def _recent(self, now: float) -> list[float]:
        return [at for at in self._at.values() if now - at < _WINDOW_SECONDS]
