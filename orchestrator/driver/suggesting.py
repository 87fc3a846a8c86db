"""Lets trials of a search get parameters while the driver runs, as many as may be out at once."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.stop_requests import StopLevel


class Suggesting:
    """Records parameters of trials, and releases those that have some.

    Parameters
    ----------
    levels
        Waiting instances, shared with the queues of all stages.
    paused
        Names of benchmarks of which none starts; the set may change.
    """

    def __init__(self, setup: DriverSetup, levels: ResourceLevels, paused: AbstractSet[str]) -> None:
        self._watch = setup.suggestions
        self._writer = setup.writer
        self._clock = setup.clock
        self._stops = setup.stops
        self._levels = levels
        self._paused = paused

    @property
    def unrecorded(self) -> bool:
        """True while trials have parameters that the ledger has still to take."""
        return self._watch is not None and bool(self._watch.unrecorded)

    def apply(self) -> None:
        """Choose parameters for the trials that may start now; for none during a stop."""
        if self._watch is None or self._stops.level is not StopLevel.NONE:
            return
        chosen = self._watch.choose(self._startable, self._clock.now_us())
        if chosen and self._writer.suggest(chosen):
            self._watch.recorded()

    def _startable(self, benchmark: str) -> bool:
        return benchmark not in self._paused and any(self._levels.queues_of(benchmark))
