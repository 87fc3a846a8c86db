"""Benchmarks with everything decided, and the stages that run them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from db.records import NewBenchmark, NewPoint
from orchestrator.catalog.registered_description import facts_of
from orchestrator.planning import placement
from orchestrator.planning.campaign_file import ALONE, Alone
from orchestrator.planning.larger_slots import FIRST, Level
from orchestrator.planning.slots import Slot, SlotShape, shape_facts
from orchestrator.planning.sweeps import Point, axis_texts
from orchestrator.schedulers.block_shape import BlockRange, BlockShape
from sites import Site
from sites.schedulers import Batch
from workloads.description import QualityTarget, Value, Workload


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
    larger: Mapping[Level, PlannedBenchmark] = field(default_factory=dict)
    """Itself without instances where they run after ends out of memory or disk, by how many."""

    @property
    def sweep(self) -> str | None:
        """Name of the sweep that it is a point of, if it is one."""
        return self.point.sweep if self.point else None

    @property
    def places(self) -> tuple[PlannedBenchmark, ...]:
        """Itself on each pool that serves it."""
        return (self, *self.others)

    @property
    def all_places(self) -> tuple[PlannedBenchmark, ...]:
        """Itself on each pool that serves it, and in the larger slots of its retries."""
        return (*self.places, *self.larger.values())

    def slot_facts(self) -> dict[str, Any]:
        """Return its slot, as the ledger and JSON show it, and those on further pools."""
        return (
            shape_facts(self.shape)
            | {"slots": len(self.slots), "share_of_system": self.share_of_system}
            | ({"pool": self.pool} if self.pool else {})
            | ({"others": [one.slot_facts() for one in self.others]} if self.others else {})
        )

    def row(self) -> NewBenchmark:
        """Return the ledger's row, without parameters that are chosen while the campaign runs."""
        late = self.point.chosen_late if self.point else frozenset()
        parameters = {name: value for name, value in self.parameters.items() if name not in late}
        return NewBenchmark(
            benchmark=self.name,
            workload=self.module,
            instances=self.instances,
            parameters=json.dumps(parameters, sort_keys=True),
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
    level
        How often its instances ran out of memory and disk in smaller slots; `FIRST` for first attempts.
    whole_blocks
        Whether blocks keep all nodes that the site gives them, however few instances there are.
    resized
        Whether blocks with another number of nodes may run, from before the site changed.
    """

    site: Site
    shape: SlotShape
    slots: tuple[Slot, ...]
    blocks: int
    nodes_per_block: int
    benchmarks: tuple[PlannedBenchmark, ...]
    together: bool = False
    spread: frozenset[str] = frozenset()
    level: Level = FIRST
    whole_blocks: bool = False
    resized: bool = False
    excluded: tuple[str, ...] = ()  # names of nodes that it never uses
    excluded_are_known: bool = True  # to its batch system; where there are several, each knows its own

    @cached_property
    def label(self) -> str:
        """Short name of its slots, fit for a file name; pools have slots of their own."""
        alone = self.benchmarks[0].alone
        label = self.shape.label + {"False": "", "True": "-alone"}.get(str(alone), f"-alone-in-{alone}")
        return f"{self.site.pool}.{label}" if self.site.pool else label

    @property
    def disk_bytes(self) -> int | None:
        """Bytes of a slot's share of its node's disk; None where its shape or the site file states none."""
        disk = self.site.node.disk
        return int(disk * self.shape.disk) if disk and self.shape.disk else None

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

    @cached_property
    def block_range(self) -> BlockRange | None:
        """Shapes among which blocks are chosen while it runs; None without a batch system.

        Waves that start together, instances that run alone, and an allocation have one shape.
        """
        batch = self.site.scheduler
        if not isinstance(batch, Batch):
            return None
        most = least = BlockShape(self.nodes_per_block, float(batch.walltime))
        varies = batch.has_ranges and not (self.together or self.alone or self.whole_blocks)
        if varies:
            nodes = self.shape.nodes * -(-batch.nodes_per_block.least // self.shape.nodes)
            least = BlockShape(min(nodes, self.nodes_per_block), batch.walltime.least)
        return BlockRange(
            most=most,
            least=least,
            slots_per_node=Fraction(len(self.slots), self.shape.nodes),
            full_blocks=self.blocks,
            max_blocks=batch.max_blocks if varies else self.blocks,
        )

    @property
    def chooses_shapes(self) -> bool:
        """True where shapes of blocks are chosen while it runs."""
        return self.block_range is not None and self.block_range.varies

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

    @property
    def most_side_by_side(self) -> int:
        """Instances of the group that has most of them."""
        return max(self._instances_of_groups)

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
        """Node-hours if its instances take what they are expected to, and no block ends before the others."""
        return self._node_hours(self.expected_seconds)

    @property
    def node_hours_at_most(self) -> float:
        """Node-hours if every instance runs until its timeout once, and no block ends before the others."""
        seconds = sum(
            placement.most_seconds_side_by_side(
                [(b.timeout_seconds, b.instances) for b in members], self.width
            )
            for members in self.groups.values()
        )
        return self._node_hours(seconds) or 0.0

    def _node_hours(self, seconds: float | None) -> float | None:
        """Return the node-hours of some seconds with as many blocks as the instances side by side need."""
        blocks = min(self.blocks, -(-self.most_side_by_side * self.blocks // self.width))
        return None if seconds is None else seconds / 3600 * blocks * self.nodes_per_block

    def node_hours_of(self, benchmark: PlannedBenchmark, *, at_most: bool = False) -> float | None:
        """Return the node-hours of a benchmark: of all nodes, or its share; `at_most` is until timeouts."""
        each = benchmark.timeout_seconds if at_most else benchmark.expected_seconds
        if each is None:
            return None
        members = self.groups[benchmark.group]
        if len(members) == 1:
            return self._node_hours(each * -(-benchmark.instances // self.width))
        side_by_side = max(1, min(self.width, sum(one.instances for one in members)))
        return self._node_hours(each * benchmark.instances / side_by_side)


def shared(stages: Sequence[Stage], spread: AbstractSet[str]) -> tuple[Stage, ...]:
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


def fitted(stage: Stage, side_by_side: int) -> Stage:
    """Return a stage with blocks no larger than so many instances side by side can fill, and of one size.

    Where the site gives a range of nodes, blocks have its smallest number at the least, even if instances of
    several nodes leave some of these idle. All blocks together have no more nodes than the machine.
    """
    batch = stage.site.scheduler
    if not isinstance(batch, Batch) or stage.whole_blocks:
        return stage
    span, slots = stage.shape.nodes, len(stage.slots)
    most = min(stage.width, side_by_side)
    nodes = span * -(-most // slots)
    largest = stage.nodes_per_block // span * span
    blocks = min(stage.blocks, -(-nodes // largest))
    least = batch.nodes_per_block.least if batch.nodes_per_block.varies else 0
    needed = max(least, -(-nodes // blocks))
    fewest = max(min(largest, span * -(-needed // span)), min(least, stage.nodes_per_block))
    blocks = stage.blocks if fewest == stage.nodes_per_block else blocks
    if stage.site.nodes is not None:
        blocks = min(blocks, max(1, stage.site.nodes // fewest))
    if (blocks, fewest) == (stage.blocks, stage.nodes_per_block):
        return stage
    return replace(stage, blocks=blocks, nodes_per_block=fewest)


def on_changed_site(stage: Stage, site: Site) -> Stage:
    """Return a stage that runs, with other settings of its scheduler.

    Its blocks have the nodes that they had, unless the settings give them another number.
    """
    before, batch = stage.site.scheduler, site.scheduler
    if not isinstance(batch, Batch) or not isinstance(before, Batch):
        return replace(stage, site=site)
    most, nodes = placement.blocks_of(site, stage.shape)
    changed = replace(stage, site=site, blocks=stage.blocks if stage.alone else most)
    if batch.nodes_per_block.written == before.nodes_per_block.written:
        return changed
    changed = replace(changed, nodes_per_block=nodes, resized=True)
    # The instances of a stage that is spread, or of retries, are not known.
    known = not stage.spread and stage.level == FIRST
    return fitted(changed, stage.most_side_by_side if known else changed.width)
