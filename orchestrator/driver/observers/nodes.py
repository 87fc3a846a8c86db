"""Watches which benchmarks of a screening need no further wave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from db.records import Pending
from db.states import InstanceState
from orchestrator.analysis.nodes.screened import Judged
from orchestrator.driver.observers.answers import SettledPoint
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.protocol.report import AttemptReport


class NodeWatch(DriverObserver):
    """Judges the nodes anew after each wave.

    Parameters
    ----------
    benchmarks
        Names of the campaign's.
    judged
        Returns what the ledger says of the nodes, so that a resume finds the same.

    Attributes
    ----------
    changed
        Whether an attempt ended since the last look.
    """

    def __init__(self, benchmarks: Sequence[str], judged: Callable[[], Judged]) -> None:
        self.changed = True
        self._benchmarks = benchmarks
        self._judged = judged
        self._settled: set[str] = set()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Look again."""
        self.changed = True

    def cancelled(self, instances: Iterable[Pending]) -> None:
        """Wait for nothing: a wave without them is a wave."""

    def planned_again(self, instances: Iterable[Pending]) -> None:
        """Wait for nothing, as above."""

    def newly_settled(self) -> list[SettledPoint]:
        """Return the benchmarks that need no further wave since the last call; for use between waves."""
        self.changed = False
        judged = self._judged()
        ended = [one for one in judged.benchmarks if not one.needed and one.name not in self._settled]
        self._settled |= {one.name for one in ended}
        return [SettledPoint(one.name, (judged.sentence_of(one),)) for one in ended]

    def needed(self) -> list[str]:
        """Return the benchmarks that need further waves; `newly_settled` still returns the others."""
        enough = {one.name for one in self._judged().benchmarks if not one.needed}
        return [name for name in self._benchmarks if name not in enough]
