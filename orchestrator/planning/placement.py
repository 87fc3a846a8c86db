"""Where instances of a benchmark run: the pool that serves it, slots on a node there, blocks."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark, CampaignFile
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, partition, spread
from orchestrator.wording import count_of
from sites import Site, SiteSlot
from sites.quantities import shown
from sites.schedulers import Batch
from workloads.description import Workload
from workloads.external.command import ExternalWorkload
from workloads.spelling import near

_log = logging.getLogger(__name__)
Place = tuple[str, SlotShape, tuple[Slot, ...]]
"""A pool, the shape of a slot there, and the slots of one of its nodes."""
BLOCK_OVERHEAD_SECONDS = 20.0  # of a block, for starting workers and ending instances


def placed(
    benchmark: Benchmark,
    workload: Workload,
    pools: Mapping[str, tuple[Site, NodeFacts]],
    kept: str | None = None,
) -> list[Place]:
    """Return the pools that serve a benchmark, with shape and slots there.

    It is the first that may serve it and that its slot fits, or all of these where it is spread.

    Raises
    ------
    CampaignError
        If no pool can serve it, with a line for each that may.
    """
    pooled = list(pools) != [""]
    names = may_serve(benchmark, pools)
    if not names:
        wanted = ", ".join(benchmark.pools)
        hint = near(benchmark.pools[0], pools, f"the site has {', '.join(pools)}")
        raise CampaignError(f"benchmark {benchmark.name}: the site has no pool {wanted} to use{hint}")
    names.sort(key=lambda name: name != kept)
    found, problems = [], []
    for pool in names:
        site, node = pools[pool]
        shape = site_shape(slot_of(benchmark, workload, site), node, site)
        try:
            found.append((pool, shape, cut_node(node, shape, benchmark, workload, site)))
        except CampaignError as error:
            problems.append(f"{error} (pool {pool})" if pooled else str(error))
        if found and not benchmark.spread:
            break
    if not found:
        raise CampaignError("\n".join(problems))
    return found


def may_serve(benchmark: Benchmark, pools: Mapping[str, tuple[Site, NodeFacts]]) -> list[str]:
    """Return the pools that a benchmark may run on, in the order in which they are tried."""
    if benchmark.pools and list(pools) != [""]:
        return [one for one in benchmark.pools if one in pools]
    return list(pools)


def check_spread(
    benchmark: Benchmark,
    campaign: CampaignFile,
    places: Sequence[Place],
    *,
    separate: bool,
) -> None:
    """Raise `CampaignError` where instances of a benchmark cannot run on several pools at once.

    Parameters
    ----------
    separate
        Whether the rulebook wants benchmarks one at a time.
    """
    why = None
    if campaign.start == "synchronized":
        why = "with `start: synchronized` a wave is of one pool"
    elif separate:
        why = f"rulebook {campaign.rulebook} wants all instances of a benchmark on nodes of one pool"
    if why:
        names = ", ".join(pool for pool, _, _ in places)
        raise CampaignError(
            f"benchmark {benchmark.name}: spread would run it on pools {names}, and {why}; write no spread, "
            "or name one pool under pools"
        )


def hint_pools(campaign: CampaignFile, site: Site) -> None:
    """Warn of benchmarks that are spread on a site without pools."""
    if not site.pools and (names := {one.sweep or one.name for one in campaign.benchmarks if one.spread}):
        _log.warning(
            "spread of benchmark %s has no effect: site %s has no pools; write its kinds of nodes under "
            "pools of the site file, or no spread",
            ", ".join(sorted(names)),
            site.site,
        )
    if unused := outside_of_pools(site):
        _log.warning("site %s: %s", site.site, unused)


def outside_of_pools(site: Site) -> str:
    """Return that a partition or queue beside pools serves no benchmark; empty where a pool has it."""
    pools = site.pooled().values()
    unused = [
        f"{key} {mine}"
        for key in ("partition", "queue", "constraint")
        if (mine := getattr(site.scheduler, key, None))
        and all(getattr(one.scheduler, key, None) != mine for one in pools)
    ]
    if not unused:
        return ""
    return (
        f"{' and '.join(unused)} of the scheduler, outside of pools, serves no benchmark: keys there are "
        "what pools leave out; write a pool for it too"
    )


def group_of(benchmark: Benchmark, campaign: CampaignFile, *, separate: bool) -> str:
    """Return the group of benchmarks beside which one may run.

    Points of a sweep run alone unless they share. A wave that starts together is of one benchmark.
    """
    if campaign.start == "synchronized" or (benchmark.point and not benchmark.share):
        return benchmark.name
    if benchmark.sweep:
        return benchmark.sweep
    return benchmark.name if separate else ""


def blocks_of(site: Site, shape: SlotShape) -> tuple[int, int]:
    """Return how many blocks a site gives at once, and the nodes of each: at least those of an instance."""
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    return (batch.max_blocks, max(batch.nodes_per_block, shape.nodes)) if batch else (1, 1)


def width_of(site: Site, shape: SlotShape, slots: tuple[Slot, ...]) -> int:
    """Return how many instances of a shape run at once when every block, or the machine, has its nodes."""
    blocks, nodes_per_block = blocks_of(site, shape)
    if site.nodes is not None:
        blocks = min(blocks, max(1, site.nodes // nodes_per_block))
    return len(slots) * blocks * (nodes_per_block // shape.nodes)


def slot_of(benchmark: Benchmark, workload: Workload, site: Site) -> SiteSlot:
    """Return the slot of a benchmark's instances: its own, else the site's, with the keys that axes set."""
    slot = benchmark.slot or site.slots.get(workload.name, site.slot)
    return slot.model_copy(update=dict(benchmark.point.slot)) if benchmark.point else slot


def shape_of(slot: SiteSlot) -> SlotShape:
    """Return the shape that a slot of a file describes."""
    return SlotShape(slot.cores, int(slot.memory) if slot.memory else None, slot.ranks, slot.gpus, slot.nodes)


def site_shape(slot: SiteSlot, node: NodeFacts, site: Site) -> SlotShape:
    """Return the shape of a slot on a site; where it states no nodes, its ranks take as few as they need."""
    shape = shape_of(slot)
    return shape if site.local or "nodes" in slot.model_fields_set else spread(node, shape)


def cut_node(
    node: NodeFacts, shape: SlotShape, benchmark: Benchmark, workload: Workload, site: Site
) -> tuple[Slot, ...]:
    """Return the slots of a node for a benchmark: the first alone where others leave that node to it.

    Raises
    ------
    CampaignError
        If its instances cannot run there.
    """
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    nodes = 1 if site.local else site.nodes
    if nodes is not None and shape.nodes > nodes:
        todo = "nodes: 1 into its slot" if site.local else "fewer ranks, or correct nodes in the site file"
        raise CampaignError(
            f"benchmark {benchmark.name}: an instance needs {count_of(shape.nodes, 'node')}, site "
            f"{site.site} has {nodes}; write {todo}"
        )
    if batch is not None and (benchmark.expected_runtime or 0) + BLOCK_OVERHEAD_SECONDS > batch.walltime:
        raise CampaignError(
            f"benchmark {benchmark.name}: an instance is expected to take "
            f"{shown(benchmark.expected_runtime or 0)}, a block's walltime on site {site.site} is "
            f"{shown(batch.walltime)}; ask for a longer walltime there, or correct expected_runtime"
        )
    if shape.ranks > 1 and not workload.ranks:
        is_external = isinstance(workload, ExternalWorkload)
        or_in_file = ", or ranks: true into its file if the command joins its ranks" if is_external else ""
        raise CampaignError(
            f"benchmark {benchmark.name}: workload {workload.name} runs as one process, "
            f"its slot has {shape.ranks} ranks; write ranks: 1 into a slot of the benchmark{or_in_file}"
        )
    try:
        slots = partition(node, shape)
    except CampaignError as error:
        raise CampaignError(f"benchmark {benchmark.name}: {error}") from None
    return slots[:1] if benchmark.alone == "node" else slots


def most_seconds_side_by_side(longest: Sequence[tuple[float, int]], width: int) -> float:
    """Return the seconds that benchmarks take side by side at most, in whatever order their instances start.

    A slot is idle only after the last instance has begun, which is the bound of Graham (1969) for list
    scheduling; and every slot ends an instance in each span of the longest one.

    Parameters
    ----------
    longest
        Most seconds of an instance, and number of instances, of each benchmark.
    """
    last = max((seconds for seconds, number in longest if number), default=0.0)
    work = sum(seconds * number for seconds, number in longest)
    waves = -(-sum(number for _, number in longest) // width)
    return min(work / width + last * (1 - 1 / width), last * waves)


def seconds_side_by_side(expected: Sequence[tuple[float | None, int]], width: int) -> float | None:
    """Return the seconds that benchmarks take side by side; None if one has no expected length.

    Parameters
    ----------
    expected
        Seconds of an instance, and number of instances, of each benchmark.
    """
    known = [(seconds, number) for seconds, number in expected if seconds is not None]
    if len(known) < len(expected):
        return None
    waves = [seconds * -(-number // width) for seconds, number in known]
    return max(*waves, sum(seconds * number for seconds, number in known) / width)
