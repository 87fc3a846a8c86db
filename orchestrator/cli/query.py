"""The query command: any reading question in SQL."""

from __future__ import annotations

import csv
import sys
from enum import StrEnum
from typing import Annotated

import typer

from orchestrator.cli.options import LedgerOption
from orchestrator.cli.tables import print_json, print_table


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(rich_help_panel="Look")(query)


def query(
    sql: Annotated[
        str, typer.Argument(help="One SELECT statement; the ledger is opened read-only.", metavar="SQL")
    ],
    ledger: LedgerOption = None,
    form: Annotated[Format, typer.Option("--format", help="How rows are printed.")] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
) -> None:
    """Ask the ledger anything.

    Tables: campaigns, sessions, benchmarks, instances, attempts, metrics, events, blocks,
    documents; view: accepted (accepted attempts with the names of their instances). Columns
    that end in _us are UTC microseconds.

    Example: orchestrator query "SELECT campaign_name, benchmark, max(fom_seconds)
    FROM accepted GROUP BY 1, 2"
    """
    from db.reader import Reader

    with Reader(ledger) as reader:
        columns, rows = reader.query(sql)
    if as_json or form is Format.JSON:
        names = _unique_names(columns)
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    elif form is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        print_table(columns, rows)


def _unique_names(columns: list[str]) -> list[str]:
    """Return column names without repetition, so that none hides another in an object."""
    seen: dict[str, int] = {}
    names = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names
