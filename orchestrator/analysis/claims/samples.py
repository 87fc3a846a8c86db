"""Runs that claims speak of, and statements on their medians. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.analysis.publications.documents import Conditions
from orchestrator.analysis.study.closest_runs import axis_text, by_number, closest_runs
from orchestrator.analysis.study.published import Published
from orchestrator.analysis.study.sweep_summary import AxisValue, PointRuns
from workloads.spelling import near


@dataclass(frozen=True, slots=True)
class Sample:
    """Values of a metric of the runs of a point, or a constant.

    Parameters
    ----------
    differs
        Parameters of the runs that are not the workload's defaults, and not among the conditions.
    unfixed
        Axes of the sweep at several of whose values runs fit the conditions, so that a choice would be made.
    others
        Values of the sweep's axes that the conditions do not name.
    """

    text: str
    values: tuple[float, ...]
    unit: str = ""
    differs: tuple[str, ...] = ()
    constant: bool = False
    unfixed: tuple[str, ...] = ()
    others: Mapping[str, AxisValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement that the median of `left` is at least `factor` times that of `right`."""

    left: Sample
    right: Sample
    factor: float = 1.0

    @property
    def text(self) -> str:
        """The statement as a formula."""
        times = "" if self.factor == 1 else f"{self.factor:g} × "
        return f"{self.left.text} ≥ {times}{self.right.text}"

    @property
    def constant(self) -> bool:
        """True if a side is a number that was not measured."""
        return self.left.constant or self.right.constant


@dataclass(frozen=True, slots=True)
class Reduced:
    """Statements to which a claim reduces.

    Parameters
    ----------
    anywhere
        True where the claim holds if a single statement does; otherwise all must.
    missing
        Why it cannot be tested; empty where it can.
    untested
        Why runs can refute it and not show that it holds; empty where they can do both.
    """

    statements: tuple[Statement, ...] = ()
    anywhere: bool = False
    missing: str = ""
    untested: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedRuns:
    """Runs of a workload at some conditions."""

    points: Sequence[PointRuns]
    workload: str
    where: Conditions

    def unknown(self, metrics: Iterable[str], names: Iterable[str]) -> str:
        """Return which of the names no run has, with the nearest that runs have; empty if none is missing."""
        ours = [point for point in self.points if point.workload == self.workload]
        if not ours:
            return f"no run of {self.workload}{near(self.workload, {one.workload for one in self.points})}"
        given = {"ranks", "nodes"}.union(*(({**one.parameters, **one.axes}) for one in ours))
        measured = {"time"}.union(*(one.metrics for one in ours))
        for kind, wanted, known in (("parameter or axis", names, given), ("metric", metrics, measured)):
            for name in wanted:
                if name not in known:
                    return f"no run of {self.workload} has a {kind} {name}{near(name, sorted(known))}"
        return ""

    def like(self, conditions: Conditions) -> list[tuple[PointRuns, tuple[str, ...]]]:
        """Return the points with further conditions and how they differ, the closest first."""
        wanted = Published(workload=self.workload, where={**self.where, **conditions})
        return closest_runs(wanted, self.points, {})

    def sample(self, metric: str, conditions: Conditions) -> Sample | None:
        """Return a metric of the closest point with further conditions; None without runs that have it."""
        found = [(point, differs) for point, differs in self.like(conditions) if point.measured(metric)[1]]
        if not found:
            return None
        point, differs = found[0]
        unit, values = point.measured(metric)
        fixed = {**self.where, **conditions}
        others = {axis: value for axis, value in point.axes.items() if axis not in fixed}
        alike = [one for one, _ in found if one.sweep == point.sweep]
        unfixed = tuple(axis for axis in others if len({one.axes.get(axis) for one in alike}) > 1)
        given = Published(workload=self.workload, where=conditions).conditions
        text = f"{metric}[{given}]" if given else metric
        return Sample(text, values, unit, differs, unfixed=unfixed, others=others)

    def over(self, axis: str, metric: str) -> dict[str, Sample]:
        """Return a metric at each value of an axis that has runs with it, numbers in their order."""
        places = {axis_text(point, axis) for point, _ in self.like({})}
        found = {
            place: self.sample(metric, at(axis, place)) for place in sorted(places - {""}, key=by_number)
        }
        return {place: sample for place, sample in found.items() if sample is not None}


def at(axis: str, place: str | float) -> Conditions:
    """Return the condition that an axis has a value, which may be given as text."""
    number = by_number(str(place))[0]
    if math.isinf(number):
        return {axis: str(place)}
    return {axis: int(number) if number.is_integer() else number}
