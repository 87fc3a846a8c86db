"""One operator at one size: seconds with their interval, and the error against NumPy in float64.

What is timed is the framework's own operator, or one of a user's file. With direction ``gradient`` a call
computes the outputs and the gradients of their randomly weighted sum by all inputs. The very results that
are timed are compared; where the reference would take long, a random part of them, whose share is stated.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.context import Context, Metric, Result
from workloads.deep500.operators.parameters import OWN, OperatorParameters
from workloads.description import Workload
from workloads.parameters import table
from workloads.runtime import backends

if TYPE_CHECKING:
    from workloads.deep500.operators.definition import Operator, Size
    from workloads.deep500.operators.native import NativeStep
    from workloads.deep500.operators.own import OwnStep

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
