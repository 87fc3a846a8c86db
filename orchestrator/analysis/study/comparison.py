"""Points of sweeps side by side: loaders, batch scalings, and two campaigns. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.analysis.base.statistics import Estimate, median_interval, ratio_of_medians
from orchestrator.analysis.study.sweep_summary import AxisValue, PointRuns

_FIGURES = ("time", "load_seconds")


@dataclass(frozen=True, slots=True)
class Choice:
    """One figure of points that differ in the value of one axis alone, such as `loader`.

    Parameters
    ----------
    figure, unit
        ``time`` (the FOM time), ``load_seconds`` or ``accuracy``.
    medians
        By value of the axis, in the order of the file; None where no run has it.
    improvement
        Of each further value against the first one: percent less time, with an interval.
    """

    sweep: str
    axis: str
    axes: Mapping[str, AxisValue]
    figure: str
    unit: str
    medians: Mapping[str, float | None]
    improvement: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Improvement:
    """One figure of a point beside that of the same point of another campaign.

    Parameters
    ----------
    percent
        How much less this campaign takes than the other one, with an interval; negative where it takes more.
    """

    benchmark: str
    figure: str
    unit: str
    median: float
    other: float
    percent: Estimate


def side_by_side(points: Sequence[PointRuns]) -> list[Choice]:
    """Return, for each axis of texts, its values side by side at each setting of the other axes."""
    found = []
    for sweep in dict.fromkeys(point.sweep for point in points):
        members = [point for point in points if point.sweep == sweep]
        for axis in dict.fromkeys(name for point in members for name in point.axes):
            values = dict.fromkeys(point.axes[axis] for point in members if axis in point.axes)
            if len(values) > 1 and all(isinstance(value, str) for value in values):
                found += _choices(sweep, axis, [str(value) for value in values], members)
    return found


def improvements(points: Sequence[PointRuns], others: Sequence[PointRuns]) -> list[Improvement]:
    """Return the figures of the points that two campaigns have in common."""
    known = {point.benchmark: point for point in others}
    found = []
    for point in points:
        other = known.get(point.benchmark)
        if other is None:
            continue
        for figure in (*_FIGURES, "energy_joules"):
            unit, ours = _values(point, figure)
            _, theirs = _values(other, figure)
            if ours and theirs and unit == _values(other, figure)[0]:
                medians = median_interval(ours).value, median_interval(theirs).value
                found.append(
                    Improvement(point.benchmark, figure, unit, *medians, _percent_less(ours, theirs))
                )
    return found


def _choices(sweep: str, axis: str, values: list[str], members: Sequence[PointRuns]) -> list[Choice]:
    groups: dict[tuple[tuple[str, AxisValue], ...], dict[str, PointRuns]] = {}
    for point in members:
        others = tuple((name, value) for name, value in point.axes.items() if name != axis)
        if axis in point.axes:
            groups.setdefault(others, {})[str(point.axes[axis])] = point
    found = []
    for others, by_value in groups.items():
        for figure in (*_FIGURES, "accuracy"):
            measured = {value: _values(by_value[value], figure) for value in values if value in by_value}
            unit = next((unit for unit, runs in measured.values() if runs), None)
            if unit is None:
                continue
            first = next(iter(measured))
            improvement = {
                value: _percent_less(runs, measured[first][1])
                for value, (_, runs) in measured.items()
                if value != first and runs and measured[first][1] and figure != "accuracy"
            }
            medians = {
                value: median_interval(measured[value][1]).value if measured.get(value, ("", ()))[1] else None
                for value in values
            }
            found.append(Choice(sweep, axis, dict(others), figure, unit, medians, improvement))
    return found


def _values(point: PointRuns, figure: str) -> tuple[str, tuple[float, ...]]:
    if figure == "time":
        return point.unit, point.seconds
    return point.metrics.get(figure, ("", ()))


def _percent_less(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Return by how many percent the median of ours is below that of theirs, with a bootstrap interval."""
    if not median_interval(theirs).value:
        return Estimate(float("nan"), None, None)
    ratio = ratio_of_medians(ours, theirs)
    low = None if ratio.high is None else 100 * (1 - ratio.high)
    high = None if ratio.low is None else 100 * (1 - ratio.low)
    return Estimate(100 * (1 - ratio.value), low, high)
