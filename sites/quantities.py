"""Quantities as people write them: ``90 s``, ``1 h 30 min``, ``02:00:00``; ``4 GiB``; ``3 %``."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import BeforeValidator, ByteSize, TypeAdapter, ValidationError, WithJsonSchema

_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_SIZES = TypeAdapter(ByteSize)
_SMALLEST = 2**20
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})")


def seconds(value: object) -> float:
    """Return a duration in seconds from a number of seconds or a text.

    Raises
    ------
    ValueError
        If it is neither, or not above zero.
    """
    try:
        found = _seconds(value)
    except (OverflowError, ValueError):  # more digits than a number may have
        found = None
    if found is None or not math.isfinite(found) or found <= 0:
        raise ValueError(f"must be a number of seconds or a text like '10 min' or '02:00:00', not {value!r}")
    return found


def _seconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, rest = (int(part or 0) for part in clock.groups())
        return float(hours * 3600 + minutes * 60 + rest)
    parts = _PART.findall(text)
    units = [unit.removesuffix("s") if len(unit) > 1 else unit for _, unit in parts]
    if not parts or _PART.sub("", text).strip() or any(unit not in _UNITS for unit in units):
        return None
    return sum(float(number) * _UNITS[unit] for (number, _), unit in zip(parts, units, strict=True))


def memory_bytes(value: object) -> int:
    """Return a memory size in bytes from a text with a unit: GiB counts in 1024s, GB in 1000s.

    Raises
    ------
    ValueError
        If it is none, or below 1 MiB, which is a forgotten unit.
    """
    try:
        found = 0 if isinstance(value, bool) else int(_SIZES.validate_python(value))
    except (ValidationError, OverflowError):
        found = 0
    if found < _SMALLEST:
        raise ValueError(f"memory is a text with a unit, such as 4 GiB, and at least 1 MiB, not {value!r}")
    return found


def share(value: object) -> float:
    """Return the share that a text such as ``3 %`` or a number such as 0.03 states.

    Raises
    ------
    ValueError
        If it is neither, or not above zero.
    """
    text = value.strip() if isinstance(value, str) else value
    try:
        if isinstance(text, str):
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        else:
            number = float(text) if isinstance(text, int | float) and not isinstance(text, bool) else 0.0
    except (OverflowError, ValueError):
        number = 0.0
    if not 0 < number < math.inf:
        raise ValueError(f"must be a share above 0, such as 3 % or 0.03, not {value!r}")
    return number


def shown(duration: float) -> str:
    """Return seconds as short text for people, e.g. ``1 h 02 min`` or ``4.2 s``."""
    if duration < 60:
        return f"{duration:.1f} s" if duration < 10 else f"{duration:.0f} s"
    minutes, rest = divmod(round(duration), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


Duration = Annotated[
    float,
    BeforeValidator(seconds),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "examples": ["1 h 30 min"]}]}
    ),
]
Memory = Annotated[
    int,
    BeforeValidator(memory_bytes),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "examples": ["4 GiB"]}]}),
]
Share = Annotated[
    float,
    BeforeValidator(share),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "examples": ["3 %"]}]}
    ),
]
