"""A workload that tells which GPUs its environment shows it, as a framework would tell which it opened."""

from __future__ import annotations

import os
import time

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="gpu_visibility",
    title="looks at its GPUs",
    source="these tests",
    entry="tests.toys.gpu_visibility:run",
    parameters=(
        Parameter("seconds", 0.3, "how long it looks", unit="s", minimum=0),
        Parameter("stray", False, "it opens another GPU than its own"),
    ),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Look."""
    context.start()
    time.sleep(float(parameters["seconds"]))
    shown = [name for name in os.environ["CUDA_VISIBLE_DEVICES"].split(",") if name]
    if tuple(shown) != context.devices:
        raise ValueError(f"the environment shows {shown}, the order {context.devices}")
    opened = ["GPU-of-somebody-else"] if parameters["stray"] else shown
    return Result(
        observed={
            "gpus": [{"uuid": name} for name in opened],
            "device_memory_bytes": context.device_memory_bytes,
            "multi_process_share": os.environ.get("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"),
            "node": os.environ.get("SLURMD_NODENAME"),
        }
    )
