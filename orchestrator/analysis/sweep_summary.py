"""What a sweep measured: times of each point, their spread, and how they scale with ranks or nodes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.analysis.statistics import median_interval

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
    planned
        Number of planned instances.
    seconds
        FOM times of the accepted ones.
    unit
        Of these times, such as ``s`` or ``s/batch``.
    """

    sweep: str
    axes: Mapping[str, AxisValue]
    ranks: int
    nodes: int
    planned: int
    seconds: tuple[float, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What the runs of a point, or of all points with one value of an axis, measured.

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
        the sweep has no such axis, or a median is missing.
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

    @property
    def note(self) -> str:
        """Say why a figure is missing; empty where none is."""
        if self.runs == 0:
            return "no run"
        if self.runs == 1:
            return "one run"
        return f"no interval below {LEAST_RUNS} runs" if self.low is None else ""

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
            "note": self.note,
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
    measured = median_interval(seconds) if seconds else None
    return Summary(
        sweep=members[0].sweep,
        axes=members[0].axes if by is None else {by: members[0].axes[by]},
        points=len(members),
        planned=planned,
        runs=len(seconds),
        unit=members[0].unit,
        median=measured.value if measured else None,
        low=measured.low if measured else None,
        high=measured.high if measured else None,
        accepted=len(seconds) / planned,
    )


def _scaled(found: Sequence[Summary], points: Sequence[PointRuns]) -> list[Summary]:
    """Return summaries of single points with speed-up and efficiency against the fewest ranks or nodes."""
    sizes: dict[str, str] = {}
    for sweep in {one.sweep for one in points}:
        members = [one for one in points if one.sweep == sweep]
        varying = [name for name in _SCALES if len({getattr(one, name) for one in members}) > 1]
        if varying:
            sizes[sweep] = varying[0]
    base: dict[Any, tuple[int, float]] = {}
    keys = [_key(point) for point in points]
    for one, point, key in zip(found, points, keys, strict=True):
        if point.sweep in sizes and one.median:
            size = getattr(point, sizes[point.sweep])
            if key not in base or size < base[key][0]:
                base[key] = (size, one.median)
    scaled = []
    for one, point, key in zip(found, points, keys, strict=True):
        if key in base and one.median:
            size, median = base[key]
            speed_up = median / one.median
            ratio = getattr(point, sizes[point.sweep]) / size
            scaled.append(replace(one, speed_up=speed_up, efficiency=speed_up / ratio))
        else:
            scaled.append(one)
    return scaled


def _key(point: PointRuns) -> tuple[Any, ...]:
    """Return what points have in common that differ in their size alone."""
    return point.sweep, *((name, value) for name, value in point.axes.items() if name not in _SCALES)
