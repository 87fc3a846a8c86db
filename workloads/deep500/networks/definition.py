"""Parameters of a network's measurement, and a network that is ready for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workloads.context import Metric
from workloads.deep500.networks.catalogue import DEMO, NAMES, REAL, SIZES
from workloads.deep500.rounding import PRECISIONS
from workloads.description import WorkloadError
from workloads.parameters import parameter
from workloads.runtime import backends

ONNXRUNTIME = "onnxruntime"
NONE = "none"


@dataclass(frozen=True, slots=True)
class NetworkParameters:
    """Parameters of a network."""

    network: str = parameter("resnet50_v15", "one of the shipped benchmarks' networks", choices=NAMES)
    size: str = parameter(
        REAL, "real: as the benchmark has it; demo: for two cores and seconds", choices=(REAL, DEMO)
    )
    onnx_file: str = parameter(
        "", "path of an ONNX file, which takes the place of `network`; with framework onnxruntime"
    )
    direction: str = parameter(
        "forward",
        "forward: inference; gradient: forward and backward, the gradients of all trained weights",
        choices=("forward", "gradient"),
    )
    framework: str = parameter("tensorflow", "what runs the network", choices=(*backends.NAMES, ONNXRUNTIME))
    precision: str = parameter("float32", "type of the products; weights stay float32", choices=PRECISIONS)
    batch_size: int = parameter(2, "samples of a run", minimum=1)
    weights_seed: int = parameter(2017, "of weights and batch, the same in all frameworks", minimum=0)
    budget_seconds: float = parameter(
        10.0, "for reruns of the network, and half as long for its operators", unit="s", minimum=0
    )
    warm_up: int = parameter(1, "runs of the network that are not counted", minimum=1)
    relative_width: float = parameter(
        0.05, "of the time's interval, as a share of the median, at which reruns end", minimum=0
    )
    micro_batching: str = parameter(
        NONE,
        "with onnxruntime, take the batch in parts of these sizes: the parts that take least time",
        choices=(NONE, "powers_of_two", "any"),
    )
    memory_limit: int = parameter(
        0, "of micro_batching: most memory that a part takes beside the weights; 0: any", unit="B", minimum=0
    )
    latency_samples: int = parameter(
        0, "single runs of inference that are timed for percentiles; 0: none", minimum=0
    )
    operator_times: bool = parameter(True, "time each operator alone, for the framework's overhead")

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if the parameters contradict each other."""
        if self.latency_samples and self.direction != "forward":
            raise WorkloadError(
                "latency_samples are of inference: write direction: forward, or leave out latency_samples"
            )
        if self.memory_limit and self.micro_batching == NONE:
            raise WorkloadError(
                "memory_limit is of micro-batches: write micro_batching: any, or leave out memory_limit"
            )
        if self.framework != ONNXRUNTIME:
            if self.micro_batching != NONE:
                raise WorkloadError(
                    f"micro_batching splits networks of onnxruntime, not of {self.framework}: "
                    f"write framework: onnxruntime, or micro_batching: {NONE}"
                )
            if self.onnx_file:
                raise WorkloadError(
                    f"a network of an ONNX file runs through onnxruntime, not {self.framework}: "
                    "write framework: onnxruntime, or leave out onnx_file"
                )
            return
        if self.direction != "forward":
            raise WorkloadError("onnxruntime computes no gradients: write direction: forward")
        if self.precision != "float32":
            raise WorkloadError(
                f"networks run in float32 through onnxruntime here, not {self.precision}: "
                "write precision: float32"
            )

    @property
    def memory_bytes(self) -> int:
        """Estimate of the memory that a measurement takes; 0 for an ONNX file, which is read on its node."""
        if self.onnx_file:
            return 0
        return SIZES[self.network, self.size].memory_bytes(
            self.batch_size, gradient=self.direction == "gradient", exported=self.framework == ONNXRUNTIME
        )

    def packages(self) -> tuple[str, ...]:
        """Return the packages that these parameters need."""
        if self.framework != ONNXRUNTIME:
            return ("keras", self.framework)
        # TensorFlow computes nothing then: Keras needs a framework to describe a network.
        solver = () if self.micro_batching == NONE else ("scipy",)
        return ("onnx", ONNXRUNTIME, *solver, *(() if self.onnx_file else ("keras", "tensorflow")))


@dataclass(frozen=True, slots=True)
class Measurable:
    """A network that is ready to be measured.

    Parameters
    ----------
    call
        Runs it once and returns outputs or gradients when they are computed.
    reference, tolerances
        What it should return, and how far every array may be off.
    operators
        Calls of single operators, each with its name and how often the network has it.
    facts
        Of the weights, the file and the reference; the ledger has them with each attempt.
    """

    call: Callable[[], Any]
    reference: list[Any]
    tolerances: list[Any]
    operators: Callable[[], list[tuple[str, int, Callable[[], Any]]]]
    figures: tuple[Metric, ...]
    observed: dict[str, Any]
    facts: dict[str, Any]
