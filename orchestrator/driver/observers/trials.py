"""Watches which trials of a campaign's searches go on to their next rung."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from db.records import Pending
from db.states import InstanceState
from orchestrator.analysis.search.registered import RegisteredSearch
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.attempt_records import metric_names, value_of
from orchestrator.protocol.report import AttemptReport
from workloads.spelling import near

_log = logging.getLogger(__name__)
NO_END = (InstanceState.PLANNED, InstanceState.NOT_NEEDED, InstanceState.PRUNED)
"""States of an instance whose attempt ended, that are no result of it."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """A trial that goes on: the benchmark of its next rung, and why."""

    benchmark: str
    message: str


@dataclass(frozen=True, slots=True)
class Pruning:
    """A trial that does not go on: the benchmarks of its later rungs, and why."""

    benchmarks: tuple[str, ...]
    message: str


class TrialWatch(DriverObserver):
    """Decides anew as instances end.

    Decisions depend on the values and on the registered order of the trials alone, so that a resume finds
    the same ones.

    Parameters
    ----------
    values
        Of instances that ended in earlier sessions, by benchmark.
    pruned
        Benchmarks that are pruned in the ledger.

    Attributes
    ----------
    held
        Benchmarks that no promotion has released yet; none of their instances starts.
    again
        Benchmarks that were pruned and are not any more, as a user let an instance run again; the ledger has
        still to plan them.
    """

    def __init__(
        self,
        searches: Sequence[RegisteredSearch],
        values: Mapping[str, float | None],
        noted: Collection[str],
        pruned: Collection[str] = (),
    ) -> None:
        self._values = dict(values)
        self._of = {name: one for one in searches for trial in one.trials for name in trial}
        self._noted = set(noted)
        self._changed = {one.name: one for one in searches}
        self._absent: set[str] = set()
        self._pruned = set(pruned)
        self._later = {name for one in searches for trial in one.trials for name in trial[1:]}
        self.held = self._later - self._noted
        self.again: set[str] = set()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Take the value of an instance that ended for good."""
        benchmark = attempt.pending.benchmark
        search = self._of.get(benchmark)
        if search is None or instance in NO_END:
            return
        value = value_of(report, search.metric) if instance is InstanceState.DONE else None
        self._take(benchmark, value)
        if value is None and instance is InstanceState.DONE and search.metric not in self._absent:
            self._absent.add(search.metric)
            _log.warning("%s", without_metric(attempt.label, search.metric, report, "is never promoted"))

    def _take(self, benchmark: str, value: float | None) -> None:
        self._values[benchmark] = value
        self._changed[self._of[benchmark].name] = self._of[benchmark]

    def cancelled(self, instances: Iterable[Pending]) -> None:
        """Wait for no value of instances that a user cancelled before they ran."""
        for one in instances:
            if one.benchmark in self._of:
                self._take(one.benchmark, None)

    def planned_again(self, instances: Iterable[Pending]) -> None:
        """Wait for the values of instances that a user lets run again, where their trial came so far."""
        for one in instances:
            if (search := self._of.get(one.benchmark)) is not None:
                self._values.pop(one.benchmark, None)
                self._changed[search.name] = search
                self.held |= {one.benchmark} & self._later - self._noted

    def pruned(self) -> set[str]:
        """Return all benchmarks that the values so far prune."""
        searches = {one.name: one for one in self._of.values()}.values()
        return {
            name
            for one in searches
            for names in one.pruned(one.halve(self._values)).values()
            for name in names
        } - self._noted

    def decide(self) -> tuple[list[Promotion], list[Pruning]]:
        """Return what was decided since the last call; promoted benchmarks are no longer held."""
        promotions, prunings = [], []
        for search in self._changed.values():
            rungs = search.halve(self._values)
            for benchmark, before in search.promoted(rungs).items():
                if benchmark not in self._noted and benchmark not in self._values:  # or it was cancelled
                    self._noted.add(benchmark)
                    promotions.append(Promotion(benchmark, self._words(search, before, "goes on")))
            pruned = search.pruned(rungs)
            self._take_back(search, {name for names in pruned.values() for name in names})
            for last, names in pruned.items():
                rest = tuple(name for name in names if name in self.held and name not in self._noted)
                if rest:
                    self.held.difference_update(rest)
                    self.again.difference_update(rest)
                    self._pruned.update(rest)
                    prunings.append(Pruning(rest, self._words(search, last, "is pruned")))
        self._changed.clear()
        self.held -= self._noted
        return promotions, prunings

    def _take_back(self, search: RegisteredSearch, pruned: AbstractSet[str]) -> None:
        """Let wait what was pruned, and is not any more."""
        back = {name for name in self._pruned - pruned if self._of[name] is search}
        self._pruned -= back
        self.again |= back
        self.held |= back

    def _words(self, search: RegisteredSearch, benchmark: str, what: str) -> str:
        value = self._values.get(benchmark)
        known = f"without {search.metric}" if value is None else f"{search.metric} {value:.6g}"
        return f"{benchmark} {what}: {known}"


def without_metric(label: str, metric: str, report: AttemptReport, consequence: str) -> str:
    """Return a sentence about a run that lacks the metric of its search."""
    names = metric_names(report)
    hint = near(metric, names, f"it has {', '.join(names)}") if names else ""
    return (
        f"{label} has no {metric}{hint}; a trial without it {consequence}. If that is a mistake, launch the "
        "campaign under another name with the right metric"
    )
