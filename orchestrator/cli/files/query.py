"""The query command: any reading question in SQL."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import LedgerOption
from orchestrator.cli.terminal.tables import print_json, print_table

if TYPE_CHECKING:
    from db.reader import Reader


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


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
    documents; views: accepted (accepted attempts with the names of their instances), counted
    (those that count in verdicts: without superseded instances). Columns that end in _us are
    UTC microseconds.

    Example: orchestrator ledger query "SELECT campaign_name, benchmark, max(fom_seconds)
    FROM counted GROUP BY 1, 2"
    """
    from db.reader import Reader

    with Reader(ledger) as reader, _near_tables():
        columns, rows = reader.query(sql)
        note = _superseded_note(reader, sql)
    if as_json or form is Format.JSON:
        names = _unique_names(columns)
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    elif form is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        print_table(columns, rows)
    if note:
        print(note, file=sys.stderr)


@contextmanager
def _near_tables() -> Iterator[None]:
    """Add the tables that a query could have meant to the error that there is none of that name."""
    from db.errors import LedgerError
    from db.tables import metadata
    from workloads.spelling import near

    try:
        yield
    except LedgerError as error:
        missing = re.search(r'no such table: (\S+)|relation "(\S+)" does not exist', str(error))
        if missing is None:
            raise
        known = sorted([*metadata.tables, "accepted", "counted"])
        hint = near(missing[1] or missing[2], known, f"there are {', '.join(known)}")
        raise LedgerError(f"{error}{hint}") from None


def _superseded_note(reader: Reader, sql: str) -> str:
    """Return a note that a query may count instances that verdicts leave out; empty if it does not."""
    if "superseded" in sql or not re.search(r"\b(accepted|accepted_attempt|done)\b", sql):
        return ""
    number = reader.query("SELECT count(*) FROM events WHERE kind = 'instance_superseded'")[1][0][0]
    if not number:
        return ""
    return (
        f"of this ledger's accepted instances {number:,} are superseded: they missed their accuracy and were "
        "run again; verdicts leave them out, and so does the view counted"
    )


def _unique_names(columns: list[str]) -> list[str]:
    """Return column names without repetition, so that none hides another in an object."""
    seen: dict[str, int] = {}
    names = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names
