"""Cutting a node into slots of one shape. Pure."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from orchestrator.errors import CampaignError
from orchestrator.protocol.order import RankResources
from orchestrator.wording import count_of


@dataclass(frozen=True, slots=True)
class SlotShape:
    """Resources that one instance occupies.

    Parameters
    ----------
    cores, memory_bytes, gpus
        Logical CPUs, bytes of memory (None: no limit) and GPUs of each rank; a share of a GPU is
        one over a whole number.
    ranks, nodes
        Processes of one instance, and the nodes they are spread over evenly. An instance of
        several nodes has them to itself.
    disk
        Least share of a node's disk that is the instance's, as no more slots are on the node; 0: no limit.
    """

    cores: int
    memory_bytes: int | None = None
    ranks: int = 1
    gpus: Fraction = Fraction(0)
    nodes: int = 1
    disk: Fraction = Fraction(0)

    @property
    def ranks_per_node(self) -> int:
        """Processes on each node."""
        return self.ranks // self.nodes

    @property
    def slot_memory_bytes(self) -> int | None:
        """Memory of an instance's ranks on one node."""
        return self.memory_bytes * self.ranks_per_node if self.memory_bytes else None

    @property
    def label(self) -> str:
        """Short name, fit for a file name, e.g. ``c2-4096m``, ``n4-r16-c12-g1`` or ``c2-d1of3``."""
        parts = [f"n{self.nodes}"] if self.nodes > 1 else []
        parts += [f"r{self.ranks}"] if self.ranks > 1 else []
        parts += [f"c{self.cores}"]
        if self.gpus:
            parts.append(f"g{_share(self.gpus)}")
        if self.memory_bytes:
            mebibytes, rest = divmod(self.memory_bytes, 2**20)
            parts.append(f"{self.memory_bytes}b" if rest else f"{mebibytes}m")
        if self.disk:
            parts.append(f"d{_share(self.disk)}")
        return "-".join(parts)


def _share(number: Fraction) -> str:
    numerator, denominator = number.as_integer_ratio()
    return f"{numerator}" + (f"of{denominator}" if denominator > 1 else "")


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """Resources that a node offers to instances.

    Parameters
    ----------
    cores
        Logical CPU numbers, in the order they are handed out.
    memory_bytes
        Memory of all instances together.
    numa_domains
        The cores of each NUMA domain; none: the node is one.
    gpus
        How many GPUs; slots name them by their place in the node's own list.
    max_ranks_per_gpu
        How many ranks may share one GPU.
    gpu_cores
        The cores that lie nearest to each GPU; none where that is not known.
    disk_bytes
        Size of its own disk; None where the site file states none.
    """

    cores: tuple[int, ...]
    memory_bytes: int
    numa_domains: tuple[tuple[int, ...], ...] = ()
    gpus: int = 0
    max_ranks_per_gpu: int = 1
    gpu_cores: tuple[tuple[int, ...], ...] = ()
    disk_bytes: int | None = None


Slot = tuple[RankResources, ...]


@lru_cache
def partition(node: NodeFacts, shape: SlotShape) -> tuple[Slot, ...]:
    """Cut a node into slots.

    A rank's cores lie in one NUMA domain wherever a domain still has enough, in the one nearest to
    its GPU where the node says which that is. Slots spread evenly over domains and GPUs.

    Returns
    -------
    tuple of slots
        Each slot is a tuple of one `RankResources` for each of its ranks on the node. No core stands
        twice, no GPU more often than its share allows.

    Raises
    ------
    CampaignError
        If not even one slot fits.
    """
    slots = _slots_per_node(node, shape)
    ranks = slots * shape.ranks_per_node
    gpus = _hand_out_gpus(ranks, node.gpus, shape.gpus)
    cores = _hand_out_cores(node, shape, gpus)
    places = [RankResources(mine, devices) for mine, devices in zip(cores, gpus, strict=True)]
    return tuple(
        tuple(places[first : first + shape.ranks_per_node]) for first in range(0, ranks, shape.ranks_per_node)
    )


def spread(node: NodeFacts, shape: SlotShape) -> SlotShape:
    """Return the shape on as few nodes as its ranks need, each with as many; as it is if no number fits."""
    for nodes in range(1, shape.ranks + 1):
        if shape.ranks % nodes == 0:
            candidate = replace(shape, nodes=nodes)
            with suppress(CampaignError):
                _slots_per_node(node, candidate)
                return candidate
    return shape


def share_of_system(node: NodeFacts, shape: SlotShape, system_nodes: int | None) -> float | None:
    """Return the part of a machine that one instance holds, of cores or GPUs, whichever is more.

    None where the machine's number of nodes is not known.
    """
    if system_nodes is None:
        return None
    if shape.nodes > 1:
        return shape.nodes / system_nodes
    parts = [shape.ranks * shape.cores / len(node.cores)]
    if shape.gpus:
        parts.append(float(shape.ranks * shape.gpus) / node.gpus)
    return max(parts) / system_nodes


