"""How often an instance is tried again, and how much more time, memory and disk it gets then."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sites import Duration, Model

_FACTOR = re.compile(r"x *([0-9]{1,4}(?:\.[0-9]{1,4})?)")


def _factor(value: object) -> float:
    """Return the number of a text such as ``x2``."""
    number = value
    if isinstance(value, str) and (found := _FACTOR.fullmatch(value.strip())):
        number = float(found[1])
    if isinstance(number, float) and 1 < number < math.inf:
        return number
    raise ValueError(f"must be a factor above 1, such as x2 or x1.5, not {value!r}")


Factor = Annotated[
    float,
    BeforeValidator(_factor),
    WithJsonSchema({"type": "string", "pattern": r"^x *[0-9]{1,4}(\.[0-9]{1,4})?$", "examples": ["x2"]}),
]


class Retries(Model):
    """How often an instance is tried again."""

    benchmark: int = Field(
        1, ge=0, description="After failures of the benchmark itself: crash, NaN, timeout."
    )
    infrastructure: int = Field(
        5, ge=0, description="After losses that are not its fault: dead worker or node."
    )
    walltime: Factor | None = Field(
        None,
        description="After each timeout of an instance, the timeout of its next attempt is this many times "
        "as long, such as x2.",
    )
    up_to: Duration | None = Field(None, description="Longest timeout by `walltime`.")
    memory: Factor | None = Field(
        None,
        description="After each end out of memory of an instance, the slot of its next attempt has this many "
        "times the memory, such as x1.5, on a pool where such a slot fits.",
    )
    disk: Factor | None = Field(
        None,
        description="After each end of an instance for lack of its node's own disk, the slot of its next "
        "attempt has this many times the share of a node's disk, such as x2: fewer instances share the node.",
    )

    @model_validator(mode="after")
    def _has_retries(self) -> Retries:
        if self.walltime is None and self.up_to is not None:
            raise ValueError(
                "up_to is the longest timeout by walltime; write walltime, such as x2, or no up_to"
            )
        for key in self.raised if not self.benchmark else ():
            raise ValueError(f"{key} is for retries, and benchmark is 0: write benchmark: 1, or no {key}")
        return self

    @property
    def raised(self) -> list[str]:
        """Keys of the limits that retries raise."""
        return [key for key in ("walltime", "memory", "disk") if getattr(self, key) is not None]

    @property
    def enlarged(self) -> list[str]:
        """Keys of the resources of which slots of retries have more."""
        return [key for key in self.raised if key != "walltime"]

    def timeout(self, seconds: float, timeouts: int) -> float:
        """Return the timeout of an attempt in seconds.

        Parameters
        ----------
        timeouts
            How many attempts of the instance ended at their timeout; more than `benchmark` count as many.
        """
        if self.walltime is None or not timeouts:
            return seconds
        longer = seconds * self.walltime ** min(timeouts, self.benchmark)
        return longer if self.up_to is None else max(seconds, min(longer, self.up_to))

    def longest(self, seconds: float) -> float:
        """Return the longest timeout of an attempt in seconds, from the benchmark's own."""
        return self.timeout(seconds, self.benchmark)

    def problems(self, name: str, seconds: float, fixed: str) -> Iterator[str]:
        """Yield why attempts of a benchmark cannot get longer, or more memory or disk.

        Parameters
        ----------
        fixed
            Why the campaign's rulebook fixes the runs; empty where it does not.
        """
        for key in self.raised if fixed else ():
            yield f"retries.{key}: {fixed}; write no {key}, or `rulebook: none`"
        if self.up_to is not None and self.up_to <= seconds:
            yield (
                f"retries.up_to ({self.up_to:g} s) is not above the timeout of benchmark {name} "
                f"({seconds:g} s): no retry would get longer; write a longer up_to"
            )
