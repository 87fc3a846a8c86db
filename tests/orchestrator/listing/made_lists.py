"""Rows as packages would give them, and packages of simulated campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.listing.building import Built, Wanted, build
from orchestrator.listing.log import Action, Entry, Log
from orchestrator.listing.rows import ListedFigure, Row

NOW_US = 1_795_000_000_000_000
AT = "2026-11-28T01:02:03Z"

ROW = Row(
    root="a" * 64,
    campaigns=("toy",),
    uids=("u1",),
    rulebook="coral2",
    rulebook_version="1.0.0",
    rulebook_files="b" * 64,
    run_class="base",
    workloads=("p1b1",),
    verdict="overall figure of merit 2, reportable by rulebook coral2",
    kind="good",
    reportable=True,
    figures=(ListedFigure("", "fom", 2.0, ""),),
    declared=(),
    modifications=(),
    machine="here",
    ended_us=NOW_US,
    data={"p1b1": "c" * 64},
    signature="",
    bytes=1 << 20,
)


def row(number: int, value: float | None = 2.0, **changes: Any) -> Row:
    """Return a row of another package, of another campaign."""
    figures = (ListedFigure("", "fom", value, ""),)
    given = {"root": f"{number:064x}", "uids": (f"u{number}",), "figures": figures} | changes
    return replace(ROW, **given)


def log_of(*roots: str) -> Log:
    return Log().continued(Entry(AT, Action.ADDED, root) for root in roots)


def built(folder: Path, site: Path, **wanted: Any) -> Built:
    return build(folder, site, Wanted(**wanted), now_us=NOW_US)


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
