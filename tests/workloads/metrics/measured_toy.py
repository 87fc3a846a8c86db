"""A workload that measures a function, without a framework."""

from __future__ import annotations

from workloads.context import Context, Metric, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="measured_toy",
    title="measures",
    source="this project's tests",
    entry="tests.workloads.metrics.measured_toy:run",
    parameters=(Parameter("megabytes", 0, "memory that is used before the measured part", minimum=0),),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Measure the addition of two numbers."""
    context.start()
    held = b"x" * (int(parameters["megabytes"]) << 20)
    del held
    total = context.measure(
        lambda: 1.0 + 2.0,
        metrics=("wallclock_seconds", "peak_memory_bytes", "error_over_bound", "difference_heatmap"),
        reference=2.0,
        tolerance=2.0,
        reruns=9,
    )
    context.record("test_accuracy", 0.75)
    return Result(metrics=(Metric("own", total / 3),))
