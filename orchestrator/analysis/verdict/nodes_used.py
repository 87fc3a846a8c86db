"""The nodes that a campaign really used, beside those that its site file declares."""

from __future__ import annotations

from dataclasses import dataclass

from db.queries.node_descriptions import nodes_used
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from sites import FileError


@dataclass(frozen=True, slots=True)
class NodesUsed:
    """Nodes with an attempt that succeeded, and nodes of the whole machine as declared, if they are."""

    campaign: str
    used: int
    declared: int | None

    def __str__(self) -> str:
        declared = "no number of nodes declared" if self.declared is None else f"{self.declared:,} declared"
        return f"nodes of {self.campaign}: {self.used:,} used, {declared} by the site file"


def campaign_nodes(reader: Reader, row: CampaignRow) -> NodesUsed:
    """Return the nodes of a campaign."""
    return NodesUsed(row.name, nodes_used(reader, row.campaign_id), declared_nodes(row))


def declared_nodes(row: CampaignRow) -> int | None:
    """Return the nodes of the whole machine as the site file declares them; None where it does not."""
    try:
        site = registered_site(row)
    except FileError:  # a simulated campaign has no site file
        return None
    if site.nodes is not None or not site.pools:
        return site.nodes
    nodes = [one.nodes for one in site.pools.values()]
    return None if None in nodes else sum(filter(None, nodes))
