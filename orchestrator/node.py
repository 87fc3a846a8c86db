"""What the node that the driver runs on really offers."""

from __future__ import annotations

import os

import psutil

from orchestrator.errors import CampaignError
from orchestrator.slots import NodeFacts
from sites import Site, core_numbers


def node_facts(site: Site) -> NodeFacts:
    """Return the cores and memory that a site's node offers, asking this machine where the file says auto.

    Raises
    ------
    CampaignError
        If the file names cores that this process may not use.
    """
    usable = os.sched_getaffinity(0)
    if site.node.cores == "auto":
        cores = tuple(sorted(usable))
    else:
        cores = core_numbers(site.node.cores)
        missing = [core for core in cores if core not in usable]
        if missing:
            raise CampaignError(
                f"site {site.site} names core {missing[0]}, which this machine does not give us "
                f"(usable: {','.join(map(str, sorted(usable)))})"
            )
    memory = psutil.virtual_memory().total if site.node.memory == "auto" else int(site.node.memory)
    return NodeFacts(cores, memory)
