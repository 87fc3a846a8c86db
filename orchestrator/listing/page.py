"""The page of a list, and the files that are made with it: all of them follow from rows, log and runtime."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from db.times import utc_seconds
from orchestrator.listing.groups import Placed, figure_of, tables
from orchestrator.listing.log import LOG, Log
from orchestrator.listing.rows import ListedFigure, Row
from orchestrator.listing.runtime import PROJECT, WORKER, project_archive
from orchestrator.report.rendering import environment
from orchestrator.version import __version__
from orchestrator.wording import ALL_DIGITS, count_of, number_words

INDEX, LIST, SCRIPT = "index.html", "list.json", "list.js"
FORMAT = 1
_TEMPLATES = Path(__file__).parent / "templates"
_FIGURES = 4  # of benchmarks, shown in a row


def made_files(rows: Sequence[Row], log: Log, runtime: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files that are made anew with every build, by their names.

    Parameters
    ----------
    rows
        In the order in which they were added.
    runtime
        SHA-256 of the files that a browser recomputes with; none for a list without that.
    """
    files = {INDEX: _index(rows, log, recomputes=bool(runtime)), LIST: _list(rows, log, runtime)}
    files |= {LOG: log.content, SCRIPT: (_TEMPLATES / SCRIPT).read_bytes()}
    if runtime:
        files |= {WORKER: (_TEMPLATES / WORKER).read_bytes(), PROJECT: project_archive()}
    return files


def _list(rows: Sequence[Row], log: Log, runtime: Mapping[str, str]) -> bytes:
    content = {
        "format": FORMAT,
        "version": __version__,
        "log": {"lines": len(log.lines), "root": log.root},
        "pyodide": dict(runtime),
        "rows": [row.to_dict() for row in rows],
    }
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _index(rows: Sequence[Row], log: Log, *, recomputes: bool) -> bytes:
    struck = log.struck()
    facts = {
        "rows": f"{len(rows) - len(struck):,} that count, {len(struck):,} struck out",
        "last change": log.entries[-1].at if log.entries else "none",
        "log": count_of(len(log.lines), "line"),
        "Merkle root of the log": log.root,
        "written and recomputed by": f"orchestrator {__version__}",
    }
    made = environment("orchestrator.listing")
    made.filters |= {"figures": _figures, "sortable": _sortable, "day": _day}
    text = made.get_template("list.html").render(
        facts=facts, tables=tables(rows, struck), recomputes=recomputes, log=log
    )
    return text.encode()


def _figures(row: Row) -> list[str]:
    """Return the figures of a row in words, a line each."""
    shown = [_figure(one) for one in row.figures[:_FIGURES]]
    more = len(row.figures) - len(shown)
    return shown + ([f"and {more} more"] if more else []) or ["none"]


def _figure(one: ListedFigure) -> str:
    number = "-" if one.value is None else number_words(one.value, ALL_DIGITS)
    named = f"{one.name.replace('_', ' ')} {number}{one.unit and f' {one.unit}'}"
    return f"{one.benchmark}: {named}" if one.benchmark else named


def _sortable(placed: Placed) -> str:
    """Return the number by which a row is sorted in its group; empty where it has none."""
    value = figure_of(placed.row)
    return "" if value is None else f"{value:.6g}"


def _day(ended_us: int) -> str:
    return str(utc_seconds(ended_us))[:10]
