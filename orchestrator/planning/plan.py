"""From a campaign and a site to instances, seeds, slots, stages and waves. Pure: nothing runs here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from db.records import NewInstance, NewPoint
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning import placement
from orchestrator.planning.campaign_file import ALONE, Alone, Benchmark, CampaignFile
from orchestrator.planning.instances.counts import Fill
from orchestrator.planning.larger_slots import larger_places
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, share_of_system
from orchestrator.planning.stage import PlannedBenchmark, Stage, fitted, shared
from orchestrator.protocol.order import LEAD_SECONDS, LOCAL_LEAD_SECONDS
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Rulebook
from orchestrator.wording import count_of
from sites import Site
from sites.files import NAME
from sites.schedulers import Batch
from workloads.description import Value, Workload, WorkloadError, broken_rules
from workloads.external.reference import pin


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a campaign will do on a site, before anything is done."""

    name: str
    campaign: CampaignFile
    site: Site
    benchmarks: tuple[PlannedBenchmark, ...]
    stages: tuple[Stage, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Optional benchmarks that do not run, and why."""
    whole_blocks: bool = False
    """Whether blocks have all nodes that the site gives them, however few instances there are."""
    retry_stages: tuple[Stage, ...] = ()
    """Stages with larger slots for instances that ran out of memory or disk; these have no instances yet."""

    @property
    def all_stages(self) -> tuple[Stage, ...]:
        """Stages of first attempts, and those of retries with more memory or disk."""
        return (*self.stages, *self.retry_stages)

    @property
    def lanes(self) -> tuple[tuple[Stage, ...], ...]:
        """Stages that run one after another, in groups that run side by side: one for each pool.

        They are one group where waves start together, a benchmark runs alone, or the rulebook separates them.
        """
        alone = any(one.alone is True for one in self.benchmarks)
        if alone or self.campaign.start == "synchronized" or self.rulebook.one_benchmark_at_a_time:
            return (self.all_stages,)
        pools: dict[str | None, list[Stage]] = {}
        for stage in self.all_stages:
            pools.setdefault(stage.site.pool, []).append(stage)
        return tuple(map(tuple, pools.values()))

    @property
    def lead_seconds(self) -> float:
        """How long before the start of a wave the driver announces it."""
        local = all(stage.site.local for stage in self.all_stages)
        return LOCAL_LEAD_SECONDS if local else LEAD_SECONDS

    @property
    def width(self) -> int:
        """How many instances run at once at the most when every block has its nodes."""
        return sum(max((stage.width for stage in lane if not stage.level), default=0) for lane in self.lanes)

    @property
    def size(self) -> int:
        """Number of instances."""
        return sum(benchmark.instances for benchmark in self.benchmarks)

    @property
    def node_hours(self) -> float | None:
        """Node-hours of all stages; None if one has no expected length."""
        hours = [stage.node_hours for stage in self.stages]
        return sum(one for one in hours if one is not None) if None not in hours else None

    @property
    def node_hours_at_most(self) -> float:
        """Node-hours of all stages if every instance runs until its timeout once."""
        return sum(stage.node_hours_at_most for stage in self.stages)

    def instances(self) -> Iterator[NewInstance]:
        """Yield every instance; instance k has seed ``campaign seed + k`` (mod 2**32), so none repeats."""
        for benchmark in self.benchmarks:
            for number in range(benchmark.instances):
                instance = benchmark.first_instance + number
                yield NewInstance(instance, benchmark.name, number, (self.campaign.seed + instance) % 2**32)

    def point_rows(self) -> list[NewPoint]:
        """Return the ledger's rows of all points of sweeps."""
        return [row for benchmark in self.benchmarks for row in benchmark.point_rows()]

    @property
    def rulebook(self) -> Rulebook:
        """The campaign's rulebook."""
        return registry.load(self.campaign.rulebook)

    @property
    def misfit(self) -> str:
        """Advice where the suite of the rulebook has no benchmark of the campaign; empty where it has one."""
        workloads = [registry.workload_name(one.module, one.workload) for one in self.benchmarks]
        return registry.misfit(self.campaign.rulebook, workloads)

    def broken_rules(self, benchmark: PlannedBenchmark) -> list[str]:
        """List how a benchmark's parameters break the suite's rules and its workload's own."""
        suite = self.rulebook.workloads().get(registry.workload_name(benchmark.module, benchmark.workload))
        own = broken_rules(benchmark.workload.own_rules, benchmark.parameters)
        found = broken_rules(suite.parameters, benchmark.parameters) if suite else []
        return list(dict.fromkeys((*own, *found)))


def make_plan(
    campaign: CampaignFile,
    site: Site,
    node: NodeFacts,
    data: Path,
    name: str | None = None,
    *,
    whole_blocks: bool = False,
    kept_pools: Mapping[str, str] | None = None,
) -> Plan:
    """Plan a campaign on a site.

    Parameters
    ----------
    node
        What a node offers; nodes of pools are those of the site's file.
    name
        Name in the ledger; by default the campaign file's.
    whole_blocks
        Ask for all nodes of a block, as within an allocation, where fewer would hold all instances.
    kept_pools
        Pools that are tried first, by benchmark: those of accepted instances.

    Raises
    ------
    CampaignError
        If a slot is bigger than the node, or `name` is not fit for a name.
    """
    if name is not None and not re.fullmatch(NAME, name):
        raise CampaignError(f"a campaign's name has letters, digits, '.', '_' and '-' only, not {name!r}")
    pools = {pool: (one, node_facts(one) if site.pools else node) for pool, one in site.pooled().items()}
    planned: list[PlannedBenchmark] = []
    first = 0
    for benchmark in campaign.benchmarks:
        kept = (kept_pools or {}).get(benchmark.name)
        planned.append(_planned(benchmark, campaign, pools, data, first, kept))
        first += planned[-1].instances
    if first > 2**32:
        raise CampaignError(f"{first} instances need more distinct seeds than there are (2**32)")
    placement.hint_pools(campaign, site)
    plan = Plan(name or campaign.campaign, campaign, site, tuple(planned), (), whole_blocks=whole_blocks)
    return _staged(plan)


def _staged(plan: Plan) -> Plan:
    """Return a plan with the stages of its benchmarks."""
    first = _stages([place for one in plan.benchmarks for place in one.places], plan)
    retried: list[Stage] = []
    levels = dict.fromkeys(level for one in plan.benchmarks for level in one.larger)
    for level in sorted(levels, key=sum):
        larger = [one.larger[level] for one in plan.benchmarks if level in one.larger]
        retried += [replace(stage, level=level) for stage in _stages(larger, plan)]
    spread = {one.name for one in plan.benchmarks if one.others}
    fit = [fitted(stage, stage.most_side_by_side) for stage in first]
    return replace(plan, stages=shared(fit, spread), retry_stages=tuple(retried))


def _planned(
    benchmark: Benchmark,
    campaign: CampaignFile,
    pools: Mapping[str, tuple[Site, NodeFacts]],
    data: Path,
    first: int,
    kept: str | None,
) -> PlannedBenchmark:
    """Return a benchmark with everything decided; `first` is the number of its first instance."""
    book = registry.load(campaign.rulebook)
    workload = describe(benchmark.workload)
    in_suite = book.workloads().get(registry.workload_name(benchmark.workload, workload))
    places = placement.placed(benchmark, workload, pools, kept)
    if len(places) > 1:
        placement.check_spread(benchmark, campaign, places, separate=book.one_benchmark_at_a_time)
    count = benchmark.instances
    widths = (placement.width_of(pools[pool][0], shape, slots) for pool, shape, slots in places)
    width = 1 if benchmark.alone in ALONE else sum(widths)
    pool, shape, slots = places[0]
    first_place = PlannedBenchmark(
        name=benchmark.name,
        workload=workload,
        module=_pinned(benchmark),
        instances=count.instances(width) if isinstance(count, Fill) else count,
        first_instance=first,
        parameters=workload.resolve(benchmark.parameters),
        shape=shape,
        slots=slots,
        share_of_system=_share_of_system(pools[pool], shape),
        timeout_seconds=benchmark.timeout,
        expected_seconds=benchmark.expected_runtime,
        data=data / (benchmark.data.directory or workload.name) if workload.data else None,
        make=_made_sizes(workload, benchmark),
        target=(in_suite.target if in_suite else None) or workload.own_target,
        point=benchmark.point,
        group=placement.group_of(benchmark, campaign, separate=book.one_benchmark_at_a_time),
        alone=benchmark.alone,
        pool=pool,
    )

    def elsewhere(pool: str, shape: SlotShape, slots: tuple[Slot, ...]) -> PlannedBenchmark:
        share = _share_of_system(pools[pool], shape)
        return replace(first_place, pool=pool, shape=shape, slots=slots, share_of_system=share)

    larger = larger_places(places, campaign.retries, benchmark, workload, pools)
    return replace(
        first_place,
        others=tuple(elsewhere(*place) for place in places[1:]),
        larger={level: replace(elsewhere(*place), instances=0) for level, place in larger.items()},
    )


def _made_sizes(workload: Workload, benchmark: Benchmark) -> dict[str, Value] | None:
    """Return the sizes of made data; None where none are made."""
    if workload.data is None or benchmark.data.generate is None:
        return None
    parameters = workload.resolve(benchmark.parameters)
    decided = {name: parameters[name] for name in workload.data.decided_by}
    return workload.data.resolve_sizes(decided | benchmark.data.generate)


def _share_of_system(place: tuple[Site, NodeFacts], shape: SlotShape) -> float | None:
    site, node = place
    return share_of_system(node, shape, 1 if site.local else site.nodes)


def without(plan: Plan, left_out: Mapping[str, str]) -> Plan:
    """Return a plan without some of its benchmarks; the instances of the others are numbered anew.

    Raises
    ------
    CampaignError
        If no benchmark is left.
    """
    if not left_out:
        return plan
    kept: list[PlannedBenchmark] = []
    for benchmark in plan.benchmarks:
        if benchmark.name not in left_out:
            first = sum(one.instances for one in kept)
            moved = tuple(replace(one, first_instance=first) for one in benchmark.others)
            larger = {level: replace(one, first_instance=first) for level, one in benchmark.larger.items()}
            kept.append(replace(benchmark, first_instance=first, others=moved, larger=larger))
    if not kept:
        raise CampaignError("\n".join(f"benchmark {name}: {why}" for name, why in left_out.items()))
    return _staged(replace(plan, benchmarks=tuple(kept), left_out=dict(left_out)))


def _pinned(benchmark: Benchmark) -> str:
    try:
        return pin(benchmark.workload)
    except WorkloadError as error:
        raise CampaignError(f"benchmark {benchmark.name}: {error}") from None


def _stages(places: Sequence[PlannedBenchmark], plan: Plan) -> list[Stage]:
    """Return a stage for each pool, shape and degree of solitude, with all blocks that the site gives."""
    sites = plan.site.pooled()
    together = plan.campaign.start == "synchronized"
    kinds: dict[tuple[str, SlotShape, Alone], list[PlannedBenchmark]] = {}
    for benchmark in places:
        kinds.setdefault((benchmark.pool, benchmark.shape, benchmark.alone), []).append(benchmark)
    stages = []
    for (pool, shape, alone), members in kinds.items():
        blocks, nodes = placement.blocks_of(sites[pool], shape)
        blocks = 1 if alone in ALONE else blocks
        batch = sites[pool].scheduler
        if plan.whole_blocks and isinstance(batch, Batch) and nodes > batch.nodes_per_block:
            raise CampaignError(
                f"benchmark {members[0].name}: an instance needs {count_of(nodes, 'node')}, the "
                f"allocation has {batch.nodes_per_block}; get a larger one"
            )
        longest_first = sorted(members, key=lambda b: -(b.expected_seconds or b.timeout_seconds))
        stages.append(
            Stage(
                sites[pool],
                shape,
                members[0].slots,
                blocks,
                nodes,
                tuple(longest_first),
                together,
                whole_blocks=plan.whole_blocks,
            )
        )
    return stages
