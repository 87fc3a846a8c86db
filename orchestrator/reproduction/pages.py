"""A reproduced document as a page, as Markdown, and as CSV files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.analysis.base.line_figure import LineFigure, Series
from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.claims.judging import Judged
from orchestrator.analysis.reproduction.cells import Cell
from orchestrator.analysis.reproduction.regenerated import Regenerated, Table
from orchestrator.host.atomic_files import atomic_write
from orchestrator.report import blocks, rendering, theme
from orchestrator.report.blocks import Section, Text
from orchestrator.report.figures import Drawing
from orchestrator.report.line_figures import line_drawing
from orchestrator.version import __version__
from orchestrator.wording import count_of

CSV_COLUMNS = (
    "row", "column", "unit", "published", "ours", "low", "high", "ratio", "runs", "benchmark", "differs",
    "reason",
)  # fmt: skip
_WIDE = 10.0
"""Ratio of the largest to the least value from which the vertical axis is logarithmic."""
_COLUMNS = ("row", "column", "published", "ours", "95 % interval", "ratio", "unit", "note")


def write(made: Regenerated, folder: Path) -> list[Path]:
    """Write the page, the Markdown with its figures, and a CSV file of each table into a folder.

    Raises
    ------
    OSError
        If the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    title, verdict, facts, sections = (
        made.document,
        (headline(made), "plain"),
        _facts(made),
        list(_sections(made)),
    )
    files = {
        "index.html": rendering.html(f"Reproduction of {title}", verdict, facts, sections),
        "index.md": rendering.markdown(f"Reproduction of {title}", verdict, facts, sections, "."),
        **{f"{slug(table.name)}.csv": csv_text(table) for table in made.tables},
    }
    for section in sections:
        files |= {
            f"{one.name}.svg": theme.alone(one.svg) for one in section.blocks if isinstance(one, Drawing)
        }
    for name, text in files.items():
        atomic_write(folder / name, text)
    return [folder / name for name in files]


def slug(name: str) -> str:
    """Return a name fit for a file and an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def csv_text(table: Table) -> str:
    """Return the cells of a table as CSV, in full precision."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for cell in table.cells:
        ours = cell.ours or Estimate(float("nan"), None, None)
        writer.writerow([
            cell.row, cell.column, cell.unit, cell.published, cell.ours and ours.value, ours.low, ours.high,
            cell.ratio, cell.runs, cell.benchmark, cell.differs, cell.reason,
        ])  # fmt: skip
    return stream.getvalue()


def overview(made: Regenerated) -> list[tuple[str, str, int, int, int]]:
    """Return name, title, and the number of cells of each table: all, measured, and measured as published."""
    return [
        (
            table.name,
            table.title,
            len(table.cells),
            table.measured,
            sum(cell.ours is not None and not cell.differs for cell in table.cells),
        )
        for table in made.tables
    ]


def headline(made: Regenerated) -> str:
    """Return in a line how much of a document was measured."""
    cells = [cell for table in made.tables for cell in table.cells]
    published = sum(cell.published is not None for cell in cells)
    beside = [cell for cell in cells if cell.ratio is not None]
    alike = sum(not cell.differs for cell in beside)
    return (
        f"{len(beside):,} of {count_of(published, 'published number')} measured here, "
        f"{alike:,} with the parameters of the document"
    )


def _facts(made: Regenerated) -> dict[str, str]:
    return {
        "document": made.title,
        "source": made.source,
        "campaigns": ", ".join(made.campaigns) or "none",
        "page": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, version {__version__}",
    }


def _sections(made: Regenerated) -> Iterator[Section]:
    columns = ("table or figure", "title", "cells", "measured", "as published")
    yield Section("overview", "Overview", [blocks.Table("Tables and figures", columns, overview(made))])
    if made.claims:
        yield Section("claims", "Claims of the document", list(_claims(made)))
    for table in made.tables:
        shown: list[Any] = [Text(f"Not measured: {table.absent}.")] if table.absent else []
        if table.cells:
            shown.append(blocks.Table(table.title, _COLUMNS, [row_of(cell) for cell in table.cells]))
        shown += _figures(table)
        yield Section(slug(table.name), f"{table.name}: {table.title}", shown, table.name)


def _claims(made: Regenerated) -> Iterator[Any]:
    counts = Counter(one.stated for one in made.claims)
    yield Text(", ".join(f"{number} {outcome}" for outcome, number in counts.items()).capitalize() + ".")
    rows = [
        (one.stated, one.claim.says, one.claim.source, one.p_if_false, one.p_if_true, _evidence(one))
        for one in made.claims
    ]
    columns = ("outcome", "claim", "place", "p if false", "p if true", "measured, or why not")
    yield blocks.Table("Claims", columns, rows)


def _evidence(one: Judged) -> str:
    differs = one.differs and f"runs with {one.differs}"
    return "; ".join(text for text in (*one.statements, one.reason, differs) if text)


def row_of(cell: Cell) -> list[Any]:
    """Return a cell as a row of a table for people."""
    interval = (
        "" if cell.ours is None or cell.ours.low is None else f"{cell.ours.low:.4g} to {cell.ours.high:.4g}"
    )
    ours = None if cell.ours is None else float(f"{cell.ours.value:.4g}")
    ratio = None if cell.ratio is None else float(f"{cell.ratio:.3g}")
    return [
        cell.row, cell.column or "-", cell.published, ours, interval or "-", ratio, cell.unit,
        cell.reason or cell.differs,
    ]  # fmt: skip


def _figures(table: Table) -> Iterator[Drawing]:
    """Yield a figure for each unit of which a row has several numbers of ours over a numeric axis."""
    units = dict.fromkeys(cell.unit for cell in table.cells)
    for number, unit in enumerate(units, 1):
        series = list(
            _series([cell for cell in table.cells if cell.unit == unit and _is_number(cell.column)])
        )
        if any(len(one.points) > 1 and not one.dashed for one in series):
            title = f"{table.name}, {unit}" if unit else table.name
            labels = (table.over or "ranks", unit or "value")
            values = [estimate.value for one in series for _, estimate in one.points]
            wide = min(values) > 0 and max(values) >= _WIDE * min(values)
            drawn = LineFigure(title, labels, tuple(series), log=wide)
            yield line_drawing(f"{slug(table.name)}-{number}", drawn, "Dashed: published. Full: ours.")


def _series(cells: Sequence[Cell]) -> Iterator[Series]:
    for row in dict.fromkeys(cell.row for cell in cells):
        of_row = [cell for cell in cells if cell.row == row]
        ours = [(float(cell.column), cell.ours) for cell in of_row if cell.ours is not None]
        if not ours:
            continue
        published = [
            (float(cell.column), Estimate(cell.published, None, None))
            for cell in of_row
            if cell.published is not None
        ]
        yield Series(f"{row}, ours", tuple(ours))
        if published:
            yield Series(f"{row}, published", tuple(published), dashed=True)


def _is_number(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False
