"""How points of sweeps are shown to people: one row for a sweep, and a table of its points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import PlannedBenchmark, Stage
from orchestrator.wording import count_of
from sites.quantities import shown

_LISTED_POINTS = 200  # of a sweep


def rows_of(benchmarks: Sequence[PlannedBenchmark]) -> Iterator[tuple[str, list[PlannedBenchmark]]]:
    """Yield a name for a table with what it stands for: a benchmark, or the points of a sweep together."""
    sweeps: dict[str, list[PlannedBenchmark]] = {}
    for one in benchmarks:
        sweeps.setdefault(one.sweep or one.name, []).append(one)
    for name, members in sweeps.items():
        yield (f"{name} ({count_of(len(members), 'point')})" if members[0].sweep else name), members


def span(values: Iterable[float | None]) -> str | None:
    """Return one duration, or the shortest and the longest; None if one is unknown."""
    known = list(dict.fromkeys(values))
    if any(one is None for one in known):
        return None
    durations = [one for one in known if one is not None]
    ends = dict.fromkeys(map(shown, (min(durations), max(durations))))
    return " to ".join(ends)


def show_points(made: Plan) -> None:
    """Print a table for each sweep: its points in the order in which they run, with their slots and cost."""
    found: dict[str, list[tuple[Stage, PlannedBenchmark]]] = {}
    for stage in made.stages:
        for one in stage.benchmarks:
            if one.sweep:
                found.setdefault(one.sweep, []).append((stage, one))
    for sweep, members in found.items():
        axes = list(dict.fromkeys(axis for _, one in members if one.point for axis in one.point.axes))
        say()
        print_table(
            [*axes, "slot", "at once", "instances", "expected", "node-hours"],
            [
                [
                    *(one.point.axes.get(axis) if one.point else None for axis in axes),
                    stage.label,
                    min(stage.width, one.instances),
                    one.instances,
                    shown(one.expected_seconds) if one.expected_seconds else None,
                    _node_hours(stage, one),
                ]
                for stage, one in members[:_LISTED_POINTS]
            ],
            title=f"sweep {sweep}: {count_of(len(members), 'point')} in the order in which they run",
            leave=("at once", "expected", "slot"),
        )
        if (rest := len(members) - _LISTED_POINTS) > 0:
            say(f"and {rest:,} more points; --json lists all")


def _node_hours(stage: Stage, point: PlannedBenchmark) -> str:
    if (hours := stage.node_hours_of(point)) is not None:
        return f"{hours:,.3g}"
    return f"≤ {stage.node_hours_of(point, at_most=True):,.3g}"


def reasons_by_sweep(reasons: Iterable[tuple[PlannedBenchmark, str]]) -> list[str]:
    """Return a line for each benchmark with its reasons; points of a sweep that share theirs make one."""
    counted = Counter((one.sweep, one.sweep or one.name, reason) for one, reason in reasons)
    lines: dict[str, list[str]] = {}
    for (sweep, name, reason), number in counted.items():
        label = f"{name} ({count_of(number, 'point')})" if sweep else name
        lines.setdefault(label, []).append(reason)
    return [f"{label}: {'; '.join(members)}" for label, members in lines.items()]
