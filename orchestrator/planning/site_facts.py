"""Facts of a node: from the site file, and on this machine from the machine itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.host.network import LOOPBACK, interface_address
from orchestrator.planning.placement import shape_of
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, partition
from sites import Site, core_numbers

_DOMAINS = Path("/sys/devices/system/node")


def node_facts(site: Site) -> NodeFacts:
    """Return what a site's node offers to instances, asking this machine where the file says auto.

    Raises
    ------
    CampaignError
        If the file names cores that this process may not use, or cores of a domain that the node
        does not have.
    """
    node = site.node
    usable = os.sched_getaffinity(0)
    cores = tuple(sorted(usable)) if node.cores == "auto" else core_numbers(node.cores)
    missing = [core for core in cores if core not in usable] if site.local else []
    if missing:
        raise CampaignError(
            f"site {site.site} names core {missing[0]}, which this machine does not give us "
            f"(usable: {','.join(map(str, sorted(usable)))})"
        )
    domains = tuple(core_numbers(domain) for domain in node.numa_domains)
    if site.local and not domains:
        domains = _own_domains()
    memory = _own_memory() if node.memory == "auto" else int(node.memory)
    if node.gpus is None:
        return NodeFacts(cores, memory, domains, disk_bytes=node.disk)
    return NodeFacts(
        cores,
        memory,
        domains,
        disk_bytes=node.disk,
        gpus=node.gpus.count,
        max_ranks_per_gpu=node.gpus.instances_per_gpu,
        gpu_cores=tuple(core_numbers(cores) for cores in node.gpus.gpu_cores),
    )


def driver_address(site: Site) -> str:
    """Return the address by which nodes reach the driver.

    Raises
    ------
    CampaignError
        If this machine has no such interface, or that has no IPv4 address.
    """
    if site.address is not None:
        return site.address
    if site.interface is None:
        return LOOPBACK
    try:
        return interface_address(site.interface)
    except OSError as error:
        raise CampaignError(
            f"site {site.site}: {error} (launch where the interface is, or write address in the site file)"
        ) from None


def _own_memory() -> int:
    """Return the bytes of this machine's memory."""
    import psutil  # here: a browser's Python, which verifies packages, has none

    return psutil.virtual_memory().total


def _own_domains() -> tuple[tuple[int, ...], ...]:
    """Return the cores of this machine's NUMA domains; none where the kernel does not tell."""
    lists = (
        folder.joinpath("cpulist").read_text().strip()
        for folder in sorted(_DOMAINS.glob("node[0-9]*"), key=lambda folder: int(folder.name[4:]))
    )
    return tuple(core_numbers(text) for text in lists if text)


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
