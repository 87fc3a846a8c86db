"""Given values of the Throughput metric of MLPerf HPC, checked as they are read from the data file."""

from __future__ import annotations

from pydantic import Field, PositiveInt

from orchestrator.rulebooks.data_files import data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen, Rules
from sites import parse, read_text
from workloads.description import QualityTarget


class BenchmarkReference(Frozen):
    """A benchmark's quality target, least number of models, and rules of the closed division and the data."""

    target: QualityTarget
    models: PositiveInt
    parameters: Rules = Field(default_factory=dict)
    data: Rules = Field(default_factory=dict)


class Reference(Frozen):
    """Source and benchmarks."""

    source: str
    benchmarks: dict[str, BenchmarkReference]


@read_once
def reference() -> Reference:
    """Return the reference values, read and checked once."""
    file = data_file("mlperf_hpc/reference.yaml")
    return parse(read_text(file, "rulebook"), Reference, str(file))
