"""Points that differ in one axis or parameter, with their figures and failures. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.analysis.base.metric_names import TIME
from orchestrator.analysis.base.statistics import Estimate, median_interval
from orchestrator.analysis.study.sweep_summary import AxisValue, PointRuns
from orchestrator.errors import CampaignError
from workloads.metrics.outputs import LARGEST
from workloads.spelling import near

DEFAULT = "wallclock_seconds"
"""The metric that is compared where nothing else is asked for."""
ERROR = "error_over_bound"
"""Largest error ÷ tolerance: 1 or less is valid."""
_NO_FAILURES = ("not run yet", "not needed", "pruned", "running", "cancelled", "resumed from a checkpoint")
REPEATS, RERUNS = "repeats", "reruns"


@dataclass(frozen=True, slots=True)
class Cell:
    """A point.

    Parameters
    ----------
    values
        The figure of each accepted run.
    figure
        Median with its 95 % interval: over the runs, or of one run over its own reruns; None without a run.
    basis
        What the interval is over: `REPEATS`, `RERUNS`, or empty where there is none.
    error
        Largest `error_over_bound` of the runs.
    """

    value: str
    benchmark: str
    values: tuple[float, ...]
    figure: Estimate | None
    basis: str
    error: float | None
    missing: Mapping[str, int]

    @property
    def invalid(self) -> bool:
        """True if an output is out of its bound; the figure then counts for nothing."""
        return self.error is not None and not self.error <= 1

    @property
    def counts(self) -> bool:
        """True if there is a figure of a valid run."""
        return self.figure is not None and not self.invalid

    @property
    def failures(self) -> str:
        """Say what is wrong with the point; empty where nothing is."""
        failed = {why: number for why, number in self.missing.items() if why not in _NO_FAILURES}
        found = []
        if self.error is not None and self.invalid:
            shown = f"{self.error:.4g}" if self.error < LARGEST else "infinite or no number"
            found = [f"{ERROR} {shown}"]
        return "; ".join(found + [f"{number} {why}" for why, number in sorted(failed.items())])


@dataclass(frozen=True, slots=True)
class Row:
    """The points that have everything else in common.

    Parameters
    ----------
    axes
        What they have in common and others have not.
    best
        Value of the axis with the best median of the valid points; None where there is none.
    test
        How it was compared with each other: ``rank test``, ``intervals``, or empty where nothing could be.
    probability
        Largest of its Mann-Whitney probabilities against the others, after Holm's correction over all pairs
        of all rows.
    differ
        Kruskal-Wallis probability that three points or more have one distribution, corrected over all rows.
    certain
        Whether it is better than each other one, by the test.
    """

    axes: Mapping[str, AxisValue]
    metric: str
    unit: str
    cells: tuple[Cell, ...]
    best: str | None = None
    test: str = ""
    probability: float | None = None
    differ: float | None = None
    certain: bool = False

    @property
    def spread(self) -> float:
        """Return the worst ÷ best median of the valid points; 1 where fewer than two are comparable."""
        found = [one.figure.value for one in self.cells if one.counts and one.figure is not None]
        if len(found) < 2 or min(found) <= 0 <= max(found):  # of values of both signs there is no ratio
            return 1.0
        sizes = [abs(value) for value in found]
        return max(sizes) / min(sizes)

    def cell(self, value: str) -> Cell | None:
        """Return the point with a value of the axis."""
        return next((one for one in self.cells if one.value == value), None)


def rows_by(points: Sequence[PointRuns], axis: str, metric: str | None = None) -> list[Row]:
    """Return the points that differ in an axis, or parameter, alone, side by side.

    Raises
    ------
    CampaignError
        If no two points differ in it, or none has the metric.
    """
    _check(points, axis, metric)
    return [_row(axis, axes, members, metric) for axes, members in _grouped(points, axis)]


def _check(points: Sequence[PointRuns], axis: str, metric: str | None) -> None:
    values = {axis_text(_value(point, axis)) for point in points if _value(point, axis) is not None}
    if len(values) < 2:
        names = {name for point in points for name in (*point.axes, *point.parameters)}
        differing = sorted(n for n in names if len({json.dumps(_value(p, n)) for p in points}) > 1)
        if values:
            what = f"all points have {axis} {values.pop()}"
        else:
            what = f"no point has {axis!r}{near(axis, names)}"
        listed = f"; they differ in {', '.join(differing)}" if differing else ""
        raise CampaignError(f"{what}{listed}")
    measured = {name for point in points for name in point.metrics}
    if metric is not None and metric != TIME and metric not in measured:
        raise CampaignError(
            f"no accepted run has the metric {metric!r}{near(metric, measured)}; "
            f"there are {', '.join(sorted(measured)) or 'none'}, and {TIME}"
        )


def _value(point: PointRuns, axis: str) -> Any:
    return point.axes.get(axis, point.parameters.get(axis))


def axis_text(value: Any) -> str:
    """Return a value of an axis as text; the ledger has all numbers of axes as floating-point ones."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _grouped(points: Sequence[PointRuns], axis: str) -> Iterable[tuple[dict[str, Any], list[PointRuns]]]:
    """Yield the points of each combination of everything else, with what tells it from the others."""
    groups: dict[tuple[Any, ...], list[PointRuns]] = {}
    described: dict[tuple[Any, ...], dict[str, Any]] = {}
    alike: dict[tuple[Any, ...], list[PointRuns]] = {}
    for point in points:
        if _value(point, axis) is None:
            continue
        if axis in point.axes:
            others: dict[str, Any] = {k: v for k, v in point.axes.items() if k != axis}
            key: tuple[Any, ...] = (point.sweep,)
        else:
            others = {k: v for k, v in point.parameters.items() if k != axis}
            others |= {"ranks": point.ranks, "nodes": point.nodes}
            key = (point.workload, None)
        key = (*key, json.dumps(others, sort_keys=True, default=str))
        # Benchmarks with the same parameters, such as fresh and warm ones, have rows of their own.
        copy = sum(_value(one, axis) == _value(point, axis) for one in alike.get(key, ()))
        alike.setdefault(key, []).append(point)
        named = {"benchmark": key[0], "copy": copy + 1} | others
        key = (*key, copy)
        groups.setdefault(key, []).append(point)
        described[key] = named
    names = dict.fromkeys(name for one in described.values() for name in one)
    telling = [
        n for n in names if len({json.dumps(one.get(n), default=str) for one in described.values()}) > 1
    ]
    for key, members in groups.items():
        yield {name: described[key][name] for name in telling if name in described[key]}, members


