"""A workload whose ranks add their numbers over MPI, without any framework."""

from __future__ import annotations

import os
import signal

from workloads.context import Context, Metric, Result
from workloads.description import Parameter, Value, Workload

WORKLOAD = Workload(
    name="mpi_sum",
    title="ranks that add their numbers",
    source="these tests",
    entry="tests.toys.mpi_sum:run",
    parameters=(
        Parameter("behaviour", "succeed", "what rank 1 does", choices=("succeed", "die", "raise", "leave")),
    ),
    fom_time="run",
    requires_for_ranks=("mpi4py",),
    ranks=True,
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Add the numbers of all ranks twice; between the two, rank 1 does what its parameter names."""
    import numpy as np

    from workloads.runtime.communication.mpi_world import MpiWorld

    world = MpiWorld(context.rank, context.size)
    context.start()
    numbers = np.full(100_000, context.rank + 1.0)  # too many for a message that needs no partner
    total = np.empty_like(numbers)
    for turn in range(2):
        if turn and context.rank == 1:
            if parameters["behaviour"] == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if parameters["behaviour"] == "raise":
                raise RuntimeError("rank 1 was to fail")
            if parameters["behaviour"] == "leave":
                os._exit(0)
        world.ranks.Allreduce(numbers, total)
    of_this_node = world.ranks.Split_type(world.mpi.COMM_TYPE_SHARED)
    return Result(
        metrics=(Metric("total", float(total[-1])), Metric("nodes", world.ranks.size // of_this_node.size)),
        observed=world.describe(),
        data={"synthetic": True},
    )
