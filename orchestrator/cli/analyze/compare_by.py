"""`analyze compare --by`: the points of a campaign side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.analysis.comparison.axis_comparison import AxisComparison
    from orchestrator.analysis.comparison.axis_rows import Cell, Row
    from orchestrator.analysis.comparison.certain_differences import CertainDifferences

_BEST, _CERTAIN, _INVALID = "*", "**", "!"


def compared_by(
    reader: Reader,
    name: str,
    axis: str,
    metric: str | None,
    benchmark: str | None,
    asked: tuple[float, float] | None,
) -> tuple[AxisComparison, CertainDifferences | None]:
    """Return the points of a campaign side by side, and where it is asked for, which certainly differ.

    Parameters
    ----------
    asked
        Least difference that matters, and the probability of any wrong decision.
    """
    from orchestrator.analysis.comparison.axis_comparison import compare_by
    from orchestrator.analysis.comparison.certain_differences import certain_differences
    from orchestrator.analysis.study.sweep_runs import runs_of_points

    campaign = reader.campaign(name).campaign_id
    chosen = (
        [one.benchmark for one in reader.benchmarks(campaign)]
        if benchmark is None
        else reader.select_benchmarks(campaign, benchmark)
    )
    found = compare_by(runs_of_points(reader, campaign, chosen), axis, metric)
    if asked is None:
        return found, None
    difference, error = asked
    return found, certain_differences(reader, campaign, axis, found.rows, difference=difference, error=error)


def print_certain(found: CertainDifferences, top: int) -> None:
    """Print which points certainly differ, and how far the others are from a decision."""
    from orchestrator.analysis.comparison.axis_rows import axis_text

    say(f"\nfor differences of at least {100 * found.difference:g} %, at every look:")
    for row in found.rows[:top]:
        if row.axes:
            say(", ".join(f"{name} {axis_text(value)}" for name, value in row.axes.items()))
        for sentence in row.sentences:
            say(f"  {sentence}")
    if (rest := len(found.rows) - top) > 0:
        say(f"and {count_of(rest, 'more row')}; --top {len(found.rows)} prints all")
    for note in found.notes:
        say(note)


def print_comparison(found: AxisComparison, top: int) -> None:
    """Print what fails, how often each value of the axis is best, and the rows where they differ most."""
    _print_failing(found, top)
    print_table(
        [found.axis, "points", "invalid", "failed", "best", "certainly best", "median ratio to the best"],
        [
            [one.value, one.points, one.invalid, one.failed, one.best, one.certain, one.ratio]
            for one in found.tallies
        ],
        title=f"{found.metric} of {count_of(len(found.rows), 'row')} of points, {_direction(found)}",
    )
    for note in found.notes:
        say(note)
    say()
    rows = sorted(found.rows, key=lambda row: -row.spread)
    axes = list(dict.fromkeys(name for row in rows for name in row.axes))
    print_table(
        [*axes, *found.values, "unit", "ratio", "p"],
        [
            [
                *(row.axes.get(name) for name in axes),
                *(_shown(row, row.cell(value)) for value in found.values),
                row.unit,
                row.spread if row.spread != 1 else None,
                None if row.probability is None else f"{row.probability:.2g}",
            ]
            for row in rows[:top]
        ],
        title=f"medians with 95 % intervals, largest differences first; {_BEST} best, {_CERTAIN} certainly, "
        f"{_INVALID} invalid",
    )
    if (rest := len(rows) - top) > 0:
        say(f"and {count_of(rest, 'more row')}; --top {len(rows)} prints all")


def _print_failing(found: AxisComparison, top: int) -> None:
    if not found.failing:
        return
    print_table(
        ["point", found.axis, "what fails"],
        [[cell.benchmark, cell.value, cell.failures] for cell in found.failing[:top]],
        title=f"{count_of(len(found.failing), 'point')} out of bound or with failed instances",
    )
    if (rest := len(found.failing) - top) > 0:
        say(f"and {rest:,} more")
    say()


def _direction(found: AxisComparison) -> str:
    return "neither direction is better" if found.better == "none" else f"{found.better} is better"


def _shown(row: Row, cell: Cell | None) -> Any:
    """Return median, interval, number of runs and mark of a point."""
    if cell is None or cell.figure is None:
        return None
    figure, known = cell.figure, []
    if figure.low is not None and figure.high is not None:
        known.append(f"{figure.low:.4g} to {figure.high:.4g}")
    if len(cell.values) > 1:
        known.append(count_of(len(cell.values), "run"))
    text = f"{figure.value:.4g} ({'; '.join(known)})" if known else f"{figure.value:.4g}"
    if cell.invalid:
        return f"{text} {_INVALID}"
    if cell.value != row.best:
        return text
    return f"{text} {_CERTAIN if row.certain else _BEST}"
