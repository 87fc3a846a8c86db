"""What the Throughput metric of MLPerf HPC takes as given, checked as it is read from the data file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, PositiveInt

from orchestrator.rulebooks.reference_model import Frozen, Rules
from sites import parse, read_text
from workloads.description import QualityTarget


class BenchmarkReference(Frozen):
    """A benchmark's quality target, least number of models, and rules of the closed division."""

    target: QualityTarget
    models: PositiveInt
    parameters: Rules = Field(default_factory=dict)


class Reference(Frozen):
    """Source and benchmarks."""

    source: str
    benchmarks: dict[str, BenchmarkReference]


@cache
def reference() -> Reference:
    """Return the reference values, read and checked once."""
    file = Path(__file__).with_name("reference.yaml")
    return parse(read_text(file, "rulebook"), Reference, str(file))
