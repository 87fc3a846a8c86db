"""Level 1 of Deep500: whole networks, validated against NumPy and timed, in each framework.

The weights and the batch are drawn by NumPy from `weights_seed`, so that they are the same in every
framework; `weights_sha256` among the facts of the data is that of the weights as the framework holds them
(through ONNX: as they were exported). Outputs, or gradients, are compared with those of a NumPy program in
float64 that shares no code with a framework (`workloads.deep500.networks.reference`). A network of an ONNX
file is compared with the ONNX project's own evaluator, which is NumPy too, in the types of the file.

The framework's overhead is the network's time less the sum of the times of its operators, each alone on
inputs of its own shapes. A framework that fuses operators may be faster than their sum: then the overhead is
negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.deep500.networks.catalogue import DEMO, NAMES, REAL, SIZES
from workloads.deep500.rounding import PRECISIONS
from workloads.description import Workload, WorkloadError
from workloads.parameters import parameter, table
from workloads.runtime import backends

ONNXRUNTIME = "onnxruntime"
_OPERATOR_RERUNS = 3
_OPERATORS_SHARE = 0.5
"""Of `budget_seconds`, for all operators together; each is run `_OPERATOR_RERUNS` times at least."""


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
    operator_times: bool = parameter(True, "time each operator alone, for the framework's overhead")

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if the parameters contradict each other."""
        if self.framework != ONNXRUNTIME:
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
        return ("onnx", ONNXRUNTIME, *(() if self.onnx_file else ("keras", "tensorflow")))


WORKLOAD = Workload(
    name="deep500_network",
    title="Deep500 level 1: a network's outputs or gradients, validated and timed",
    source="this project, after Deep500 (deep500/deep500 commit cd9b21e); networks of the shipped benchmarks",
    entry="workloads.deep500.networks.benchmark:run",
    parameters=table(NetworkParameters),
    parameters_type=NetworkParameters,
    fom_time="run",
    metrics=(
        "error_over_bound", "max_error", "nonfinite_outputs", "wallclock_seconds", "operator_seconds",
        "framework_overhead_seconds", "operators", "distinct_operators", "weight_elements",
        "memory_estimate_bytes", "build_seconds", "reference_seconds", "measure_seconds",
        "operators_seconds",
    ),
    requires=("numpy",),
)  # fmt: skip


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
    figures, observed
        Further metrics and observations.
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


def run(parameters: NetworkParameters, context: Context) -> Result:
    """Compare a network's outputs or gradients with the reference, and time it and its operators.

    Raises
    ------
    WorkloadError
        If the parameters contradict each other, a package is missing, the network cannot be run, or that of
        an ONNX file does not fit the memory.
    """
    parameters.check_ranks(context.size)
    if parameters.framework == ONNXRUNTIME:
        from workloads.deep500.networks.onnx_execution import prepare_onnx as prepare
    else:
        from workloads.deep500.networks.keras_execution import prepare_keras as prepare
    network = prepare(parameters, context)
    with context.phase("measure"):
        context.measure(
            network.call,
            metrics=("wallclock_seconds", "error_over_bound", "max_error"),
            reference=tuple(network.reference),
            tolerance=tuple(network.tolerances),
            budget_seconds=parameters.budget_seconds,
            relative_width=parameters.relative_width,
            warm_up=parameters.warm_up,
        )
    figures = network.figures
    if parameters.operator_times:
        with context.phase("operators"):
            figures += operator_figures(network, parameters, context)
    return Result(metrics=figures, observed=network.observed, data=network.facts)


def operator_figures(
    network: Measurable, parameters: NetworkParameters, context: Context
) -> tuple[Metric, ...]:
    """Return the sum of the operators' median times, and what the network takes beside them."""
    from workloads.metrics.intervals import median_interval
    from workloads.metrics.timing import sample, timed_seconds

    calls = network.operators()
    if not calls:
        return ()
    budget = _OPERATORS_SHARE * parameters.budget_seconds / len(calls)
    total, count = 0.0, 0
    for _, times, call in calls:
        call()
        found = [timed_seconds(call, 1, _nothing) for _ in range(_OPERATOR_RERUNS)]
        if sum(found) < budget:
            found = sample(
                call, _nothing, found[-1], reruns=None, budget_seconds=budget, relative_width=0.05
            ).seconds
        total += times * median_interval(found).median
        count += times
    (whole,) = (one.value for one in context.metrics if one.name == "wallclock_seconds")
    return (
        Metric("operator_seconds", total, "s"),
        Metric("framework_overhead_seconds", whole - total, "s"),
        Metric("operators", count),
        Metric("distinct_operators", len(calls)),
    )


def _nothing() -> None:
    """Every call waits for its results itself."""
