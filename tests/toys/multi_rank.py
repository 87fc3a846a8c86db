"""A workload of several ranks that meet at the rendezvous, without any framework."""

from __future__ import annotations

import http.client
import os
import signal
import threading
import time

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="multi_rank",
    title="ranks that wait for each other",
    source="these tests",
    entry="tests.toys.multi_rank:run",
    parameters=(
        Parameter(
            "behaviour",
            "succeed",
            "what rank 1 does",
            choices=("succeed", "die", "raise", "disagree", "stray", "silent"),
        ),
        Parameter("seconds", 0.0, "how long it takes"),
    ),
    fom_time="run",
    ranks=True,
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Meet the others, then do as told."""
    messages = _meet(context)
    context.start()
    behaviour = str(parameters["behaviour"]) if context.rank == 1 else "succeed"
    if behaviour == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "raise":
        raise RuntimeError("rank 1 was to fail")
    if behaviour == "stray":
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    if behaviour == "silent":
        os._exit(0)
    if context.rank == 0 and parameters["behaviour"] in ("die", "raise"):
        threading.Event().wait()  # for a rank that will never answer
    time.sleep(float(parameters["seconds"]))
    # The slower rank's time is the instance's.
    return Result(
        accuracy=float(context.rank if behaviour == "disagree" else 0),
        observed={
            "gpus": [{"uuid": name} for name in context.devices],
            "device_memory_bytes": context.device_memory_bytes,
        },
        data={"messages": messages},
    )


def _meet(context: Context) -> list[str]:
    """Leave a word at the rendezvous and return everybody's."""
    for name, own in (("RANK", context.rank), ("SIZE", context.size)):
        if int(os.environ[f"HOROVOD_{name}"]) != own:
            raise ValueError(f"HOROVOD_{name} is not {own}")
    store = http.client.HTTPConnection(
        os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"])
    )
    store.request("PUT", f"/multi_rank/{context.rank}", body=f"rank {context.rank}".encode())
    store.getresponse().read()
    words = []
    for rank in range(context.size):
        while True:
            store.request("GET", f"/multi_rank/{rank}")
            answer = store.getresponse()
            word = answer.read().decode()
            if answer.status == 200:
                words.append(word)
                break
            time.sleep(0.01)
    return words
