"""Slots of instances that ran out of memory, or of their node's disk, in smaller ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark
from orchestrator.planning.instances.retries import Retries
from orchestrator.planning.placement import Place, cut_node, may_serve, site_shape, slot_of
from orchestrator.planning.slots import NodeFacts
from sites import Site
from workloads.description import Workload

_MEBIBYTE = 2**20


class Level(NamedTuple):
    """How often an instance ran out of each resource; True where its slot is larger than a first one."""

    memory: int = 0
    disk: int = 0

    def __bool__(self) -> bool:
        """Return whether an instance ran out of anything."""
        return any(self)

    @property
    def ends(self) -> dict[str, int]:
        """How often it ran out, by resource, without those that it never ran out of."""
        return {resource: times for resource, times in self._asdict().items() if times}

    def within(self, levels: Iterable[Level]) -> Level:
        """Return the highest of some levels that is not above this one; the first level where none is."""
        below = (one for one in levels if one.memory <= self.memory and one.disk <= self.disk)
        return max(below, key=lambda one: (sum(one), one), default=FIRST)


FIRST = Level()


def larger_places(
    first: Sequence[Place],
    retries: Retries,
    benchmark: Benchmark,
    workload: Workload,
    pools: Mapping[str, tuple[Site, NodeFacts]],
) -> dict[Level, Place]:
    """Return where an instance runs after it ended for lack of memory or disk, by how often.

    Each slot has so many times the memory, or the disk, of the one before, or all that a node has, where that
    is less; a pool that served the benchmark before is tried first. A slot's disk is its even share of the
    node's: as bytes where each of the pools states its size, else as a fraction of a node.

    Parameters
    ----------
    first
        Pools, shapes and slots of first attempts.

    Returns
    -------
    dict
        Without levels for which no pool has a larger slot than for those below. One resource of several may
        stay as it is where a node has no more.
    """
    names = list(dict.fromkeys([*(pool for pool, _, _ in first), *may_serve(benchmark, pools)]))
    disks = {name: pools[name][1].disk_bytes or 0 for name in names}
    disks = disks if all(disks.values()) else dict.fromkeys(names, 1)

    def sizes_of(place: Place) -> dict[str, Fraction]:
        pool, shape, slots = place
        even = Fraction(pools[pool][1].memory_bytes, len(slots) * shape.ranks_per_node)
        share = Fraction(1) if benchmark.alone else Fraction(1, len(slots))
        return {"memory": Fraction(shape.memory_bytes or even), "disk": share * disks[pool]}

    of_first = [sizes_of(place) for place in first]
    sizes = {FIRST: {resource: max(one[resource] for one in of_first) for resource in Level._fields}}
    found: dict[Level, Place] = {}
    for level in _levels(retries):
        below = {one: level._replace(**{one: times - 1}) for one, times in level.ends.items()}
        if not all(one in sizes for one in below.values()):
            continue
        too_small = {resource: sizes[one][resource] for resource, one in below.items()}
        least = {resource: max(sizes[one][resource] for one in below.values()) for resource in below}
        factors = {resource: Fraction(str(getattr(retries, resource))) for resource in below}
        wanted = {one: max(least[one], size * factors[one]) for one, size in too_small.items()}
        best_fit: list[Fraction] = []
        for name in names:
            place = _larger(name, wanted, disks[name], benchmark, workload, *pools[name])
            if place is None:
                continue
            here = sizes_of(place)
            fit = [min(here[one], size) for one, size in wanted.items()]
            grows = any(here[one] > size for one, size in too_small.items())
            if grows and fit > best_fit and all(here[one] >= size for one, size in least.items()):
                found[level], sizes[level], best_fit = place, here, fit
    return found


def _levels(retries: Retries) -> Iterator[Level]:
    """Yield the levels above the first that retries lead to, each after those below it.

    An instance that is planned again after its last retry may have run out of each resource as often.
    """
    factors = (getattr(retries, resource) for resource in Level._fields)
    ranges = (range(1 if factor is None else retries.benchmark + 1) for factor in factors)
    yield from sorted((level for times in product(*ranges) if (level := Level(*times))), key=sum)


def _larger(
    pool: str,
    wanted: Mapping[str, Fraction],
    disk: int,
    benchmark: Benchmark,
    workload: Workload,
    site: Site,
    node: NodeFacts,
) -> Place | None:
    """Return slots of a pool with so much memory or disk, or all of a node; None where none fits.

    Parameters
    ----------
    disk
        A node's disk, as `wanted` counts it.
    """
    shape = site_shape(slot_of(benchmark, workload, site), node, site)
    if "memory" in wanted:
        most = node.memory_bytes // shape.ranks_per_node // _MEBIBYTE
        mebibytes = min(math.ceil(wanted["memory"] / _MEBIBYTE), most)
        shape = replace(shape, memory_bytes=mebibytes * _MEBIBYTE)
    if "disk" in wanted:
        alone = bool(benchmark.alone)
        shape = replace(shape, disk=Fraction(1) if alone else min(Fraction(1), wanted["disk"] / disk))
    with suppress(CampaignError):
        slots = cut_node(node, shape, benchmark, workload, site)
        if shape.disk:  # what it comes to, where other resources leave as few slots
            shape = replace(shape, disk=Fraction(1, len(slots)))
        return pool, shape, slots
    return None