def _row(axis: str, axes: dict[str, Any], members: Sequence[PointRuns], metric: str | None) -> Row:
    if metric is None:
        timed = [point for point in members if point.seconds]
        metric = DEFAULT if timed and all(DEFAULT in point.metrics for point in timed) else TIME
    cells = tuple(_cell(axis_text(_value(point, axis)), point, metric) for point in members)
    if metric == TIME:
        return Row(axes, metric, members[0].unit, cells)
    units = sorted({point.metrics[metric][0] for point in members if metric in point.metrics})
    if len(units) > 1:
        shown = " and ".join(unit or "no unit" for unit in units)
        what = members[0].sweep or members[0].workload
        raise CampaignError(f"{metric} of {what} is in {shown}, which have no ratio: report it in one unit")
    return Row(axes, metric, next(iter(units), ""), cells)


def _cell(value: str, point: PointRuns, metric: str) -> Cell:
    values = point.seconds if metric == TIME else point.metrics.get(metric, ("", ()))[1]
    figure = median_interval(values) if values else None
    basis = REPEATS if figure is not None and figure.low is not None else ""
    if figure is not None and len(values) == 1:
        low, high = (point.metrics.get(f"{metric}_{end}", ("", ()))[1] for end in ("low", "high"))
        if low and high:
            figure, basis = replace(figure, low=low[0], high=high[0]), RERUNS
    errors = point.metrics.get(ERROR, ("", ()))[1]
    return Cell(
        value, point.benchmark, tuple(values), figure, basis, max(errors, default=None), point.missing
    )
