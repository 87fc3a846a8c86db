"""A workload that observes the state of its process, and leaves all of it changed for the next one."""

from __future__ import annotations

import gc
import io
import os
import random
import signal
import socket
import sys
from pathlib import Path

import numpy as np

from workloads.context import Context, Result
from workloads.description import Value, Workload

WORKLOAD = Workload(
    name="leaky",
    title="leaves its process changed",
    source="these tests",
    entry="tests.toys.leaky:run",
    parameters=(),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Observe the process, then change it."""
    context.start()
    umask = os.umask(0o022)
    found = {
        "variable": os.environ.get("LEAKED"),
        "folder": str(Path.cwd()),
        "umask": umask,
        "path": list(sys.path),
        "handler": str(signal.getsignal(signal.SIGUSR2)),
        "cores": sorted(os.sched_getaffinity(0)),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "numpy": np.geterr(),
        "collects": gc.isenabled(),
        "recursion": sys.getrecursionlimit(),
        "prints": sys.stdout is not None and sys.stdout.fileno(),
    }
    drawn = [random.random(), float(np.random.random())]  # noqa: NPY002
    os.environ["LEAKED"] = "1"
    os.chdir("/")
    os.umask(0o077)
    sys.path.append("/nowhere")
    signal.signal(signal.SIGUSR2, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 3600)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    np.seterr(all="raise")
    gc.disable()
    sys.setrecursionlimit(5000)
    sys.stdout = io.StringIO()
    for descriptor in (1, 2):
        os.close(descriptor)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    context_of = socket.gethostname()
    return Result(observed={"found": found, "drawn": drawn, "seed": context.seed, "node": context_of})
