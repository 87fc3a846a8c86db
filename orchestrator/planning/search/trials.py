"""Trials of a search: points with drawn parameters.

A trial of `random` is one point. A trial of `asha` is a point for each rung, which trains the same parameters
for more epochs than the rung before, and goes on from its checkpoint. A trial of `optuna` is a point without
parameters, which it gets while the campaign runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from orchestrator.planning.search.settings import EPOCHS, RESUME, Search
from orchestrator.planning.sweeps import Point, point_labels
from orchestrator.wording import count_of
from workloads.description import Parameter, Value, Workload

TRIAL = "trial"
_MOST_DRAWS = 1_000
"""Draws for a trial beside those for which each trial has a fair chance to be drawn."""


@dataclass(frozen=True, slots=True)
class TrialPlace:
    """Place of a point in a search.

    Parameters
    ----------
    number
        Of the trial, counted from 1.
    rung
        Counted from 0.
    """

    search: Search
    number: int
    rung: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPoint(Point):
    """A point that is a trial of a search, or one rung of it."""

    place: TrialPlace

    @property
    def chosen_late(self) -> frozenset[str]:
        """Parameters that have no value before the campaign runs."""
        return self.place.search.chosen_late

    def chosen(self, parameters: Mapping[str, Value]) -> TrialPoint:
        """Return the point with parameters, which are its axes too."""
        return replace(self, axes={**self.axes, **parameters}, parameters=parameters)


def trial_label(sweep: str, number: int, epochs: int | None) -> str:
    """Return the name of a trial's benchmark, such as ``nt3[trial=4,epochs=9]``."""
    return f"{sweep}[{TRIAL}={number}{'' if epochs is None else f',{EPOCHS}={epochs}'}]"


def written_labels(name: str, written: Mapping[str, Any]) -> list[str]:
    """Return the names of the points of a benchmark's mapping; its own where it has none.

    Raises
    ------
    ValueError
        If matrix or search has no sense.
    """
    if written.get("matrix"):
        return point_labels(name, written["matrix"])
    if not written.get("search"):
        return [name]
    search = Search.model_validate(written["search"])
    numbers = range(1, search.trials + 1)
    return [trial_label(name, number, epochs) for number in numbers for epochs in search.levels]


def trial_points(sweep: str, search: Search, workload: Workload, seed: int) -> Iterator[TrialPoint]:
    """Yield the points of a search, trial by trial, those of a trial in the order of its rungs.

    Raises
    ------
    ValueError
        If the space holds fewer combinations than there are trials.
    """
    known = {one.name: one for one in workload.parameters}
    none: Iterable[dict[str, Value]] = repeat({}, search.trials)
    points = none if search.chosen_late else _drawn(sweep, search, known, seed)
    for number, drawn in enumerate(points, start=1):
        for rung, epochs in enumerate(search.levels):
            own = {} if epochs is None else {EPOCHS: epochs}
            yield TrialPoint(
                sweep,
                trial_label(sweep, number, epochs),
                {TRIAL: number, **drawn, **own},
                {**drawn, **own, **({RESUME: True} if own else {})},
                {},
                {},
                place=TrialPlace(search, number, rung),
            )


def _drawn(
    sweep: str, search: Search, known: Mapping[str, Parameter], seed: int
) -> Iterator[dict[str, Value]]:
    """Yield the parameters of each trial; no two trials have the same."""
    seen: set[tuple[Value, ...]] = set()
    for number in range(1, search.trials + 1):
        found = drawn_trial(sweep, search, known, seed, number, seen)
        seen.add(tuple(found.values()))
        yield found


def drawn_trial(
    sweep: str,
    search: Search,
    known: Mapping[str, Parameter],
    seed: int,
    number: int,
    seen: Container[tuple[Value, ...]],
) -> dict[str, Value]:
    """Return drawn parameters of a trial that are not among those `seen`.

    Raises
    ------
    ValueError
        If the space seems to hold no others.
    """
    for draw in range(_MOST_DRAWS + 20 * search.trials):
        found = {
            name: values.value(known[name], _share(seed, sweep, number, draw, name))
            for name, values in search.space.items()
        }
        if tuple(found.values()) not in seen:
            return found
    raise ValueError(
        f"search {sweep} holds fewer combinations than {count_of(search.trials, 'trial')}: write "
        "fewer trials, or more values"
    )


def _share(seed: int, *names: object) -> float:
    """Return a number from 0 to below 1: the first 52 bits of a SHA-256 over seed and names, ÷ 2⁵²."""
    text = "/".join(map(str, (seed, *names)))
    return (int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 12) / 2**52
