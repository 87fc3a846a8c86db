"""Watches which trials of a campaign's searches get parameters by the results of earlier trials."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from db.records import NewPoint, Pending, SuggestedTrial
from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.observers.trials import NO_END, without_metric
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.attempt_records import value_of
from orchestrator.planning.search.optimizer import EarlierTrial, chosen_parameters, optuna_version
from orchestrator.planning.search.settings import Search
from orchestrator.planning.search.trials import TrialPoint
from orchestrator.planning.sweeps import axis_texts
from orchestrator.protocol.report import AttemptReport
from orchestrator.wording import count_of
from workloads.description import Parameter, Value

_log = logging.getLogger(__name__)
_TURN_SECONDS = 1.0
"""Time after which the driver looks after its attempts again, although more trials could get parameters."""


@dataclass(frozen=True)
class SuggestedSearch:
    """A search whose trials get parameters while the campaign runs.

    Parameters
    ----------
    metric
        As the ledger calls it.
    known
        Parameters of the workload, by name.
    seed
        Of the campaign.
    points
        Trials, in the order of their numbers, which begin with 1.
    at_once
        Trials that have parameters and no result, at the most.
    """

    name: str
    search: Search
    metric: str
    known: Mapping[str, Parameter]
    seed: int
    points: Sequence[TrialPoint]
    at_once: int

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each trial, by benchmark."""
        return {one.label: one.place.number for one in self.points}


class _Progress:
    """Trials of a search that have parameters, with their results.

    Parameters
    ----------
    recorded
        Earlier choices, as events keep them.
    values
        Of trials that ended, by benchmark.
    """

    def __init__(
        self,
        search: SuggestedSearch,
        recorded: Iterable[tuple[str, Mapping[str, Any]]],
        values: Mapping[str, float | None],
    ) -> None:
        self._search = search
        self._earlier: dict[int, EarlierTrial] = {}
        self._results: dict[int, float | None] = {}
        for benchmark, data in recorded:
            if benchmark in search.numbers:
                self._count(data["results"])
                self._earlier[search.numbers[benchmark]] = EarlierTrial(data["parameters"])
        self._out = set(self._earlier)
        for benchmark, number in search.numbers.items():
            if number in self._earlier and benchmark in values:
                self.take(number, values[benchmark])

    @property
    def parameters(self) -> dict[str, Mapping[str, Value]]:
        """Parameters of trials, by benchmark."""
        return {self._search.points[one - 1].label: two.parameters for one, two in self._earlier.items()}

    def take(self, number: int, value: float | None) -> None:
        """Take the result of a trial."""
        if (known := self._earlier.get(number)) is None:
            return
        value = value if value is not None and math.isfinite(value) else None
        self._out.discard(number)
        self._results.pop(number, None)
        if (known.ended, known.value) != (True, value):
            self._results[number] = value

    def wait_for(self, number: int) -> None:
        """Wait for the result of a trial that runs again; its former result counts until then."""
        self._results.pop(number, None)
        self._out |= {number} & self._earlier.keys()

    def next(self, startable: Callable[[str], bool]) -> TrialPoint | None:
        """Return the trial that is next to get parameters; None while there is none."""
        if len(self._out) >= self._search.at_once:
            return None
        free = (one for one in self._search.points if one.place.number not in self._earlier)
        return next((one for one in free if startable(one.label)), None)

    def choose(self, point: TrialPoint, now_us: int) -> SuggestedTrial:
        """Return a trial with the parameters that it gets."""
        one, number, results = self._search, point.place.number, list(self._results.items())
        self._count(results)
        self._results.clear()
        earlier = list(self._earlier.values())
        parameters = chosen_parameters(one.name, one.search, one.known, one.seed, number, earlier)
        self._earlier[number] = EarlierTrial(parameters)
        self._out.add(number)
        words = ", ".join(f"{name} {value}" for name, value in parameters.items())
        ended = sum(trial.ended for trial in earlier)
        return SuggestedTrial(
            point.label,
            parameters,
            tuple(_new_axes(point, parameters)),
            f"{point.label} gets {words}: chosen by {one.search.chooser} after {count_of(ended, 'result')}",
            {
                "search": one.name,
                "trial": number,
                "parameters": parameters,
                "results": results,
                "sampler": one.search.chooser,
                "optuna": optuna_version(),
            },
            now_us,
        )

    def _count(self, results: Iterable[Sequence[Any]]) -> None:
        for number, value in results:
            self._earlier[number] = replace(self._earlier[number], ended=True, value=value)


