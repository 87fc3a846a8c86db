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

from workloads.context import Context, Metric, Result
from workloads.deep500.networks.definition import ONNXRUNTIME, Measurable, NetworkParameters
from workloads.description import Workload
from workloads.parameters import table

_OPERATOR_RERUNS = 3
_OPERATORS_SHARE = 0.5
"""Of `budget_seconds`, for all operators together; each is run `_OPERATOR_RERUNS` times at least."""


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
        "operators_seconds", "micro_batches", "whole_batch_seconds", "whole_batch_memory_bytes",
        "split_seconds", "split_memory_bytes", "latency_seconds_p50", "latency_seconds_p99",
        "latency_seconds_samples",
    ),
    requires=("numpy",),
)  # fmt: skip


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
        # One by one, and as many as are asked for: the median above is of runs that end when it is known.
        runs = (network.call() for _ in range(parameters.latency_samples))
        for _ in context.timed("latency_seconds", runs):
            pass
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
