"""Blocks of which pages are made, whatever their format: texts, tables, figures, and texts to copy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from orchestrator.wording import FEW_DIGITS, number_words

if TYPE_CHECKING:
    from orchestrator.report.figures import Drawing


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A cell of a table that leads to another page."""

    text: str
    address: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Bar:
    """A cell of a table that draws parts of a whole: names of classes of the style, and numbers."""

    total: int
    parts: Mapping[str, int]

    def __str__(self) -> str:
        return ", ".join(f"{number:,} {name}" for name, number in self.parts.items()) + f" of {self.total:,}"

    @property
    def pieces(self) -> list[tuple[str, float, float]]:
        """Name, begin and width of each part, in %."""
        shares = [100 * number / max(self.total, 1) for number in self.parts.values()]
        begins = accumulate(shares, initial=0.0)
        return list(zip(self.parts, begins, shares, strict=False))


@dataclass(frozen=True, slots=True)
class Opened:
    """A cell of a table that shows a sign and opens a text; `kind` is a class of the style.

    A page that opens nothing shows the sign.
    """

    sign: str
    kind: str
    text: str

    def __str__(self) -> str:
        return self.sign


@dataclass(frozen=True, slots=True)
class Task:
    """An entry of a checklist: its name, the benchmarks concerned, the demand, and what was found."""

    name: str
    benchmarks: Sequence[str]
    demand: str
    found: Sequence[str]


@dataclass(frozen=True, slots=True)
class Checklist:
    """A list of things to do."""

    title: str
    tasks: Sequence[Task]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; a `folded` table is opened by its title."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    folded: bool = False

    @property
    def numeric(self) -> list[bool]:
        """True for each column that holds numbers."""
        return [
            any(isinstance(row[place], int | float) and not isinstance(row[place], bool) for row in self.rows)
            for place in range(len(self.columns))
        ]


@dataclass(frozen=True, slots=True)
class Code:
    """A text to be read or copied as it is."""

    title: str
    text: str
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its anchor, and what follows; `short` is its title in the list of sections."""

    anchor: str
    title: str
    blocks: Sequence[Text | Table | Checklist | Code | Drawing]
    short: str = ""


def cell(value: Any, digits: int = FEW_DIGITS) -> str:
    """Return a value as people read it in a table.

    Parameters
    ----------
    digits
        Significant digits of numbers with a fraction.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number_words(value, digits)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return str(value)
