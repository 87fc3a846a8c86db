"""From a campaign and a site to instances, seeds, slots, stages and waves. Pure: nothing runs here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from db.records import NewBenchmark, NewInstance, NewPoint
from orchestrator.catalog.registered_description import facts_of
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning import placement
from orchestrator.planning.campaign_file import ALONE, Alone, Benchmark, CampaignFile
from orchestrator.planning.instance_counts import Fill
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, shape_facts, share_of_system
from orchestrator.planning.sweeps import Point, axis_texts
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Rulebook
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Batch
from sites.schema import NAME
from workloads.description import QualityTarget, Value, Workload, WorkloadError, broken_rules
from workloads.external.reference import pin


@dataclass(frozen=True, slots=True)
class PlannedBenchmark:
    """A benchmark with everything decided: full parameters, slot shape, the node's slots, data folder.

    `target` is the rulebook's quality target, or else the workload's own.
    """

    name: str
    workload: Workload
    module: str
    instances: int
    first_instance: int
    parameters: dict[str, Value]
    shape: SlotShape
    slots: tuple[Slot, ...]
    share_of_system: float | None
    timeout_seconds: float
    expected_seconds: float | None
    data: Path | None
    make: dict[str, Value] | None
    target: QualityTarget | None = None
    point: Point | None = None
    group: str = ""
    """Benchmarks of a stage with the same text here may run side by side."""
    alone: Alone = False
    """Beside which instances none of its own runs: those of the campaign, of its pool, or of their node."""
    pool: str = ""
    """Pool of the site that serves it; empty where the site has none."""
    others: tuple[PlannedBenchmark, ...] = ()
    """Itself on the further pools that serve it, where its instances are spread."""

    @property
    def sweep(self) -> str | None:
        """Name of the sweep that it is a point of, if it is one."""
        return self.point.sweep if self.point else None

    @property
    def places(self) -> tuple[PlannedBenchmark, ...]:
        """Itself on each pool that serves it."""
        return (self, *self.others)

    def slot_facts(self) -> dict[str, Any]:
        """Return its slot, as the ledger and JSON show it, and those on further pools."""
        return (
            shape_facts(self.shape)
            | {"slots": len(self.slots), "share_of_system": self.share_of_system}
            | ({"pool": self.pool} if self.pool else {})
            | ({"others": [one.slot_facts() for one in self.others]} if self.others else {})
        )

    def row(self) -> NewBenchmark:
        """Return the ledger's row."""
        return NewBenchmark(
            benchmark=self.name,
            workload=self.module,
            instances=self.instances,
            parameters=json.dumps(self.parameters, sort_keys=True),
            slot=json.dumps(self.slot_facts()),
            timeout_seconds=self.timeout_seconds,
            quality_metric=self.target.metric if self.target else None,
            quality_target=self.target.at_least if self.target else None,
        )

    def description(self) -> dict[str, Any]:
        """Return the document by which the ledger describes its workload."""
        return facts_of(self.module, self.workload)

    def point_rows(self) -> list[NewPoint]:
        """Return the ledger's rows of its axes; none if it is no point of a sweep."""
        if self.point is None:
            return []
        return [
            NewPoint(self.name, axis, place, self.point.sweep, value, number)
            for place, (axis, value, number) in enumerate(axis_texts(self.point))
        ]


