"""A workload that computes for a while, and may say that it has stopped before it has."""

from __future__ import annotations

import time

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="busy",
    title="uses CPU time",
    source="these tests",
    entry="tests.toys.busy:run",
    parameters=(
        Parameter("cpu_seconds", 6.0, "CPU time that it uses", unit="s"),
        Parameter("said_seconds", 6.0, "CPU time after which it says that it has stopped", unit="s"),
    ),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Use CPU time, as the kernel counts it."""
    context.start()
    begin, said = time.process_time(), False
    while (used := time.process_time() - begin) < float(parameters["cpu_seconds"]):
        if not said and used >= float(parameters["said_seconds"]):
            context.stop()
            said = True
    return Result(observed={"framework": "tensorflow", "precision": "float32"})
