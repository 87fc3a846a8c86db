"""Runs of sweeps that were made as a document describes, the closest first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.analysis.study.published import Published, differences
from orchestrator.analysis.study.sweep_summary import PointRuns


def closest_runs(
    wanted: Published,
    points: Sequence[PointRuns],
    sizes: Mapping[str, Mapping[str, int]],
    over: Sequence[str] = (),
) -> list[tuple[PointRuns, tuple[str, ...]]]:
    """Return the points that were run as wanted, and how they differ from it, the closest first.

    The closest is of a sweep over the wanted conditions, and differs in the fewest parameters.
    """
    found = [
        (point, differences(wanted, sizes.get(wanted.workload, {}), point))
        for point in points
        if wanted.describes(point)
    ]
    names = (*wanted.where, *over)
    return sorted(found, key=lambda one: (sum(name not in one[0].axes for name in names), len(one[1])))


def axis_text(point: PointRuns, axis: str) -> str:
    """Return the value of an axis or a parameter at a point, as text."""
    given = {**point.parameters, **point.axes, "ranks": point.ranks, "nodes": point.nodes}
    value = given.get(axis, "")
    return f"{value:g}" if isinstance(value, float) else str(value)


def by_number(place: str) -> tuple[float, str]:
    """Return what sorts numbers by their value, and texts after them."""
    try:
        return float(place), ""
    except ValueError:
        return float("inf"), place
