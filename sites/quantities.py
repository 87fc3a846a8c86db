"""Quantities as people write them: ``90 s``, ``1 h 30 min``, ``02:00:00``; ``4 GiB``; ``3 %``."""

from __future__ import annotations

import math
import re
from typing import Annotated, Self

from pydantic import (
    BeforeValidator,
    ByteSize,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)

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
_UP_TO = ".."
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
        raise ValueError(f"must be a text with a unit, such as 4 GiB, and at least 1 MiB, not {value!r}")
    return found


def share(value: object) -> float:
    """Return the share that a text such as ``3 %`` or a number such as 0.03 states.

    Raises
    ------
    ValueError
        If it is neither, or not above zero, or a number of 1 or more without a percent sign.
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
    if number >= 1 and not str(text).endswith("%"):
        written = f"{text} % or {number / 100:g}"
        raise ValueError(f"must be a share, and {value} would be {100 * number:g} %: write {written}")
    return number


class _Ends:
    """Ends of a range; the object itself is the largest number."""

    least: float

    @property
    def varies(self) -> bool:
        """True if the range has more than one number."""
        return isinstance(self, float | int) and self.least != float(self)

    def __eq__(self, other: object) -> bool:
        """Compare both ends; a number is a range of itself."""
        if not isinstance(self, float | int) or not isinstance(other, float | int):
            return NotImplemented
        return (float(self), self.least) == (float(other), getattr(other, "least", other))

    def __ne__(self, other: object) -> bool:
        """Compare both ends; numbers have a method of their own, which compares the largest."""
        return not self == other

    def __hash__(self) -> int:
        """Hash as the largest number does."""
        return hash(float(self)) if isinstance(self, float | int) else 0


class DurationRange(_Ends, float):
    """Durations from `least` to the number itself, in seconds.

    Parameters
    ----------
    least
        The shortest; by default the longest.
    """

    def __new__(cls, most: float, least: float | None = None) -> Self:
        """Make a range."""
        made = super().__new__(cls, most)
        made.least = float(most if least is None else least)
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[float, float]]:
        """Return how it is made anew from a pickle."""
        return type(self), (float(self), self.least)

    @property
    def written(self) -> float | str:
        """As a file has it."""
        return f"{self.least!r} s..{float(self)!r} s" if self.varies else float(self)


class CountRange(_Ends, int):
    """Counts from `least` to the number itself.

    Parameters
    ----------
    least
        The smallest; by default the largest.
    """

    least: int

    def __new__(cls, most: int, least: int | None = None) -> Self:
        """Make a range."""
        made = super().__new__(cls, most)
        made.least = int(most if least is None else least)
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[int, int]]:
        """Return how it is made anew from a pickle."""
        return type(self), (int(self), self.least)

    @property
    def written(self) -> int | str:
        """As a file has it."""
        return f"{self.least}..{int(self)}" if self.varies else int(self)


def duration_range(value: object) -> DurationRange:
    """Return a duration, or a range such as ``30 min..12 h``; raises `ValueError`."""
    if isinstance(value, DurationRange):
        return value
    if not isinstance(value, str) or _UP_TO not in value:
        return DurationRange(seconds(value))
    try:
        least, most = map(seconds, value.split(_UP_TO, 1))
    except ValueError:
        raise ValueError(f"must be a duration, or a range such as 30 min..12 h, not {value!r}") from None
    if least > most:
        raise ValueError(f"must name the shorter time first, such as 30 min..12 h, not {value!r}")
    return DurationRange(most, least)


def count_range(value: object) -> CountRange:
    """Return a whole number from 1, or a range such as ``4..64``; raises `ValueError`."""
    if isinstance(value, CountRange):
        return value
    parts = value.split(_UP_TO, 1) if isinstance(value, str) else [value]
    numbers = [_count(part) for part in parts]
    least, most = numbers[0], numbers[-1]
    if least is None or most is None:
        raise ValueError(f"must be a whole number from 1, or a range such as 4..64, not {value!r}")
    if least > most:
        raise ValueError(f"must name the smaller number first, such as 4..64, not {value!r}")
    return CountRange(most, least)


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 10:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


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
Durations = Annotated[
    DurationRange,
    PlainValidator(duration_range),
    PlainSerializer(lambda value: duration_range(value).written),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "examples": ["2 h", "30 min..12 h"]},
            ]
        }
    ),
]
"""A duration, or a range of them."""
Counts = Annotated[
    CountRange,
    PlainValidator(count_range),
    PlainSerializer(lambda value: count_range(value).written),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^\d+\.\.\d+$"}]}
    ),
]
"""A whole number from 1, or a range of them."""
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
