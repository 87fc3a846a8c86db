"""Tell whether the ranks of an attempt were forked, and why not, as the ledger keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.node.forking.forked_child import Template
from orchestrator.node.ranks.process import RankProcess
from orchestrator.protocol.order import SlotOrder


def forks_trainings(slot: SlotOrder) -> bool:
    """Return whether the supervisor of an attempt forks its trainings; on several nodes agents do so."""
    return slot.is_warm and slot.order.nodes == 1


def process_start(slot: SlotOrder, ranks: Sequence[RankProcess], template: Template | None) -> dict[str, str]:
    """Return how processes were started, where the campaign asks for other than fresh ones.

    Parameters
    ----------
    template
        With what this process was started; None where it cannot fork trainings.
    """
    if slot.order.processes == "fresh":
        return {}
    because = slot.fresh_because
    if all(rank.is_forked for rank in ranks):
        return {"processes": "warm"} | ({} if because is None else {"fresh_because": because})
    if because is None and template is None:
        because = "its supervisor could not be forked"
    return fresh(because or "its environment is another than the fork server's")


def start_on_nodes(starts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return how the processes of an attempt were started from how those of each node were."""
    known = list(starts)
    odd = (start for start in known if start.get("processes") != "warm")
    return dict(next(odd, known[0] if known else {}))


def fresh(because: str) -> dict[str, str]:
    """Return that processes were new ones, and why."""
    return {"processes": "fresh", "fresh_because": because}
