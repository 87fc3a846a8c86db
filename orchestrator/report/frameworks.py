"""The part of a report that puts frameworks side by side: what is invalid, what is fastest, how far off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from orchestrator.report import figures
from orchestrator.report.blocks import Table, Text

if TYPE_CHECKING:
    from orchestrator.analysis.comparison.axis_comparison import AxisComparison
    from orchestrator.analysis.comparison.axis_rows import Row

_ROW_AXES = ("operator", "network", "optimizer", "benchmark")
_PRECISION = "precision"
_MOST_ROWS = 40
_UNFOLDED = 50


def framework_blocks(found: AxisComparison) -> Iterator[Any]:
    """Yield the blocks of the section, what fails first."""
    if found.failing:
        yield Table(
            "Out of bound, or with failed instances",
            ["point", found.axis, "what fails"],
            [[cell.benchmark, cell.value, cell.failures] for cell in found.failing],
            folded=len(found.failing) > _UNFOLDED,
        )
    yield Table(
        f"Which {found.axis} is best in {found.metric}",
        [found.axis, "points", "invalid", "failed", "best", "certainly best", "median ratio to the best"],
        [
            [one.value, one.points, one.invalid, one.failed, one.best, one.certain, one.ratio]
            for one in found.tallies
        ],
    )
    for note in found.notes:
        yield Text(f"{note[0].upper()}{note[1:]}.")
    rows, columns, errors = error_matrix(found)
    if np.isfinite(errors).any():
        yield figures.error_heatmap(rows, columns, errors)
    axes = list(dict.fromkeys(name for row in found.rows for name in row.axes))
    yield Table(
        "Best of each point, largest differences first",
        [*axes, "best", "median", "low", "high", "unit", "certain", "worst ÷ best", "p"],
        [_best(row, axes) for row in sorted(found.rows, key=lambda row: -row.spread)],
        folded=len(found.rows) > _UNFOLDED,
    )


def _best(row: Row, axes: list[str]) -> list[Any]:
    cell = row.cell(row.best) if row.best is not None else None
    figure = cell.figure if cell is not None else None
    return [
        *(row.axes.get(name) for name in axes),
        row.best,
        *((figure.value, figure.low, figure.high) if figure is not None else (None, None, None)),
        row.unit,
        row.certain,
        row.spread if row.spread != 1 else None,
        row.probability,
    ]


def error_matrix(found: AxisComparison) -> tuple[list[str], list[str], Any]:
    """Return largest `error_over_bound` by operator, and by framework and precision; NaN where none is known.

    Rows with the largest errors are first, 40 at most.
    """
    errors: dict[str, dict[str, float]] = {}
    columns: dict[str, None] = {}
    for row in found.rows:
        others = [axis for axis in row.axes if axis != _PRECISION]
        name = next((axis for axis in (*_ROW_AXES, *others) if axis in row.axes), None)
        label = "all" if name is None else str(row.axes[name])
        for cell in row.cells:
            column = " ".join([cell.value, *([str(row.axes[_PRECISION])] if _PRECISION in row.axes else [])])
            columns[column] = None
            if cell.error is not None:
                known = errors.setdefault(label, {})
                known[column] = max(cell.error, known.get(column, 0.0))
    ranked = sorted(errors, key=lambda label: -max(errors[label].values()))[:_MOST_ROWS]
    ordered = sorted(columns)
    matrix = [[errors[label].get(column, np.nan) for column in ordered] for label in ranked]
    return ranked, ordered, np.array(matrix, dtype=np.float64).reshape(len(ranked), len(ordered))
