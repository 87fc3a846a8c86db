"""A workload that observes its own process: what a new interpreter has from the one that starts it."""

from __future__ import annotations

import gc
import os
import random
import resource
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from workloads.context import Context, Result
from workloads.description import Parameter, QualityTarget, Value, Workload

WORKLOAD = Workload(
    name="attributes",
    title="observes its process",
    source="these tests",
    entry="tests.toys.attributes:run",
    parameters=(Parameter("text", "", "makes orders differ"),),
    fom_time="run",
    accuracy_metric="score",
    own_target=QualityTarget("score", 0.0),
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Observe what others see of this process, and what it inherited."""
    context.start()
    facts = {"framework": "tensorflow", "framework_version": "0", "precision": "float32"}
    facts |= {"attributes": attributes(), "drawn": [random.random() for _ in range(3)]}
    return Result(accuracy=1.0, observed=facts, data={"rows": 1})


def attributes() -> dict[str, Any]:
    """Return attributes that do not depend on when the process was started."""
    status = Path("/proc/self/status").read_text()
    seen = Path("/proc/self/environ").read_bytes().split(b"\0")
    return {
        "session": os.getsid(0) == os.getpid() == os.getpgrp(),
        "variables": {name: value for name, value in os.environ.items() if name != "ORCHESTRATOR_SLOT"},
        "marked": f"ORCHESTRATOR_SLOT={os.environ['ORCHESTRATOR_SLOT']}".encode() in seen,
        "cores": sorted(os.sched_getaffinity(0)),
        "descriptors": sorted(_kind(int(one.name)) for one in Path("/proc/self/fd").iterdir()),
        "signals": {str(number): str(signal.getsignal(number)) for number in signal.valid_signals()},
        "wakeups": signal.set_wakeup_fd(-1),
        "masks": [line for line in status.splitlines() if line.startswith(("SigBlk", "SigIgn", "SigCgt"))],
        "directory": str(Path.cwd()),
        "umask": os.umask(0o022),
        "nice": os.nice(0),
        "limits": [
            resource.getrlimit(number)
            for name, number in vars(resource).items()
            if name.startswith("RLIMIT_")
        ],
        "oom_score_adj": Path("/proc/self/oom_score_adj").read_text(),
        "arguments": [Path(one).name for one in sys.argv],
        "main": getattr(sys.modules["__main__"], "__spec__", None) and sys.modules["__main__"].__spec__.name,
        "hash": hash("a"),
        "flags": str(sys.flags),
        "threads": threading.active_count(),
        "collects": gc.isenabled(),
        "young": time.time() - _started() < 3600,
        "path": sys.path,
        "streams": [type(one).__name__ + str(one.line_buffering) for one in (sys.stdout, sys.stderr)],
        "host": socket.gethostname(),
    }


def _kind(descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}").partition(":")[0]
    except OSError:  # that of the listing
        return ""


def _started() -> float:
    return Path("/proc/self").stat().st_ctime
