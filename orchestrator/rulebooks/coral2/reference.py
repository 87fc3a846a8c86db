"""The CORAL-2 reference values, checked as they are read from the rulebook's data file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, Field, PositiveFloat, PositiveInt, RootModel, model_validator

from orchestrator.rulebooks.data_files import data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen, Rules
from sites import parse, read_text

Model = TypeVar("Model", bound=BaseModel)


class Accuracy(Frozen):
    """The quality every instance must reach: `metric` ≥ `minimum`, on a scale ending at `maximum`.

    `metric` is the workload's name of the accuracy, `label` the suite's; `documented` is what the program's
    own documentation reports of a run with its default parameters, where it does.
    """

    metric: str
    label: str
    minimum: float
    maximum: float
    optimized_tolerance: float = Field(default=0.0, ge=0, lt=1)
    documented: float | None = None


class Partition(Frozen):
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


class BenchmarkReference(Frozen):
    """One benchmark of the suite; one without a `partition` is a throughput benchmark."""

    group: str
    time: Literal["run", "batch", "sample"]
    seconds: PositiveFloat
    forward_seconds: PositiveFloat | None = None
    accuracy: Accuracy | None = None
    parameters: Rules = Field(default_factory=dict)
    optimized_free_parameters: frozenset[str] = frozenset()
    data: Rules = Field(default_factory=dict)
    partition: Partition | None = None


class Base(Frozen):
    """Settings that a base run may use."""

    frameworks: frozenset[str]
    communications: frozenset[str]
    precisions: frozenset[str]


class Reference(Frozen):
    """Everything the CORAL-2 formulas and rules take as given."""

    source: str
    system: str
    instances: PositiveInt
    base: Base
    optimized_free_parameters: frozenset[str]
    groups: dict[str, PositiveFloat]
    benchmarks: dict[str, BenchmarkReference]

    @model_validator(mode="after")
    def _groups_match(self) -> Self:
        if set(self.groups) != {benchmark.group for benchmark in self.benchmarks.values()}:
            raise ValueError("every group needs a benchmark, and every benchmark a known group")
        return self

    def members(self, group: str) -> tuple[str, ...]:
        """Return the workloads of a group."""
        return tuple(name for name, benchmark in self.benchmarks.items() if benchmark.group == group)


class Deviation(Frozen):
    """A difference of a shipped program from the suite's own, where parameters are as `when` says."""

    what: str
    why: str
    evidence: str
    when: dict[str, str | int | float | bool] = Field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.what} ({self.why}; {self.evidence})"

    def applies(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether it is a difference of a run with these parameters."""
        return all(parameters.get(name) == value for name, value in self.when.items())


class Original(Frozen):
    """A program that the suite names: its files by path, each with its SHA-256; the first is started."""

    repository: str
    version: str
    files: dict[str, str]


class _Programs(RootModel[dict[str, Original]]):
    pass


class _Deviations(RootModel[dict[str, list[Deviation]]]):
    pass


@read_once
def reference() -> Reference:
    """Return the reference values, read and checked once."""
    return _read("reference.yaml", Reference)


@read_once
def deviations() -> Mapping[str, list[Deviation]]:
    """Return the differences of the shipped programs from the suite's, by workload."""
    return _read("deviations.yaml", _Deviations).root


@read_once
def originals() -> Mapping[str, Original]:
    """Return the programs that the suite names, by workload."""
    return _read("originals.yaml", _Programs).root


def _read(name: str, kind: type[Model]) -> Model:
    file = data_file(f"coral2/{name}")
    return parse(read_text(file, "rulebook"), kind, str(file))
