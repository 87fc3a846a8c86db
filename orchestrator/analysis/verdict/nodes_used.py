"""The nodes that a campaign really used, beside those that its site file declares."""

from __future__ import annotations

from dataclasses import dataclass

from db.plain import RowReader
from db.queries.node_descriptions import nodes_used
from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from sites import FileError


@dataclass(frozen=True, slots=True)
class NodesUsed:
    """Nodes of a campaign, and what its site file declares of them.

    Parameters
    ----------
    used
        Nodes with an attempt that succeeded.
    declared
        Nodes of the whole machine, or machines; None where the file does not say.
    network
        Network between them; empty where the file does not say.
    """

    campaign: str
    used: int
    declared: int | None
    network: str = ""

    def __str__(self) -> str:
        declared = "no number of nodes declared" if self.declared is None else f"{self.declared:,} declared"
        network = f"; network {self.network}" if self.network else ""
        return f"nodes of {self.campaign}: {self.used:,} used, {declared} by the site file{network}"


def campaign_nodes(reader: RowReader, row: CampaignRow) -> NodesUsed:
    """Return the nodes of a campaign."""
    return NodesUsed(row.name, nodes_used(reader, row.campaign_id), declared_nodes(row), _network(row))


def _network(row: CampaignRow) -> str:
    try:
        pools = registered_site(row).all_pools()
    except FileError:  # a simulated campaign has no site file
        return ""
    return " and ".join(dict.fromkeys(one.network for one in pools.values() if one.network))


def declared_nodes(row: CampaignRow) -> int | None:
    """Return the nodes of the whole machine as the site file declares them; None where it does not.

    Pools of another type of scheduler are further machines, and add theirs; the driver's machine is one node.
    """
    try:
        site = registered_site(row)
    except FileError:  # a simulated campaign has no site file
        return None
    if not site.pools:
        return site.nodes
    kinds = {name: site.scheduler_type(name) for name in site.pools}
    nodes = [1 if kinds[name] == "local" else one.nodes for name, one in site.pools.items()]
    if site.nodes is not None:  # of the machine that the pools of its own type are parts of
        others = [kind != site.scheduler.type for kind in kinds.values()]
        nodes = [site.nodes, *(number for number, is_other in zip(nodes, others, strict=True) if is_other)]
    return None if None in nodes else sum(filter(None, nodes))
