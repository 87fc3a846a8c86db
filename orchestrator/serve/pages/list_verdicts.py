"""Verdicts for the list of campaigns: each ended campaign is judged once, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from db.errors import LedgerError
from orchestrator.errors import OrchestratorError
from orchestrator.serve.shared_reads import SharedReads
from workloads.description import WorkloadError

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import FigureSoFar

_KEPT = 512
_WAIT_SECONDS = 1.0
"""Longest time that the list waits for verdicts; campaigns of usual size are judged within it."""


class ListVerdicts:
    """Headline figures of ended campaigns by key; use it in one event loop.

    Parameters
    ----------
    read
        Returns the figures of a campaign of a name; called in a thread.
    """

    def __init__(self, read: Callable[[str], Sequence[FigureSoFar]]) -> None:
        self._names: dict[str, str] = {}
        self._figures = SharedReads(
            lambda key: read(self._names[key]), lambda _found, _took: float("inf"), kept=_KEPT
        )
        self._task: asyncio.Task[None] | None = None

    async def known(self, wanted: Mapping[str, str]) -> dict[str, Sequence[FigureSoFar]]:
        """Return the figures that are known, after a short wait; a later call finds those that are missing.

        Parameters
        ----------
        wanted
            Name of the campaign by key; a key differs whenever the verdict may.
        """
        missing = [key for key in wanted if self._figures.known(key) is None]
        if missing and (self._task is None or self._task.done()):
            self._names = {key: wanted[key] for key in missing}
            self._task = asyncio.create_task(self._judge(missing))
        if missing and self._task is not None:
            await asyncio.wait({self._task}, timeout=_WAIT_SECONDS)
        return {key: found for key in wanted if (found := self._figures.known(key)) is not None}

    async def _judge(self, keys: Iterable[str]) -> None:
        for key in keys:
            with suppress(LedgerError, OSError, OrchestratorError, WorkloadError):  # the next list asks again
                await self._figures.get(key)
