"""A workload that ends once the stand-in for nsys was asked to begin its recording."""

from __future__ import annotations

import os
from pathlib import Path

from tests.harness import wait_for
from workloads.context import Context, Metric, Result
from workloads.description import Value, Workload

WORKLOAD = Workload(
    name="until_started",
    title="a run that waits for its recording",
    source="this project's tests",
    entry="tests.workloads.runtime.profiling.until_started:run",
    parameters={},
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Wait for the command, which lies first in PATH."""
    calls = Path(os.environ["PATH"].partition(":")[0]) / "calls"
    context.start()
    wait_for(lambda: "\nstart " in calls.read_text(), "the recording to begin")
    return Result(metrics=(Metric("waited", 1.0),))
