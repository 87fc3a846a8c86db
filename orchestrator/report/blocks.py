"""What pages are made of, whatever their format: texts, tables, figures, and texts to copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.report.figures import Drawing


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; one with `folded` rows is opened by its title."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    folded: bool = False

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [
            any(isinstance(row[place], int | float) and not isinstance(row[place], bool) for row in self.rows)
            for place in range(len(self.columns))
        ]


@dataclass(frozen=True, slots=True)
class Code:
    """A text to be read or copied as it is."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its anchor, and what follows."""

    anchor: str
    title: str
    blocks: Sequence[Text | Table | Code | Drawing]


def cell(value: Any) -> str:
    """Return a value as people read it in a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if 1e-4 <= abs(value) < 1e6 or value == 0 else f"{value:.4e}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return str(value)
