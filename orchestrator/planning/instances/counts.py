"""How many instances a benchmark of a campaign file has: a number, or as many as the site has slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

_FILL = re.compile(r"fill(?: *x *([1-9][0-9]{0,5}))?")
_FILL_PATTERN = "^fill( *x *[1-9][0-9]{0,5})?$"


@dataclass(frozen=True, slots=True)
class Fill:
    """As many instances as run at once on the site, or a multiple of that."""

    multiple: int = 1

    def instances(self, width: int) -> int:
        """Return the number for a site that runs `width` instances at once."""
        return self.multiple * width


def _instance_count(value: object) -> int | Fill:
    if isinstance(value, str) and (fill := _FILL.fullmatch(value.strip())):
        return Fill(int(fill[1] or 1))
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]+\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        given = ", and nothing is written there" if value is None else f", not {value!r}"
        raise ValueError(  # noqa: TRY004  pydantic reports it with its place
            f"must be a whole number{given}; `fill` takes as many as the site has slots"
        )
    if value < 1:
        raise ValueError(f"must be at least 1, not {value}")
    return value


InstanceCount = Annotated[
    int | Fill,
    PlainValidator(_instance_count),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": _FILL_PATTERN}]}
    ),
]
