"""Choose how the ranks of an attempt are started, and tell it as the ledger keeps it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.node.ranks.process import RankProcess
from orchestrator.node.ranks.training_server import NotServedError, ServerKeeper, TrainingServer
from orchestrator.protocol.order import SlotOrder
from workloads.forking.forked_child import Template

_NO_SUPERVISOR = "its supervisor could not be forked"
_OTHER_ENVIRONMENT = "its environment is another than the fork server's"


@dataclass(frozen=True, slots=True)
class ForkSource:
    """From what ranks are forked: this process, a server, or neither.

    Parameters
    ----------
    template
        With what this process was forked or started.
    fresh_because
        Why ranks are new processes; None where they are forked, or new as the order asks.
    """

    template: Template | None = None
    server: TrainingServer | None = None
    fresh_because: str | None = None


def forks_trainings(slot: SlotOrder) -> bool:
    """Return whether the supervisor of an attempt forks its trainings itself.

    On several nodes agents do so; with another interpreter and in a container, a server.
    """
    return slot.is_warm and slot.order.nodes == 1 and not needs_server(slot)


def needs_server(slot: SlotOrder) -> bool:
    """Return whether only a server in the trainings' container, or of their interpreter, can fork them."""
    return slot.order.container is not None or slot.order.interpreter != sys.executable


def fork_source(
    slot: SlotOrder,
    template: Template | None,
    servers: ServerKeeper | None,
    must_end: Callable[[], object],
    *,
    looked: bool = False,
) -> ForkSource:
    """Return from what the ranks of an attempt on this node are forked now.

    Parameters
    ----------
    template
        With what this process was forked or started, where it may fork trainings.
    servers
        Has the server of the attempt before; None where this process ends with its attempt.
    must_end
        Tells, by anything that is true, that the attempt must end before it has begun.
    looked
        Whether this process was looked at a moment ago.
    """
    if not slot.is_warm:
        return ForkSource(fresh_because=slot.fresh_because)
    if servers is not None and needs_server(slot):
        try:
            return ForkSource(server=servers.server(slot, must_end))
        except NotServedError as error:
            return ForkSource(fresh_because=str(error))
    if template is None or needs_server(slot):
        return ForkSource(fresh_because=_NO_SUPERVISOR)
    if not looked and (why := template.why_not()) is not None:
        return ForkSource(fresh_because=why)
    return ForkSource(template)


def process_start(slot: SlotOrder, ranks: Sequence[RankProcess], source: ForkSource) -> dict[str, str]:
    """Return how processes were started, where the campaign asks for other than fresh ones."""
    if slot.order.processes == "fresh":
        return {}
    if all(rank.is_forked for rank in ranks):
        return {"processes": "warm"}
    return fresh(source.fresh_because or _OTHER_ENVIRONMENT)


def start_on_nodes(starts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return how the processes of an attempt were started from how those of each node were."""
    known = list(starts)
    odd = (start for start in known if start.get("processes") != "warm")
    return dict(next(odd, known[0] if known else {}))


def fresh(because: str) -> dict[str, str]:
    """Return that processes were new ones, and why."""
    return {"processes": "fresh", "fresh_because": because}
