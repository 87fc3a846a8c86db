"""A workload of which a rank stops, as by SIGSTOP, while the ranks join over JAX."""

from __future__ import annotations

import os
import signal
import threading

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

POINTS = ("get_distributed_runtime_client", "make_gloo_tcp_collectives")
WORKLOAD = Workload(
    name="freezes",
    title="a rank that stops while it connects",
    source="this project's tests",
    entry="tests.workloads.runtime.communication.freezes:run",
    parameters=(
        Parameter("frozen", 1, "rank that stops"),
        Parameter("point", POINTS[0], "function of JAX at which it stops", choices=POINTS),
    ),
    fom_time="run",
    ranks=True,
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Join."""
    from jax._src.lib import _jax

    from workloads.runtime.collectives import Ranks

    os.environ["HOROVOD_GLOO_TIMEOUT_SECONDS"] = "2"
    if context.rank == parameters["frozen"]:
        setattr(_jax, str(parameters["point"]), _stop)
    Ranks(context, "jax")
    raise AssertionError("the ranks joined without that rank")


def _stop(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    threading.Event().wait()
