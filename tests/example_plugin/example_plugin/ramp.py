"""The workload `ramp`: adds numbers, and reports how many."""

from __future__ import annotations

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="ramp",
    title="adds the first numbers",
    source="an example",
    entry="example_plugin.ramp:run",
    parameters=(Parameter("terms", 1000, "numbers to add", minimum=1),),
    fom_time="run",
    accuracy_metric="share",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Add the numbers below `terms`; the accuracy is the share of terms that were added."""
    terms = int(parameters["terms"])
    context.start()
    with context.phase("train"):
        total = sum(range(terms))
    return Result(accuracy=float(2 * total == terms * (terms - 1)))
