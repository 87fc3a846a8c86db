"""Start the ranks of an attempt on this node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from orchestrator.node.ranks.container import PROGRAM, rank_container
from orchestrator.node.ranks.environment import (
    OF_ONE_RANK,
    has_other_packages,
    rank_environment,
    runner_request,
)
from orchestrator.node.ranks.packages import link_workloads
from orchestrator.node.ranks.process import RankProcess, TrainingCommand
from orchestrator.node.ranks.process_start import ForkSource
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import SlotOrder
from orchestrator.rundir.layout import RunDirectory


def start_ranks(
    slot: SlotOrder,
    node: int,
    devices: Sequence[Sequence[str]],
    stdout: int,
    stderr: int,
    source: ForkSource,
) -> Iterator[RankProcess]:
    """Start the ranks of one node and yield each once it is started.

    Parameters
    ----------
    node
        Number of this node among those of the attempt.
    devices
        Names of the GPUs of each rank.
    source
        From what ranks are forked.

    Raises
    ------
    NotServedError
        If the server does not fork a rank.
    """
    order = slot.order
    size = len(slot.places) * order.nodes
    if has_other_packages(order):
        link_workloads(RunDirectory(Path(order.directory)))
    for local, place in enumerate(slot.places):
        rank = node * len(slot.places) + local
        variables = rank_environment(
            order, rank, size, len(place.cores), devices[local], node_name(), slot.rendezvous
        )
        request = runner_request(order, rank, size, place, devices[local])
        waits = order.wave is not None
        if source.server is not None:
            start = partial(source.server.fork, variables, (stdout, stderr))
            yield RankProcess(
                rank,
                request,
                start,
                waits_at_barrier=waits,
                is_forked=True,
                interpreter=order.interpreter if order.container is None else None,
            )
            continue
        contained = rank_container(order, rank, variables)
        if contained is None:
            template = source.template
            shared = None if template is None or template.differs(variables, OF_ONE_RANK) else template
            command = TrainingCommand([order.interpreter, "-m", PROGRAM], variables, shared)
        else:
            command = TrainingCommand(contained.command, contained.environment)
        yield RankProcess(
            rank,
            request,
            partial(command.start, (stdout, stderr)),
            waits_at_barrier=waits,
            contained=contained,
            is_forked=command.template is not None,
            interpreter=order.interpreter if contained is None else None,
        )
