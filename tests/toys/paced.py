"""A workload that waits in its phases for as long as files tell it to, so that a fault surely hits one."""

from __future__ import annotations

import os
import time
from pathlib import Path

from workloads.context import Context, Result
from workloads.description import Parameter, QualityTarget, Value, Workload

WORKLOAD = Workload(
    name="paced",
    title="goes on when it is let",
    source="these tests",
    entry="tests.toys.paced:run",
    parameters=(
        Parameter("folder", "", "where it finds `hold-load` and `hold-train`, and leaves marks"),
        Parameter("padding", 0, "characters in its result, so that a report fills a pipe", minimum=0),
    ),
    fom_time="run",
    accuracy_metric="score",
    own_target=QualityTarget("score", 0.0),
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Load and train, each for as long as its file is there."""
    folder = Path(str(parameters["folder"]))
    context.start()
    with (folder / f"started-{context.seed}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    for phase in ("load", "train"):
        with context.phase(phase):
            _wait(folder, phase)
    return Result(
        accuracy=(context.seed % 1000) / 1000,
        observed={"framework": "tensorflow", "framework_version": "0", "precision": "float32"},
        data={"rows": 1, "padding": "x" * int(parameters["padding"])},
    )


def _wait(folder: Path, phase: str) -> None:
    here = folder / f"at-{phase}-{os.getpid()}"
    here.touch()
    while (folder / f"hold-{phase}").exists():
        time.sleep(0.05)
    here.unlink()
