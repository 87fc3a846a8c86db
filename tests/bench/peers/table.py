"""Rows of figures as a table for the terminal, for a README and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of every row.

    Parameters
    ----------
    title
        With its unit.
    pattern
        Format of a value.
    more_is_better
        Which end wins; None for figures that are no contest.
    """

    title: str
    pattern: str = "{:.1f}"
    more_is_better: bool | None = False


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one peer by column, and the reason why there are none, or not all yet."""

    name: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    ours: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A part's rows under a title."""

    name: str
    title: str
    columns: Mapping[str, Column]
    rows: Sequence[Row]


def best(result: Result, key: str) -> float | None:
    """Return the best figure of a column; None where the column is no contest, or has no figures."""
    values = [value for row in result.rows if (value := row.figures.get(key)) is not None]
    better = result.columns[key].more_is_better
    if not values or better is None:
        return None
    return max(values) if better else min(values)


def cells(result: Result, row: Row, emphasis: str) -> list[str]:
    """Return a row as texts; ours is emphasised where it has the best figure of a column."""
    shown: list[str] = []
    for key, column in result.columns.items():
        value = row.figures.get(key)
        text = "–" if value is None else column.pattern.format(value)
        wins = row.ours and value is not None and value == best(result, key)
        shown.append(emphasis.format(text) if wins else text)
    return shown


def problems(result: Result) -> list[str]:
    """Return a line for each row that lacks figures, with the reason."""
    return [f"{row.name}: {row.problem}" for row in result.rows if row.problem]


def markdown(result: Result) -> str:
    """Return a result as a table of a README."""
    titles = ["", *(column.title for column in result.columns.values())]
    lines = [
        titles,
        ["---"] * len(titles),
        *([row.name, *cells(result, row, "**{}**")] for row in result.rows),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([f"{result.title}\n\n{table}\n", *(f"- {line}\n" for line in problems(result))])


def show(result: Result, console: Console) -> None:
    """Print a result."""
    table = Table(title=escape(result.title), title_justify="left")
    table.add_column("")
    for column in result.columns.values():
        table.add_column(column.title, justify="right")
    for row in result.rows:
        table.add_row(escape(row.name), *cells(result, row, "[bold]{}[/bold]"))
    console.print(table)
    for line in problems(result):
        console.print(f"  {escape(line)}")


def to_json(result: Result) -> dict[str, Any]:
    """Return a result as JSON-ready data."""
    return asdict(result)
