"""A user's workload that has parameters of the suite's names, and nothing to run."""

from __future__ import annotations

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="faster",
    title="Another framework",
    source="a test",
    entry="tests.toys.faster:run",
    parameters=(
        Parameter("framework", "jax", "what runs it"),
        Parameter("precision", "float16", "arithmetic"),
    ),
    fom_time="run",
)


def run(_parameters: dict[str, Value], context: Context) -> Result:
    context.start()
    return Result()
