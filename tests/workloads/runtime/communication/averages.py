"""A workload whose ranks average tensors of PyTorch until another rank ends."""

from __future__ import annotations

from workloads.context import Context, Result
from workloads.description import Value, Workload

WORKLOAD = Workload(
    name="averages",
    title="averages of PyTorch's tensors",
    source="this project's tests",
    entry="tests.workloads.runtime.communication.averages:run",
    parameters={},
    fom_time="run",
    ranks=True,
)
AVERAGES = 10**6


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Average, and check each mean."""
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework

    configure_framework(context, "torch")
    ranks = Ranks(context, "torch")
    import torch

    own = [torch.full((3,), float(ranks.rank)), torch.full((2, 2), ranks.rank, dtype=torch.bfloat16)]
    context.start()
    for _ in range(AVERAGES):
        for mean in ranks.all_reduce_mean(own):
            if not bool((mean == 0.5).all()):
                raise ArithmeticError(f"the mean of 0 and 1 is 0.5, not {mean}")
    return Result()