def _slots_per_node(node: NodeFacts, shape: SlotShape) -> int:
    here = "" if shape.nodes == 1 else f" on each of its {shape.nodes} nodes"
    if shape.ranks % shape.nodes:
        asked = count_of(shape.ranks, "rank")
        raise CampaignError(f"{asked} cannot be spread evenly over {shape.nodes} nodes")
    ranks = shape.ranks_per_node
    limits = [len(node.cores) // (ranks * shape.cores)]
    if not limits[0]:
        raise CampaignError(
            f"a slot needs {count_of(ranks * shape.cores, 'core')}{here}, the node offers {len(node.cores)}"
        )
    if shape.gpus:
        limits.append(_ranks_by_gpus(node, shape.gpus) // ranks)
        if not limits[-1]:
            gpus = f"{ranks * shape.gpus} GPU{'s' if ranks * shape.gpus > 1 else ''}"
            raise CampaignError(f"a slot needs {gpus}{here}, the node offers {node.gpus or 'none'}")
    if shape.slot_memory_bytes:
        limits.append(node.memory_bytes // shape.slot_memory_bytes)
        if not limits[-1]:
            raise CampaignError(
                f"a slot needs {_gib(shape.slot_memory_bytes)} of memory{here}, "
                f"the node offers {_gib(node.memory_bytes)}"
            )
    if shape.disk:
        limits.append(int(1 / shape.disk))
    return 1 if shape.nodes > 1 else min(limits)


def _ranks_by_gpus(node: NodeFacts, share: Fraction) -> int:
    """Return how many ranks the node's GPUs can serve."""
    if share.denominator == 1:
        return node.gpus // share.numerator
    if share.numerator != 1:
        raise CampaignError(f"a share of a GPU is one over a whole number, such as 1/4, not {share}")
    if share.denominator > node.max_ranks_per_gpu:
        most = node.max_ranks_per_gpu
        allowed = "does not let instances share a GPU" if most == 1 else f"lets {most} share one"
        raise CampaignError(f"a slot needs {share} of a GPU, the site {allowed}; see its node.gpus")
    return node.gpus * share.denominator


def _hand_out_gpus(ranks: int, gpus: int, share: Fraction) -> list[tuple[int, ...]]:
    """Return each rank's GPUs; ranks that share go evenly over all of them."""
    if not share:
        return [()] * ranks
    if share.denominator > 1:
        return [(rank * gpus // ranks,) for rank in range(ranks)]
    return [tuple(range(rank * share.numerator, (rank + 1) * share.numerator)) for rank in range(ranks)]


def _hand_out_cores(node: NodeFacts, shape: SlotShape, gpus: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return each rank's cores.

    Every rank that finds a domain with enough free cores takes all of its cores there, so a rank
    crosses domains only when none is left in which it would not.
    """
    usable = set(node.cores)
    domains = [[core for core in domain if core in usable] for domain in node.numa_domains]
    domains = [domain for domain in domains if domain] or [list(node.cores)]
    listed = {core for domain in domains for core in domain}
    domains += [[core for core in node.cores if core not in listed]] if listed != usable else []
    taken = []
    for rank, devices in enumerate(gpus):
        slot_first = rank - rank % shape.ranks_per_node
        wanted = set(node.gpu_cores[devices[0]]) if devices and node.gpu_cores else set()
        even = slot_first * len(domains) // len(gpus)

        def preference(number: int, wanted: set[int] = wanted, even: int = even) -> tuple[int, int]:
            free = domains[number]
            return -len(wanted.intersection(free)), (number - even) % len(domains)

        roomy = [number for number, free in enumerate(domains) if len(free) >= shape.cores]
        if roomy:
            free = domains[min(roomy, key=preference)]
            mine = sorted(free, key=lambda core: core not in wanted)[: shape.cores]
        else:
            mine = [core for free in domains for core in free][: shape.cores]
        for free in domains:
            free[:] = [core for core in free if core not in mine]
        taken.append(tuple(mine))
    return taken


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def shape_facts(shape: SlotShape) -> dict[str, Any]:
    """Return a slot shape as JSON-ready data; cores, memory and GPUs are those of one rank.

    The share of a node's disk is that of all ranks on the node, and stands only in slots of retries.
    """
    return {
        "nodes": shape.nodes,
        "ranks": shape.ranks,
        "cores": shape.cores,
        "gpus": float(shape.gpus),
        "memory_bytes": shape.memory_bytes,
        **({"disk_share": float(shape.disk)} if shape.disk else {}),
    }


def slot_facts(slot: Slot) -> list[dict[str, list[int]]]:
    """Return a slot as JSON-ready data: cores and GPUs of each rank."""
    return [{"cores": list(place.cores), "gpus": list(place.gpus)} for place in slot]