class SuggestionWatch(DriverObserver):
    """Lets trials get parameters as others end; each is recorded before it starts, and never chosen anew.

    Parameters
    ----------
    recorded
        Earlier choices with their benchmarks, as events keep them.
    values
        Of trials that ended in earlier sessions, by benchmark.
    held
        Benchmarks of which no instance starts; those without parameters are among them from now on.

    Attributes
    ----------
    parameters
        Those that trials have in the ledger, by benchmark.
    unrecorded
        Trials with parameters that the ledger has still to take.
    """

    def __init__(
        self,
        searches: Sequence[SuggestedSearch],
        recorded: Sequence[tuple[str, Mapping[str, Any]]],
        values: Mapping[str, float | None],
        held: set[str],
    ) -> None:
        self._of = {name: one for one in searches for name in one.numbers}
        self._progress = {one.name: _Progress(one, recorded, values) for one in searches}
        self._absent: set[str] = set()
        self.parameters: dict[str, Mapping[str, Value]] = {}
        for progress in self._progress.values():
            self.parameters |= progress.parameters
        self.unrecorded: list[SuggestedTrial] = []
        self.held = held
        held |= self._of.keys() - self.parameters.keys()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Take the value of a trial that ended for good; None if it failed."""
        benchmark = attempt.pending.benchmark
        if (search := self._of.get(benchmark)) is None or instance in NO_END:
            return
        value = value_of(report, search.metric) if instance is InstanceState.DONE else None
        self._take(benchmark, value)
        if value is None and instance is InstanceState.DONE and search.metric not in self._absent:
            self._absent.add(search.metric)
            _log.warning(
                "%s", without_metric(attempt.label, search.metric, report, "counts as a failed trial")
            )

    def cancelled(self, instances: Iterable[Pending]) -> None:
        """Take it as a failure that a user cancelled trials."""
        for one in instances:
            self._take(one.benchmark, None)

    def planned_again(self, instances: Iterable[Pending]) -> None:
        """Wait for the values of trials that a user lets run again."""
        for one in instances:
            if (search := self._of.get(one.benchmark)) is not None:
                self._progress[search.name].wait_for(search.numbers[one.benchmark])

    def choose(self, startable: Callable[[str], bool], now_us: int) -> Sequence[SuggestedTrial]:
        """Return the trials that get parameters now; the same ones again until they are recorded.

        Parameters
        ----------
        startable
            Tells of a benchmark whether an instance of it waits and may start.
        """
        begin = time.monotonic()
        for progress in () if self.unrecorded else self._progress.values():
            while (point := progress.next(startable)) is not None:
                self.unrecorded.append(progress.choose(point, now_us))
                if time.monotonic() - begin > _TURN_SECONDS:
                    return self.unrecorded
        return self.unrecorded

    def recorded(self) -> None:
        """Let the trials start whose parameters the ledger has now."""
        for one in self.unrecorded:
            _log.info("%s", one.message)
            self.parameters[one.benchmark] = one.parameters
            self.held.discard(one.benchmark)
        self.unrecorded = []

    def _take(self, benchmark: str, value: float | None) -> None:
        if (search := self._of.get(benchmark)) is not None:
            self._progress[search.name].take(search.numbers[benchmark], value)


def _new_axes(point: TrialPoint, parameters: Mapping[str, Value]) -> Iterator[NewPoint]:
    """Yield the rows of the axes that a trial has beside its number."""
    for place, (axis, value, number) in enumerate(axis_texts(point.chosen(parameters))):
        if axis not in point.axes:
            yield NewPoint(point.label, axis, place, point.sweep, value, number)
