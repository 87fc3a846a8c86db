"""A workload without a framework that ends in whatever way a test asks for."""

from __future__ import annotations

import atexit
import math
import os
import threading
from functools import partial
from pathlib import Path

from workloads.context import Context, Metric, Result
from workloads.description import DataError, Parameter, Value, Workload, WorkloadError

ENDINGS = (
    "good", "nan", "data", "parameters", "memory", "device memory", "exception", "exit", "no start",
    "no result", "unsendable", "atexit", "thread",
)  # fmt: skip

WORKLOAD = Workload(
    name="toy",
    title="ends as told",
    source="this project's tests",
    entry="tests.workloads.toy:run",
    parameters=(
        Parameter("ending", "good", "how the run ends", choices=ENDINGS),
        Parameter("size", 1.5, "a number", minimum=0),
        Parameter("file", "", "where a late end leaves its mark"),
    ),
    fom_time="run",
)


class ResourceExhaustedError(Exception):
    """Has the name of TensorFlow's error for memory that a device does not have."""


def run(parameters: dict[str, Value], context: Context) -> Result | None:
    """Print to standard output, then end as told."""
    print("noise from a training")
    ending = parameters["ending"]
    if ending != "no start":
        context.start()
    with context.phase("train"), context.window():
        pass
    errors = {
        "data": DataError("file.csv: row 3,\n column x: bad"),
        "parameters": WorkloadError("size does not fit"),
        "memory": MemoryError(),
        "device memory": ResourceExhaustedError("OOM when allocating"),
        "exception": RuntimeError("broken"),
        "exit": SystemExit(0),
    }
    if ending in errors:
        raise errors[str(ending)]
    late = partial(_leave_mark, Path(str(parameters["file"])), str(ending))
    if ending == "atexit":
        atexit.register(late)
    if ending == "thread":
        threading.Thread(target=late).start()
    if ending == "no result":
        return None
    return Result(
        accuracy=math.nan if ending == "nan" else 0.5,
        metrics=(Metric("size", float(parameters["size"]), "m"),),
        observed={"threads": os.environ["OMP_NUM_THREADS"], "odd": {1} if ending == "unsendable" else 1},
        data={"synthetic": True},
    )


def _leave_mark(file: Path, text: str) -> None:
    if threading.current_thread() is not threading.main_thread():
        threading.main_thread().join(0.2)  # until after the report
    file.write_text(text)
    print("said at the end")
