"""A workload whose ranks average tensors that together are longer than a piece of the exchange."""

from __future__ import annotations

from workloads.context import Context, Result
from workloads.description import Value, Workload
from workloads.runtime.communication import COMMUNICATION

WORKLOAD = Workload(
    name="pieces",
    title="means of long tensors",
    source="this project's tests",
    entry="tests.workloads.runtime.communication.pieces:run",
    parameters=(COMMUNICATION,),
    fom_time="run",
    ranks=True,
)
LENGTHS = (3, 4_000_001, 4_000_000, 7, 1_000_000)
ROUNDS = 3


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Average some times, in memory that is used again, and compare bit for bit."""
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework

    configure_framework(context, "torch")
    ranks = Ranks(context, str(parameters["communication"]))
    import torch

    context.start()
    for turn in range(ROUNDS):
        given = [_tensors(rank, turn) for rank in range(context.size)]
        means = ranks.all_reduce_mean(given[context.rank])
        for mean, *tensors in zip(means, *given, strict=True):
            if not torch.equal(mean, sum(tensor / context.size for tensor in tensors)):
                raise ArithmeticError(f"a mean of {len(mean):,} numbers differs in round {turn}")
    return Result()


def _tensors(rank: int, turn: int) -> list:
    import torch

    random = torch.Generator().manual_seed(10 * turn + rank)
    return [torch.randn(length, generator=random) for length in LENGTHS]
