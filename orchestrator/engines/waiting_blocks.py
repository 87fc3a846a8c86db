"""Find blocks that wait for a reason which may never pass, and say so once."""

from __future__ import annotations

from collections.abc import Iterable

from db.events import EventKind
from orchestrator.engines.base import EngineMessage
from orchestrator.schedulers.model import Job, JobState
from orchestrator.schedulers.pending_reasons import PATIENCE_SECONDS
from sites.quantities import shown


def describe_waiting(block: str, job: Job, seconds: float) -> str:
    """Return why a block waits and what to do, in words for the user.

    Parameters
    ----------
    seconds
        How long it has waited for this reason.
    """
    if job.pending is None:
        return f"{block} waits: {job.reason}"
    if job.pending.hopeless:
        return f"{block} will never start: {job.reason}; {job.pending.advice}, and launch again"
    return f"{block} has waited {shown(seconds)} and may never start: {job.reason}; {job.pending.advice}"


class WaitingBlocks:
    """Blocks that wait for a known reason: hopeless ones are named at once, others after half an hour."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[str, float]] = {}
        self._named: set[tuple[str, str]] = set()

    def messages(self, blocks: Iterable[tuple[str, Job]], now: float) -> list[EngineMessage]:
        """Return a message for each block and reason that was not named before.

        Parameters
        ----------
        blocks
            Name and job of each block that has not ended.
        now
            Monotonic seconds.
        """
        found = []
        for block, job in blocks:
            if job.state is not JobState.QUEUED or job.pending is None:
                self._since.pop(block, None)
                continue
            pattern = job.pending.pattern
            if self._since.get(block, ("", 0.0))[0] != pattern:
                self._since[block] = (pattern, now)
            waited = now - self._since[block][1]
            if (block, pattern) in self._named or not (job.pending.hopeless or waited >= PATIENCE_SECONDS):
                continue
            self._named.add((block, pattern))
            found.append(EngineMessage(EventKind.BLOCK_WAITING, describe_waiting(block, job, waited), block))
        return found