@dataclass(frozen=True)
class Stage:
    """Benchmarks of one slot shape, which share a whole pool of the site; stages of a pool follow each other.

    Parameters
    ----------
    site
        The site as the stage's pool has it.
    shape, slots
        Slot shape, and the slots of one node.
    blocks, nodes_per_block
        Scheduler jobs at a time, and the nodes of each.
    benchmarks
        Longest first. One that is spread has the instances here that its share of the slots suggests; which
        pool runs an instance is known when a slot is free.
    together
        Whether the instances of a wave start together; it is of one benchmark then.
    spread
        Names of the benchmarks whose instances stages of other pools run, too.
    """

    site: Site
    shape: SlotShape
    slots: tuple[Slot, ...]
    blocks: int
    nodes_per_block: int
    benchmarks: tuple[PlannedBenchmark, ...]
    together: bool = False
    spread: frozenset[str] = frozenset()
    excluded: tuple[str, ...] = ()  # names of nodes that it never uses

    @property
    def label(self) -> str:
        """Short name of its slots, fit for a file name; pools have slots of their own."""
        alone = self.benchmarks[0].alone
        label = self.shape.label + {"False": "", "True": "-alone"}.get(str(alone), f"-alone-in-{alone}")
        return f"{self.site.pool}.{label}" if self.site.pool else label

    @property
    def alone(self) -> bool:
        """True where its instances run one at a time."""
        return self.benchmarks[0].alone in ALONE

    @cached_property
    def groups(self) -> Mapping[str, tuple[PlannedBenchmark, ...]]:
        """Benchmarks that may run side by side, in groups; instances of two groups never do."""
        groups: dict[str, list[PlannedBenchmark]] = {}
        for one in self.benchmarks:
            groups.setdefault(one.group, []).append(one)
        return {name: tuple(members) for name, members in groups.items()}

    @cached_property
    def group_of(self) -> Mapping[str, str]:
        """The group of each benchmark, by name."""
        return {one.name: one.group for one in self.benchmarks}

    @cached_property
    def beside(self) -> Mapping[str, frozenset[str]]:
        """Names of the benchmarks that may run beside each, itself included."""
        return {
            one.name: names
            for members in self.groups.values()
            for names in [frozenset(member.name for member in members)]
            for one in members
        }

    @property
    def width(self) -> int:
        """How many instances run at once when every block has its nodes."""
        return 1 if self.alone else len(self.slots) * self.blocks * (self.nodes_per_block // self.shape.nodes)

    @property
    def instances(self) -> int:
        """Number of instances in this stage."""
        return sum(benchmark.instances for benchmark in self.benchmarks)

    @property
    def waves(self) -> int:
        """How many times the slots fill up, at the least."""
        return sum(-(-number // self.width) for number in self._instances_of_groups)

    @cached_property
    def _instances_of_groups(self) -> list[int]:
        return [sum(one.instances for one in members) for members in self.groups.values()]

    @property
    def mostly_idle_wave(self) -> int | None:
        """Instances of a last wave, after full ones, that leaves most slots idle; None without one."""
        last = (number % self.width for number in self._instances_of_groups if number > self.width)
        return next((number for number in last if 0 < number * 2 < self.width), None)

    @property
    def expected_seconds(self) -> float | None:
        """Expected length if no instance takes longer than expected; None if one has no such time."""
        found = [
            placement.seconds_side_by_side([(b.expected_seconds, b.instances) for b in members], self.width)
            for members in self.groups.values()
        ]
        return sum(one for one in found if one is not None) if None not in found else None

    @property
    def node_hours(self) -> float | None:
        """Node-hours that its instances need at the least, if they take what they are expected to."""
        return self._node_hours(self.expected_seconds)

    def _node_hours(self, seconds: float | None) -> float | None:
        """Return the node-hours of some seconds with as many blocks as the instances side by side need."""
        most = max(self._instances_of_groups)
        blocks = min(self.blocks, -(-most * self.blocks // self.width))
        return None if seconds is None else seconds / 3600 * blocks * self.nodes_per_block

    def node_hours_of(self, benchmark: PlannedBenchmark, *, at_most: bool = False) -> float | None:
        """Return the node-hours of a benchmark: of all nodes, or its share; `at_most` is until timeouts."""
        each = benchmark.timeout_seconds if at_most else benchmark.expected_seconds
        if each is None:
            return None
        shared = len(self.groups[benchmark.group]) > 1
        waves = benchmark.instances / self.width if shared else -(-benchmark.instances // self.width)
        return self._node_hours(each * waves)


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

    @property
    def lanes(self) -> tuple[tuple[Stage, ...], ...]:
        """Stages that run one after another, in groups that run side by side: one for each pool.

        They are one group where waves start together, a benchmark runs alone, or the rulebook separates them.
        """
        alone = any(one.alone is True for one in self.benchmarks)
        if alone or self.campaign.start == "synchronized" or self.rulebook.one_benchmark_at_a_time:
            return (self.stages,)
        pools: dict[str | None, list[Stage]] = {}
        for stage in self.stages:
            pools.setdefault(stage.site.pool, []).append(stage)
        return tuple(map(tuple, pools.values()))

    @property
    def width(self) -> int:
        """How many instances run at once at the most when every block has its nodes."""
        return sum(max(stage.width for stage in lane) for lane in self.lanes)

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
        each = ((stage, one) for stage in self.stages for one in stage.benchmarks)
        return sum(stage.node_hours_of(one, at_most=True) or 0.0 for stage, one in each)

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
    data
        Directory that holds the data folders.
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
    return replace(plan, stages=_stages(planned, plan))


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
    if benchmark.alone == "node":
        places = [(pool, shape, slots[:1]) for pool, shape, slots in places]
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
        make=workload.data.resolve_sizes(benchmark.data.generate)
        if workload.data and benchmark.data.generate is not None
        else None,
        target=(in_suite.target if in_suite else None) or workload.own_target,
        point=benchmark.point,
        group=placement.group_of(benchmark, campaign, separate=book.one_benchmark_at_a_time),
        alone=benchmark.alone,
        pool=pool,
    )
    others = [
        replace(
            first_place,
            pool=pool,
            shape=shape,
            slots=slots,
            share_of_system=_share_of_system(pools[pool], shape),
        )
        for pool, shape, slots in places[1:]
    ]
    return replace(first_place, others=tuple(others))


def _share_of_system(place: tuple[Site, NodeFacts], shape: SlotShape) -> float | None:
    site, node = place
    return share_of_system(node, shape, 1 if site.local else site.nodes)


def without(plan: Plan, left_out: Mapping[str, str]) -> Plan:
    """Return a plan without some of its benchmarks; the instances of the others are numbered anew.

    Parameters
    ----------
    left_out
        Why, by the benchmark's name.

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
            kept.append(replace(benchmark, first_instance=first, others=moved))
    if not kept:
        raise CampaignError("\n".join(f"benchmark {name}: {why}" for name, why in left_out.items()))
    return replace(plan, benchmarks=tuple(kept), stages=_stages(kept, plan), left_out=dict(left_out))


def _pinned(benchmark: Benchmark) -> str:
    try:
        return pin(benchmark.workload)
    except WorkloadError as error:
        raise CampaignError(f"benchmark {benchmark.name}: {error}") from None


def _stages(planned: list[PlannedBenchmark], plan: Plan) -> tuple[Stage, ...]:
    sites = plan.site.pooled()
    together = plan.campaign.start == "synchronized"
    kinds: dict[tuple[str, SlotShape, Alone], list[PlannedBenchmark]] = {}
    for benchmark in (place for one in planned for place in one.places):
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
        stage = Stage(sites[pool], shape, members[0].slots, blocks, nodes, tuple(longest_first), together)
        stages.append(stage if plan.whole_blocks else _fitted(stage))
    return _shared(stages, {one.name for one in planned if one.others})


def _shared(stages: Sequence[Stage], spread: AbstractSet[str]) -> tuple[Stage, ...]:
    """Return stages that share the instances of benchmarks that are spread, by their slots."""
    slots = {name: sum(one.width for one in stages if name in one.group_of) for name in spread}
    before = dict.fromkeys(spread, 0)
    found = []
    for stage in stages if spread else ():
        members = []
        for one in stage.benchmarks:
            if one.name in spread:
                first = one.instances * before[one.name] // slots[one.name]
                before[one.name] += stage.width
                one = replace(one, instances=one.instances * before[one.name] // slots[one.name] - first)
            members.append(one)
        here = frozenset(spread & stage.group_of.keys())
        found.append(replace(stage, benchmarks=tuple(members), spread=here))
    return tuple(found) if spread else tuple(stages)


def _fitted(stage: Stage) -> Stage:
    """Return a stage with blocks no larger than its instances side by side can fill, and of one size."""
    if stage.site.local:
        return stage
    span, slots = stage.shape.nodes, len(stage.slots)
    most = min(stage.width, max(sum(one.instances for one in members) for members in stage.groups.values()))
    nodes = span * -(-most // slots)
    largest = stage.nodes_per_block // span * span
    blocks = min(stage.blocks, -(-nodes // largest))
    fewest = min(largest, span * -(-nodes // (blocks * span)))
    if fewest == stage.nodes_per_block:
        return stage
    return replace(stage, blocks=blocks, nodes_per_block=fewest)
