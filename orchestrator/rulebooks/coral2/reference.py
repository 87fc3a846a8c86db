"""The CORAL-2 reference values, checked as they are read from the rulebook's data file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, model_validator

from sites import parse, read_text


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Accuracy(_Frozen):
    """The quality every instance must reach: `metric` ≥ `minimum`, on a scale ending at `maximum`."""

    metric: str
    minimum: float
    maximum: float
    optimized_tolerance: float = Field(default=0.0, ge=0, lt=1)


class Demand(_Frozen):
    """What the suite demands of a workload's parameter."""

    exactly: int | None = None
    at_least: int | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.exactly is None) == (self.at_least is None):
            raise ValueError("a demand is either exactly or at_least")
        return self

    def __str__(self) -> str:
        return f"exactly {self.exactly}" if self.exactly is not None else f"at least {self.at_least}"

    def met_by(self, value: object) -> bool:
        """Tell whether `value` is a number that meets the demand."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if self.exactly is not None:
            return value == self.exactly
        return self.at_least is not None and value >= self.at_least


class Partition(_Frozen):
    """How many instances divide the reference and the proposed system between them."""

    reference_instances: PositiveInt
    instances: PositiveInt
    factor: PositiveInt
    largest_share: float = Field(gt=0, le=1)

    @model_validator(mode="after")
    def _factor(self) -> Self:
        if self.factor * self.reference_instances != self.instances:
            raise ValueError("factor must be instances ÷ reference_instances")
        return self


class BenchmarkReference(_Frozen):
    """One benchmark of the suite; one without a `partition` is a throughput benchmark."""

    group: str
    time: Literal["run", "batch", "sample"]
    seconds: PositiveFloat
    forward_seconds: PositiveFloat | None = None
    reads_data: bool = False
    accuracy: Accuracy | None = None
    parameters: dict[str, Demand] = {}
    partition: Partition | None = None


class GroupReference(_Frozen):
    """A group of benchmarks and its weight in the overall figure."""

    weight: PositiveFloat


class Base(_Frozen):
    """What a base run may use."""

    frameworks: frozenset[str]
    precisions: frozenset[str]


class Reference(_Frozen):
    """Everything the CORAL-2 formulas and rules take as given."""

    source: str
    system: str
    instances: PositiveInt
    base: Base
    optimized_frees: frozenset[str]
    groups: dict[str, GroupReference]
    benchmarks: dict[str, BenchmarkReference]

    @model_validator(mode="after")
    def _groups_match(self) -> Self:
        if set(self.groups) != {benchmark.group for benchmark in self.benchmarks.values()}:
            raise ValueError("every group needs a benchmark, and every benchmark a known group")
        return self

    def members(self, group: str) -> tuple[str, ...]:
        """Return the workloads of a group."""
        return tuple(name for name, benchmark in self.benchmarks.items() if benchmark.group == group)


@cache
def reference() -> Reference:
    """Return the reference values, read and checked once."""
    file = Path(__file__).with_name("reference.yaml")
    return parse(read_text(file, "rulebook"), Reference, str(file))
