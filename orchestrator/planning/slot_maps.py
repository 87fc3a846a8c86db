"""The slots of a site, cut into its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orchestrator.errors import CampaignError
from orchestrator.planning.placement import shape_of
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, partition, slot_facts
from sites import Site


@dataclass(frozen=True, slots=True)
class SlotMap:
    """One slot shape of a site, cut into a node; `workload` is empty for the site's own slot."""

    workload: str
    shape: SlotShape
    slots: tuple[Slot, ...]


def slot_maps(site: Site) -> tuple[NodeFacts, list[SlotMap]]:
    """Return what a node offers and how each of the site's slots cuts it; raises `CampaignError`."""
    node = node_facts(site)
    maps = []
    for workload, slot in {"": site.slot, **site.slots}.items():
        shape = shape_of(slot)
        try:
            maps.append(SlotMap(workload, shape, partition(node, shape)))
        except CampaignError as error:
            raise CampaignError(f"site {site.site}: slot {workload or 'of the site'}: {error}") from None
    return node, maps


def facts(site: Site) -> dict[str, Any]:
    """Return the slot maps of a site as JSON-ready data."""
    _, maps = slot_maps(site)
    return {one.workload or "default": [slot_facts(slot) for slot in one.slots] for one in maps}
