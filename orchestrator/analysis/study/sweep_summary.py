"""Times of a sweep's points, their spread, and how they scale with ranks or nodes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from orchestrator.analysis.base.statistics import Estimate, median_interval

AxisValue = str | float
LEAST_RUNS = 6
"""Below it, lowest and highest run enclose the median with less than 95 %."""
_SCALES = ("ranks", "nodes")


@dataclass(frozen=True, slots=True)
class PointRuns:
    """The runs of a point of a sweep.

    Parameters
    ----------
    sweep, axes
        Name of the sweep, and the value of each axis.
    ranks, nodes
        Of one instance.
    seconds
        FOM times of the accepted ones.
    unit
        Of these times, such as ``s`` or ``s/batch``.
    benchmark, workload, parameters
        Label of the point, its workload, and all parameters of that.
    changed
        Those parameters that are not the workload's defaults.
    data
        Facts of the data that the runs read, such as ``train_rows``.
    missing
        Number of planned instances without a time, by the reason.
    metrics
        Unit and values of each metric of the runs that have it.
    """

    sweep: str
    axes: Mapping[str, AxisValue]
    ranks: int
    nodes: int
    planned: int
    seconds: tuple[float, ...]
    unit: str
    benchmark: str = ""
    workload: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, tuple[str, tuple[float, ...]]] = field(default_factory=dict)

    def measured(self, metric: str) -> tuple[str, tuple[float, ...]]:
        """Return unit and values of ``time``, ``accuracy`` or a metric; no values where no run has it."""
        return (self.unit, self.seconds) if metric == "time" else self.metrics.get(metric, ("", ()))

    @property
    def weak(self) -> bool:
        """True if every rank has as much work at every number of ranks (weak scaling)."""
        given = self.parameters
        if "scaling" in given:
            return bool(given["scaling"] == "weak")
        return given.get("epoch_division") == "each" and given.get("batch_scaling", "none") == "none"


@dataclass(frozen=True, slots=True)
class Summary:
    """Measurements of the runs of a point, or of all points with one value of an axis.

    Parameters
    ----------
    points, planned, runs
        Number of points, of planned instances, and of accepted ones with a time.
    median, low, high
        Median time, and its non-parametric 95 % confidence interval; None where there are too few runs.
    accepted
        Accepted ÷ planned instances.
    speed_up, efficiency
        Median at the fewest ranks (or nodes) ÷ this median, and that ÷ the ratio of their ranks; None where
        the sweep has no such axis, its scaling is weak, or a median is missing.
    flatness
        Median at the fewest ranks (or nodes) ÷ this median where the scaling is weak: 1 is ideal.
    missing
        Number of planned instances without a time, by the reason.
    metrics
        Median of each metric, with its interval.
    """

    sweep: str
    axes: Mapping[str, AxisValue]
    points: int
    planned: int
    runs: int
    unit: str
    median: float | None
    low: float | None
    high: float | None
    accepted: float
    speed_up: float | None = None
    efficiency: float | None = None
    flatness: float | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """Say which runs are missing, and why there is no interval; empty where all is there."""
        few = {0: "no run", 1: "one run"}.get(self.runs, "")
        if not few and self.low is None:
            few = f"no interval below {LEAST_RUNS} runs"
        absent = ", ".join(f"{number} {why}" for why, number in sorted(self.missing.items()))
        return "; ".join(
            one
            for one in (few, absent and f"{sum(self.missing.values())} of {self.planned} missing: {absent}")
            if one
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "sweep": self.sweep,
            "axes": dict(self.axes),
            "points": self.points,
            "planned": self.planned,
            "runs": self.runs,
            "unit": self.unit,
            "median": self.median,
            "interval": None if self.low is None else [self.low, self.high],
            "accepted": self.accepted,
            "speed_up": self.speed_up,
            "efficiency": self.efficiency,
            "flatness": self.flatness,
            "missing": dict(self.missing),
            "note": self.note,
            "metrics": {name: asdict(one) for name, one in self.metrics.items()},
        }


def summaries(points: Sequence[PointRuns], by: str | None = None) -> list[Summary]:
    """Return a summary of each point with its scaling; or, of each sweep, one for each value of an axis.

    Parameters
    ----------
    by
        Axis whose values are compared; runs of points that differ in other axes are taken together.
    """
    groups: dict[tuple[str, Any], list[PointRuns]] = {}
    for place, point in enumerate(points):
        if by is None:
            groups[point.sweep, place] = [point]
        elif by in point.axes:
            groups.setdefault((point.sweep, point.axes[by]), []).append(point)
    found = [_summary(members, by) for members in groups.values()]
    return _scaled(found, points) if by is None else found


def _summary(members: Sequence[PointRuns], by: str | None) -> Summary:
    seconds = [one for member in members for one in member.seconds]
    planned = sum(member.planned for member in members)
    time = median_interval(seconds) if seconds else None
    names = dict.fromkeys(name for member in members for name in member.metrics)
    missing: Counter[str] = Counter()
    for member in members:
        missing.update(member.missing)
    return Summary(
        sweep=members[0].sweep,
        axes=members[0].axes if by is None else {by: members[0].axes[by]},
        points=len(members),
        planned=planned,
        runs=len(seconds),
        unit=members[0].unit,
        median=None if time is None else time.value,
        low=None if time is None else time.low,
        high=None if time is None else time.high,
        accepted=len(seconds) / planned if planned else 0.0,
        missing=missing,
        metrics={
            name: median_interval(
                [one for member in members if name in member.metrics for one in member.metrics[name][1]]
            )
            for name in names
        },
    )


def scaling_axis(points: Sequence[PointRuns]) -> dict[str, str]:
    """Return ``ranks`` or ``nodes`` for each sweep whose points differ in them."""
    sizes: dict[str, dict[str, set[int]]] = {}
    for point in points:
        seen = sizes.setdefault(point.sweep, {name: set() for name in _SCALES})
        for name in _SCALES:
            seen[name].add(getattr(point, name))
    return {
        sweep: varying[0]
        for sweep, seen in sizes.items()
        if (varying := [name for name in _SCALES if len(seen[name]) > 1])
    }


def curve_key(point: PointRuns) -> tuple[Any, ...]:
    """Return what points have in common that differ in their size alone."""
    return point.sweep, *((name, value) for name, value in point.axes.items() if name not in _SCALES)


def _scaled(found: Sequence[Summary], points: Sequence[PointRuns]) -> list[Summary]:
    """Return summaries of single points with their scaling against the fewest ranks or nodes."""
    sizes = scaling_axis(points)
    base: dict[Any, tuple[int, float]] = {}
    largest: dict[Any, int] = {}
    keys = [curve_key(point) for point in points]
    for one, point, key in zip(found, points, keys, strict=True):
        if point.sweep in sizes and one.median:
            size = getattr(point, sizes[point.sweep])
            if key not in base or size < base[key][0]:
                base[key] = (size, one.median)
            largest[key] = max(size, largest.get(key, size))
    scaled = []
    for one, point, key in zip(found, points, keys, strict=True):
        if key not in base or not one.median or largest[key] == base[key][0]:  # nothing to compare it with
            scaled.append(one)
            continue
        size, median = base[key]
        speed_up = median / one.median
        if point.weak:
            scaled.append(replace(one, flatness=speed_up))
        else:
            ratio = getattr(point, sizes[point.sweep]) / size
            scaled.append(replace(one, speed_up=speed_up, efficiency=speed_up / ratio))
    return scaled
