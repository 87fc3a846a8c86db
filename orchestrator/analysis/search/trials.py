"""How far the trials of a campaign's searches came, which is best, and what pruning saved."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.registered_design import registered_searches
from db.evidence.runs_of_campaign import seconds_by_benchmark
from db.states import InstanceState
from orchestrator.analysis.base.ended_values import values_of
from orchestrator.analysis.search.registered import RegisteredSearch, search_of
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.plain import RowReader

_BEST = 3
_OWN_AXES = ("trial", "epochs")
_RAN = {InstanceState.DONE, InstanceState.EXHAUSTED}


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial with its result.

    Parameters
    ----------
    number
        Counted from 1.
    parameters
        Values that were drawn, as texts.
    benchmark
        The last one with a value, else the last one that ended, or the first while none has.
    epochs
        That it trained until then; None where trials have no rungs, or nothing ended.
    value
        Of the metric; None without one.
    state
        ``done`` (with its last rung), ``pruned``, ``failed``, ``cancelled``, ``not needed``, ``running`` or
        ``waiting``.
    """

    number: int
    parameters: Mapping[str, str]
    benchmark: str
    epochs: int | None
    value: float | None
    state: str


@dataclass(frozen=True, slots=True)
class RungCount:
    """Numbers of trials that entered a rung, ended it, went on and were pruned there; None: no rungs."""

    epochs: int | None
    entered: int
    ended: int
    promoted: int
    pruned: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A search with what is known of it.

    Parameters
    ----------
    trials
        All trials, the best first: those that trained for more epochs are before others.
    rungs
        Of each rung.
    ran, not_run
        Instances that ended after attempts, and those that were pruned.
    saved_hours
        Node-hours that these would have taken, at the mean time of their rung and the share of a node that a
        slot is; None where that is unknown.
    """

    search: RegisteredSearch
    trials: tuple[Trial, ...]
    rungs: tuple[RungCount, ...]
    ran: int
    not_run: int
    saved_hours: float | None

    @property
    def best(self) -> tuple[Trial, ...]:
        """Return the best trials that have a value."""
        return tuple(one for one in self.trials if one.value is not None)[:_BEST]

    def sentence_of(self, trial: Trial) -> str:
        """Return a trial with its value and parameters."""
        drawn = ", ".join(f"{name} {value}" for name, value in trial.parameters.items())
        epochs = "" if trial.epochs is None else f" after {count_of(trial.epochs, 'epoch')}"
        return f"trial {trial.number}, {self.search.metric} {trial.value:.6g}{epochs}: {drawn}"

    @property
    def headline(self) -> str:
        """Return the best trial in a sentence."""
        if self.best:
            return f"best is {self.sentence_of(self.best[0])}"
        return f"no trial has {self.search.metric} yet" if self._open else f"no run has {self.search.metric}"

    @property
    def _open(self) -> bool:
        return any(one.state in ("running", "waiting") for one in self.trials)

    @property
    def sentences(self) -> list[str]:
        """Return in sentences how far it is, the best trials, and what pruning saved."""
        states = Counter(one.state for one in self.trials)
        known = ", ".join(f"{states[state]:,} {state}" for state in states)
        lines = [f"search {self.search.name}: {count_of(len(self.trials), 'trial')}, {known}"]
        lines += [f"  {self.sentence_of(one)}" for one in self.best] or [f"  {self.headline}"]
        if self.not_run:
            hours = (
                "" if self.saved_hours is None else f", which saves about {self.saved_hours:.3g} node-hours"
            )
            lines.append(f"  pruned: {count_of(self.not_run, 'instance')}{hours}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return everything, JSON-ready."""
        return {
            "search": self.search.name,
            "method": self.search.method,
            "sampler": self.search.sampler or None,
            "metric": self.search.metric,
            "goal": self.search.goal,
            "rungs": [_fields(one) for one in self.rungs],
            "trials": [_fields(one) | {"parameters": dict(one.parameters)} for one in self.trials],
            "instances_run": self.ran,
            "instances_pruned": self.not_run,
            "node_hours_saved": self.saved_hours,
        }


def _fields(one: Trial | RungCount) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


def values_by_benchmark(
    reader: RowReader, campaign_id: int, searches: Iterable[RegisteredSearch]
) -> dict[str, float | None]:
    """Return the value of each benchmark of some searches whose instance ended."""
    searches = list(searches)
    known = values_of(reader, campaign_id, [one.metric for one in searches])
    return {
        name: next((value for value, _ in reversed(runs.values()) if value is not None), None)
        for one in searches
        for trial in one.trials
        for name in trial
        if (runs := known[one.metric].get(name))
    }


