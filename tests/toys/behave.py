"""A workload that behaves well or badly, as told, without any framework."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from workloads.context import Context, Metric, Result
from workloads.description import DataError, Parameter, QualityTarget, Value, Workload

BEHAVIOURS = (
    "succeed",
    "exit",
    "exit_quietly",
    "exception",
    "data",
    "segfault",
    "kill_self",
    "nan",
    "hang",
    "stubborn",
    "greedy",
    "daemon",
    "unpinned",
    "fail_first",
    "fill",
)

WORKLOAD = Workload(
    name="behave",
    title="behaves as told",
    source="these tests",
    entry="tests.toys.behave:run",
    parameters=(
        Parameter("behaviour", "succeed", "what to do", choices=BEHAVIOURS),
        Parameter("seconds", 0.05, "how long a good run takes", unit="s", minimum=0),
        Parameter("folder", "", "where to leave marks, and the disk to fill"),
        Parameter("megabytes", 0, "memory to touch", minimum=0),
    ),
    fom_time="run",
    accuracy_metric="score",
    own_target=QualityTarget("score", 0.0),
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Do as told."""
    behaviour, folder = str(parameters["behaviour"]), str(parameters["folder"])
    context.start()
    print("hello from", context.seed)
    print("trouble ahead", file=sys.stderr)
    if folder:
        with open(f"{folder}/started-{context.seed}", "a") as file:
            file.write(f"{os.getpid()}\n")
    block = bytearray(int(parameters["megabytes"]) << 20)
    block[::4096] = b"x" * len(block[::4096])
    _misbehave(behaviour, folder, context)
    with context.phase("train"):
        time.sleep(float(parameters["seconds"]))
    accuracy = float("nan") if behaviour == "nan" else (context.seed % 1000) / 1000
    return Result(
        accuracy=accuracy,
        metrics=(Metric("bytes", float(len(block)), "B"),),
        observed={"framework": "tensorflow", "framework_version": "0", "precision": "float32"},
        data={"rows": 1},
    )


def _misbehave(behaviour: str, folder: str, context: Context) -> None:
    if behaviour == "exit":
        os._exit(3)
    if behaviour == "exit_quietly":
        os._exit(0)
    if behaviour == "exception":
        raise RuntimeError("the sky fell\non our heads")
    if behaviour == "data":
        raise DataError("train.csv: line 3, column 'x': not a number: 'abc'")
    if behaviour == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "kill_self":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if behaviour in ("hang", "stubborn"):
        time.sleep(3600)
    if behaviour == "greedy":
        hoard = []
        while True:
            hoard.append(b"x" * (16 << 20))
            time.sleep(0.05)
    if behaviour == "daemon":
        child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        with open(f"{folder}/daemon-{context.seed}", "w") as file:
            file.write(str(child.pid))
    if behaviour == "unpinned":
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    if behaviour == "fail_first" and not os.path.exists(f"{folder}/failed-{context.seed}"):
        open(f"{folder}/failed-{context.seed}", "w").close()
        os._exit(9)
    if behaviour == "fill":
        _hold(Path(folder), context.seed)


def _hold(disk: Path, seed: int) -> None:
    """Hold 1.5 MiB of a disk until an instance has found it full."""
    held, full = disk / f"held-{seed}", disk / "full"
    try:
        with held.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 3 << 19)
    except OSError:
        full.touch()
        raise
    finally:
        while not full.exists():
            time.sleep(0.05)
        held.unlink()
