"""Tables and JSON that commands share."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from orchestrator.report.blocks import cell
from orchestrator.wording import printable

_NARROWEST = 16  # characters that a column of text keeps on a narrow terminal


def print_json(content: Any) -> None:
    """Print strict JSON: what is not a finite number is null."""
    print(json.dumps(_plain(content), indent=2, allow_nan=False))


def print_json_line(content: Any) -> None:
    """Print strict JSON as one line, at once: for programs that read while this one goes on."""
    print(json.dumps(_plain(content), allow_nan=False), flush=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Print a table; numbers to the right. Only a terminal's width folds its cells."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    given = [list(row) for row in rows]
    texts = [[printable(cell(value)) for value in row] for row in given]
    width = Console().width if sys.stdout.isatty() else sys.maxsize
    if (plain := _plain_table(columns, given, texts, width)) is not None:
        console = Console(width=sys.maxsize)
        if title:
            console.print(Text(title, style="italic"), soft_wrap=True)
        console.print(Text(plain[0], style="bold"), soft_wrap=True)
        print("".join(f"{line}\n" for line in plain[1:]), end="")
        return
    listed = [[Text(value) for value in row] for row in texts]
    table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for position, column in enumerate(columns):
        numeric = any(isinstance(row[position], int | float) for row in given)
        widest = max([cell_len(column), *(row[position].cell_len for row in listed)])
        table.add_column(
            column,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=numeric,  # a number folded over two lines reads as another number
            min_width=min(widest, _NARROWEST),
        )
    for cells in listed:
        table.add_row(*cells)
    console = Console(width=sys.maxsize)
    if sys.stdout.isatty():  # and not what a variable says: pipes that take colours have no width
        console = Console(width=max(Console().width, console.measure(table).minimum))
    if title:
        console.print(Text(title, style="italic"), soft_wrap=True)
    console.print(table, crop=False)


def _plain_table(
    columns: Sequence[str], given: Sequence[Sequence[Any]], texts: Sequence[Sequence[str]], most: int
) -> list[str] | None:
    """Return the lines of a table that needs no folding, in a hundredth of Rich's time; else None."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(columns, *texts, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) > most:
        return None
    numeric = [
        any(isinstance(row[position], int | float) for row in given) for position in range(len(columns))
    ]
    return [
        "  ".join(
            " " * (width - cell_len(text)) + text if right else text + " " * (width - cell_len(text))
            for text, width, right in zip(row, widths, numeric, strict=True)
        )
        for row in [columns, *texts]
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int) or value is None:
        return value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)


def rate_words(per_minute: float) -> str:
    """Return a rate with its unit."""
    return f"{per_minute:,.0f} instances/min" if per_minute >= 100 else f"{per_minute:.2g} instances/min"