def search_results(reader: RowReader, campaign_id: int) -> list[SearchResult]:
    """Return what is known of each registered search of a campaign; empty where it has none."""
    searches = [search_of(one) for one in registered_searches(reader, campaign_id)]
    if not searches:
        return []
    values, states = values_by_benchmark(reader, campaign_id, searches), reader.counts(campaign_id)
    parameters: dict[str, dict[str, str]] = {}
    for axis in reader.axes(campaign_id):
        if axis.axis not in _OWN_AXES:
            parameters.setdefault(axis.benchmark, {})[axis.axis] = axis.value
    seconds = seconds_by_benchmark(reader, campaign_id)
    slots = {one.benchmark: json.loads(one.slot) for one in reader.benchmarks(campaign_id)}
    node_seconds = {
        name: value * (slots[name].get("nodes") or 1) / (slots[name].get("slots") or 1)
        for name, value in seconds.items()
    }
    return [_result(one, values, states, parameters, node_seconds) for one in searches]


def _result(
    search: RegisteredSearch,
    values: Mapping[str, float | None],
    states: Mapping[str, Mapping[str, int]],
    parameters: Mapping[str, Mapping[str, str]],
    node_seconds: Mapping[str, float],
) -> SearchResult:
    rungs = search.halve(values)
    names = [name for trial in search.trials for name in trial]
    pruned = [name for name in names if states.get(name, {}).get(InstanceState.PRUNED)]
    sign = -1.0 if search.goal == "maximum" else 1.0
    trials = [
        _trial(search, number, values, states, parameters.get(trial[0], {}))
        for number, trial in enumerate(search.trials)
    ]
    trials.sort(
        key=lambda one: (
            one.value is None,
            -(one.epochs or 0),
            math.inf if one.value is None else sign * one.value,
        )
    )
    saved = _seconds_of(search, pruned, node_seconds)
    return SearchResult(
        search,
        tuple(trials),
        tuple(
            RungCount(
                search.rungs[number] if search.rungs else None,
                len(rung.entered),
                sum(search.trials[trial][number] in values for trial in rung.entered),
                len(rung.promoted),
                len(rung.pruned),
            )
            for number, rung in enumerate(rungs)
        ),
        sum(bool(states.get(name, {}).keys() & _RAN) for name in names),
        len(pruned),
        None if saved is None else saved / 3600,
    )


def _trial(
    search: RegisteredSearch,
    number: int,
    values: Mapping[str, float | None],
    states: Mapping[str, Mapping[str, int]],
    parameters: Mapping[str, str],
) -> Trial:
    names = search.trials[number]
    ended = [place for place, name in enumerate(names) if name in values]
    measured = [place for place in ended if values[names[place]] is not None]
    last = (measured or ended or [0])[-1]
    known = [state for name in names for state, count in states.get(name, {}).items() if count]
    epochs = search.rungs[last] if search.rungs and ended else None
    return Trial(number + 1, parameters, names[last], epochs, values.get(names[last]), _state(known))


def _state(rungs: Sequence[str]) -> str:
    """Return the state of a trial, from the states of its instances in the order of its rungs."""
    for state, word in ((InstanceState.IN_FLIGHT, "running"), (InstanceState.PLANNED, "waiting")):
        if state in rungs:
            return word
    end = next((state for state in rungs if state != InstanceState.DONE), InstanceState.DONE)
    return "failed" if end == InstanceState.EXHAUSTED else end.replace("_", " ")


def _seconds_of(
    search: RegisteredSearch, benchmarks: Iterable[str], seconds: Mapping[str, float]
) -> float | None:
    """Return the seconds that benchmarks would have taken; a rung without a run takes its epochs' share.

    These are of a whole node, as `seconds` are, of benchmarks that ran.
    """
    if not search.rungs:
        return 0.0
    trained = list(_trained(search.rungs))
    means: list[float | None] = []
    for rung in range(len(search.rungs)):
        known = [seconds[trial[rung]] for trial in search.trials if trial[rung] in seconds]
        means.append(sum(known) / len(known) if known else None)
    measured = [(mean, epochs) for mean, epochs in zip(means, trained, strict=True) if mean is not None]
    if not measured:
        return None
    per_epoch = measured[-1][0] / measured[-1][1]
    rung_of = {name: rung for trial in search.trials for rung, name in enumerate(trial)}
    total = 0.0
    for name in benchmarks:
        mean = means[rung_of[name]]
        total += per_epoch * trained[rung_of[name]] if mean is None else mean
    return total


def _trained(rungs: tuple[int, ...]) -> Iterator[int]:
    """Yield the epochs that each rung trains after the one before it."""
    before = 0
    for epochs in rungs:
        yield epochs - before
        before = epochs
