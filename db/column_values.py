"""Values as every database accepts them: texts, JSON, finite numbers, times."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from dataclasses import dataclass
from typing import Any

from db.columns import ColumnFacts


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Values that a column accepts on every database: texts, floats, or integers below a limit."""

    type: type
    limit: int

    @classmethod
    def of(cls, column: ColumnFacts) -> ColumnType:
        """Return the type of a column."""
        return cls(column.type, 2**63 if column.wide else 2**31)

    def coerce(self, name: str, value: Any, rejected: dict[str, Any]) -> Any:
        """Return a value in the column's type, or None; a value that does not fit goes into `rejected`."""
        kind = type(value)
        if kind is self.type and (  # nearly always true; the rest takes four times as long
            (kind is str and value.isascii() and "\0" not in value)
            or (kind is int and -self.limit <= value < self.limit)
            or (kind is float and math.isfinite(value))
        ):
            return value
        stored = to_column_value(value)
        if stored is None:
            return None
        if self.type is int and isinstance(stored, int) and -self.limit <= stored < self.limit:
            return int(stored)
        if self.type is float and isinstance(stored, int | float):
            with contextlib.suppress(OverflowError):  # an integer beyond any float
                return float(stored)
        if self.type is str and isinstance(stored, str):
            return stored
        rejected[name] = value
        return None


def valid_time(at_us: int) -> int:
    """Return a time in UTC microseconds; a number that cannot be a time becomes the present."""
    return at_us if 0 <= at_us < 2**63 else now_us()


def to_column_value(value: Any) -> Any:
    """Return a value that every database accepts: collections as JSON, NaN and infinity as None."""
    if isinstance(value, str):
        return sanitize_text(value)
    if isinstance(value, dict | list | tuple):
        return sanitize_text(to_json(value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def sanitize_text(value: str) -> str:
    """Return a text that every database accepts: zero bytes and lone surrogates are escaped."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def sanitize_name(value: str) -> str:
    """Return a name or unit as one line: what is not printable is escaped."""
    if value.isprintable():
        return sanitize_text(value)
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in value)


to_json = json.JSONEncoder(sort_keys=True).encode
"""Return content as JSON text; equal contents have equal texts."""


def sha256(content: str) -> str:
    """Return the hexadecimal SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def now_us() -> int:
    """Return this host's clock: microseconds since the Unix epoch, UTC."""
    return time.time_ns() // 1000
