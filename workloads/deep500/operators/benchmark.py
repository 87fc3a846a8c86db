"""One operator at one size: seconds with their interval, and the error against NumPy in float64.

What is timed is the framework's own operator, or one of a user's file. With direction ``gradient`` a call
computes the outputs and the gradients of their randomly weighted sum by all inputs. The very results that
are timed are compared; where the reference would take long, a random part of them, whose share is stated.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.context import Context, Metric, Result
from workloads.deep500.operators.own_file import check_file
from workloads.deep500.operators.sizes import SIZES
from workloads.description import Workload, WorkloadError
from workloads.parameters import parameter, table
from workloads.runtime import backends

if TYPE_CHECKING:
    from workloads.deep500.operators.definition import Operator, Size
    from workloads.deep500.operators.native import NativeStep
    from workloads.deep500.operators.own import OwnStep

NATIVE, OWN = "native", "own"
_ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_PROCESS_BYTES = 2**30
"""Memory of a process that has imported a framework, before it makes any array."""


@dataclass(frozen=True, slots=True)
class OperatorParameters:
    """Parameters of an operator's measurement."""

    operator: str = parameter("matmul", "what is computed", choices=tuple(SIZES))
    size: str = parameter("demo-a", "a named size of the operator, or its dimensions, such as m=64,n=64,k=64")
    direction: str = parameter(
        "forward",
        "forward; gradient: forward and the gradients by all inputs",
        choices=("forward", "gradient"),
    )
    precision: str = parameter("float32", "type of all arrays", choices=tuple(_ITEM_BYTES))
    framework: str = parameter(
        "tensorflow", f"whose operator; {OWN}: that of `implementation`", choices=(*backends.NAMES, OWN)
    )
    implementation: str = parameter(
        NATIVE, f"{NATIVE}: the framework's; or a .py or .cpp file, from the directory of the launch"
    )
    budget_seconds: float = parameter(1.0, "repeat for so long at most", unit="s", minimum=0)
    relative_width: float = parameter(
        0.02, "stop earlier once the interval is no wider than this share of the median", minimum=0
    )
    warm_up: int = parameter(1, "calls before them, after the one that compiles", minimum=0)
    input_scale: float = parameter(
        1.0, "standard deviation of the random inputs, relative to usual ones", minimum=0
    )
    heatmap: bool = parameter(False, "keep the relative differences of all results as arrays and pictures")

    def packages(self) -> tuple[str, ...]:
        """Return the packages that these parameters need."""
        return () if self.framework == OWN else ("keras", self.framework)

    def problem(self) -> tuple[Operator, Size]:
        """Return the operator and its size.

        Raises
        ------
        WorkloadError
            If there is no such size.
        """
        from workloads.deep500.operators.catalogue import OPERATORS

        operator = OPERATORS[self.operator]
        return operator, operator.size(self.size, SIZES[self.operator])

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if there is no such size or file, or the framework does not fit the file."""
        if (self.framework == OWN) == (self.implementation == NATIVE):
            other = f"framework: {OWN}" if self.implementation != NATIVE else "implementation: FILE"
            raise WorkloadError(
                f"framework is {self.framework} and implementation {self.implementation}: write {other}"
            )
        if self.framework == OWN:
            check_file(Path(self.implementation))
        self.problem()

    @property
    def memory_bytes(self) -> int:
        """Estimate of the host memory: arrays in this precision, as made, and as fetched for comparison."""
        operator, size = self.problem()
        copies = 2 * 4 + _ITEM_BYTES[self.precision]
        return operator.elements(size, self.direction) * copies + _PROCESS_BYTES


WORKLOAD = Workload(
    name="deep500_operator",
    title="Deep500 level 0: one operator, its seconds and its error",
    source="deep500/deep500 (Ben-Nun et al., IPDPS 2019); sizes of the shipped networks and of DeepBench",
    entry="workloads.deep500.operators.benchmark:run",
    parameters=table(OperatorParameters),
    parameters_type=OperatorParameters,
    fom_time="run",
    metrics=(
        "error_over_bound", "l2_error", "max_error", "nonfinite_outputs", "difference_heatmap",
        "compared_share", "wallclock_seconds", "flop_per_second", "flop_per_call", "peak_memory_bytes",
        "peak_memory_is_of_process", "compile_seconds", "measure_seconds", "evaluate_seconds",
    ),
    requires=("numpy",),
)  # fmt: skip


def run(parameters: OperatorParameters, context: Context) -> Result:
    """Time the operator, and compare its results.

    Raises
    ------
    WorkloadError
        If the size is unknown, the framework has no such operator in this precision, or a user's file cannot
        be used.
    """
    parameters.check_ranks(context.size)
    operator, size = parameters.problem()
    observed = _configure(parameters, context)
    import numpy as np

    from workloads.deep500.operators.arrays import given_arrays
    from workloads.deep500.operators.comparison import compare

    random = np.random.default_rng(context.seed % 2**64)
    arrays = given_arrays(
        operator, size, parameters.direction, parameters.precision, parameters.input_scale, random
    )
    synchronise = _wait(parameters, context)
    context.start()
    with context.phase("compile"):
        begin = time.monotonic()
        step = _step(parameters, context, operator, size, arrays, observed)
        synchronise()
        compile_seconds = time.monotonic() - begin
    flop = operator.operations(size, parameters.direction)
    with context.phase("measure"):
        results = context.measure(
            step,
            metrics=("wallclock_seconds", "flop_per_second", "peak_memory_bytes"),
            flop=flop,
            budget_seconds=parameters.budget_seconds,
            relative_width=parameters.relative_width,
            warm_up=parameters.warm_up,
            synchronise=synchronise,
        )
    with context.phase("evaluate"):
        share = compare(operator, size, parameters, arrays, step.fetch(results), random, context)
    return Result(
        metrics=(
            Metric("compile_seconds", compile_seconds, "s"),
            Metric("flop_per_call", flop, "FLOP"),
            Metric("compared_share", share),
        ),
        observed=observed,
        observe_after=lambda: _precision(parameters),
    )


def _configure(parameters: OperatorParameters, context: Context) -> dict[str, Any]:
    if parameters.framework == OWN:
        return {"framework": OWN, "implementation": parameters.implementation}
    from workloads.runtime.framework import configure_framework

    return configure_framework(context, parameters.framework)


def _step(
    parameters: OperatorParameters,
    context: Context,
    operator: Operator,
    size: Size,
    arrays: Mapping[str, Any],
    observed: dict[str, Any],
) -> NativeStep | OwnStep:
    """Return the call that is timed, which has run once: what it calls is compiled."""
    if parameters.framework == OWN:
        from workloads.deep500.operators.own import OwnStep

        step = OwnStep(Path(parameters.implementation), operator, size, arrays, context.cache)
        observed |= step.observed
        return step
    from workloads.deep500.operators.native import NativeStep

    return NativeStep(parameters.framework, operator, size, parameters.precision, arrays)


def _wait(parameters: OperatorParameters, context: Context) -> Any:
    """Return what waits for the device; on cores every call returns when it is computed."""
    if parameters.framework == OWN or not context.devices:
        return lambda: None
    return backends.load(parameters.framework).synchronise


def _precision(parameters: OperatorParameters) -> dict[str, Any]:
    from workloads.microbenchmarks.gemm import precision_in_force

    return precision_in_force(parameters.framework, parameters.precision)
