"""From a campaign and a site to instances, seeds, slots, stages and waves. Pure: nothing runs here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from db.records import NewBenchmark, NewInstance, NewPoint
from orchestrator.catalog.registered_description import facts_of
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark, Campaign
from orchestrator.planning.instance_counts import Fill
from orchestrator.planning.slots import NodeFacts, Slot, SlotShape, partition, share_of_system, spread
from orchestrator.planning.sweeps import Point, axis_texts
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Rulebook
from sites import Site
from sites import Slot as SiteSlot
from sites.quantities import shown
from sites.schedulers import Batch
from sites.schema import NAME
from workloads.description import QualityTarget, Value, Workload, WorkloadError, broken_rules
from workloads.external.reference import pin

BLOCK_OVERHEAD_SECONDS = 20.0  # of a block, for starting workers and ending instances


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

    @property
    def sweep(self) -> str | None:
        """Name of the sweep that it is a point of, if it is one."""
        return self.point.sweep if self.point else None

    def row(self) -> NewBenchmark:
        """Return the ledger's row."""
        return NewBenchmark(
            benchmark=self.name,
            workload=self.module,
            instances=self.instances,
            parameters=json.dumps(self.parameters, sort_keys=True),
            slot=json.dumps(
                shape_facts(self.shape) | {"slots": len(self.slots), "share_of_system": self.share_of_system}
            ),
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


def _expected(benchmarks: Sequence[PlannedBenchmark], width: int) -> float | None:
    """Return the seconds that benchmarks take side by side; None if one has no expected length."""
    known = [(b.expected_seconds, b.instances) for b in benchmarks if b.expected_seconds is not None]
    if len(known) < len(benchmarks):
        return None
    waves = [seconds * -(-number // width) for seconds, number in known]
    return max(*waves, sum(seconds * number for seconds, number in known) / width)


@dataclass(frozen=True)
class Stage:
    """Benchmarks of one slot shape; they share the whole site, cut into slots of that shape.

    Stages run one after another, so that no benchmark measures beside slots of another shape.

    Parameters
    ----------
    shape, slots
        Slot shape, and the slots of one node.
    blocks, nodes_per_block
        Scheduler jobs at a time, and the nodes of each.
    benchmarks
        Longest first.
    together
        Whether the instances of a wave start together; a wave is of one benchmark then.
    """

    shape: SlotShape
    slots: tuple[Slot, ...]
    blocks: int
    nodes_per_block: int
    benchmarks: tuple[PlannedBenchmark, ...]
    together: bool = False

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
        return len(self.slots) * self.blocks * (self.nodes_per_block // self.shape.nodes)

    @property
    def instances(self) -> int:
        """Number of instances in this stage."""
        return sum(benchmark.instances for benchmark in self.benchmarks)

    @property
    def waves(self) -> int:
        """How many times the slots fill up, at the least."""
        return sum(-(-number // self.width) for number in self._instances_of_groups())

    def _instances_of_groups(self) -> list[int]:
        return [sum(one.instances for one in members) for members in self.groups.values()]

    @property
    def mostly_idle_wave(self) -> int | None:
        """Instances of a last wave, after full ones, that leaves most slots idle; None without one."""
        last = (number % self.width for number in self._instances_of_groups() if number > self.width)
        return next((number for number in last if 0 < number * 2 < self.width), None)

    @property
    def expected_seconds(self) -> float | None:
        """Expected length if no instance takes longer than expected; None if one has no such time."""
        found = [_expected(members, self.width) for members in self.groups.values()]
        return sum(one for one in found if one is not None) if None not in found else None

    @property
    def node_hours(self) -> float | None:
        """Node-hours that its instances need at the least, if they take what they are expected to."""
        return self._node_hours(self.expected_seconds)

    def _node_hours(self, seconds: float | None) -> float | None:
        """Return the node-hours of some seconds with as many blocks as the instances side by side need."""
        most = max(self._instances_of_groups())
        blocks = min(self.blocks, -(-most * self.blocks // self.width))
        return None if seconds is None else seconds / 3600 * blocks * self.nodes_per_block

    def node_hours_of(self, benchmark: PlannedBenchmark) -> float | None:
        """Return the node-hours of a benchmark: of all nodes while it runs alone, else of its share."""
        members = self.groups[benchmark.group]
        seconds = _expected([benchmark], self.width)
        if seconds is not None and len(members) > 1:
            seconds = (benchmark.expected_seconds or 0.0) * benchmark.instances / self.width
        return self._node_hours(seconds)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a campaign will do on a site, before anything is done."""

    name: str
    campaign: Campaign
    site: Site
    benchmarks: tuple[PlannedBenchmark, ...]
    stages: tuple[Stage, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Optional benchmarks that do not run, and why."""

    @property
    def size(self) -> int:
        """Number of instances."""
        return sum(benchmark.instances for benchmark in self.benchmarks)

    @property
    def node_hours(self) -> float | None:
        """Node-hours of all stages; None if one has no expected length."""
        hours = [stage.node_hours for stage in self.stages]
        return sum(one for one in hours if one is not None) if None not in hours else None

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

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        return {
            "campaign": self.name,
            "site": self.site.site,
            "rulebook": self.campaign.rulebook,
            "class": self.campaign.run_class,
            "instances": self.size,
            "left_out": dict(self.left_out),
            "stages": [
                {
                    "slot": shape_facts(stage.shape),
                    "blocks": stage.blocks,
                    "nodes_per_block": stage.nodes_per_block,
                    "slots_per_node": len(stage.slots),
                    "at_once": stage.width,
                    "slots": [slot_facts(slot) for slot in stage.slots],
                    "instances": stage.instances,
                    "waves": stage.waves,
                    "expected_seconds": stage.expected_seconds,
                    "node_hours": stage.node_hours,
                    "benchmarks": [
                        {
                            "name": b.name,
                            "workload": b.module,
                            **_sweep_facts(stage, b),
                            "instances": b.instances,
                            "seeds": [
                                (self.campaign.seed + b.first_instance) % 2**32,
                                (self.campaign.seed + b.first_instance + b.instances - 1) % 2**32,
                            ],
                            "parameters": b.parameters,
                            "timeout_seconds": b.timeout_seconds,
                            "expected_seconds": b.expected_seconds,
                            "data": str(b.data) if b.data else None,
                            "share_of_system": b.share_of_system,
                            "broken_rules": self.broken_rules(b),
                        }
                        for b in stage.benchmarks
                    ],
                }
                for stage in self.stages
            ],
        }


def _sweep_facts(stage: Stage, benchmark: PlannedBenchmark) -> dict[str, Any]:
    """Return what only points of sweeps have."""
    if benchmark.point is None:
        return {}
    return {
        "sweep": benchmark.point.sweep,
        "axes": dict(benchmark.point.axes),
        "node_hours": stage.node_hours_of(benchmark),
    }


def make_plan(campaign: Campaign, site: Site, node: NodeFacts, data: Path, name: str | None = None) -> Plan:
    """Plan a campaign on a site.

    Parameters
    ----------
    data
        Directory that holds the data folders.
    name
        Name in the ledger; by default the campaign file's.

    Raises
    ------
    CampaignError
        If a slot is bigger than the node, or `name` is not fit for a name.
    """
    if name is not None and not re.fullmatch(NAME, name):
        raise CampaignError(f"a campaign's name has letters, digits, '.', '_' and '-' only, not {name!r}")
    book = registry.load(campaign.rulebook)
    suite = book.workloads()
    planned: list[PlannedBenchmark] = []
    first = 0
    for benchmark in campaign.benchmarks:
        workload = describe(benchmark.workload)
        in_suite = suite.get(registry.workload_name(benchmark.workload, workload))
        shape = site_shape(slot_of(benchmark, workload, site), node, site)
        slots = _cut(node, shape, benchmark, workload, site)
        count = benchmark.instances
        instances = count.instances(_width(site, shape, slots)) if isinstance(count, Fill) else count
        planned.append(
            PlannedBenchmark(
                name=benchmark.name,
                workload=workload,
                module=_pinned(benchmark),
                instances=instances,
                first_instance=first,
                parameters=workload.resolve(benchmark.parameters),
                shape=shape,
                slots=slots,
                share_of_system=share_of_system(node, shape, 1 if site.local else site.nodes),
                timeout_seconds=benchmark.timeout,
                expected_seconds=benchmark.expected_runtime,
                data=data / (benchmark.data.directory or workload.name) if workload.data else None,
                make=workload.data.resolve_sizes(benchmark.data.generate)
                if workload.data and benchmark.data.generate is not None
                else None,
                target=(in_suite.target if in_suite else None) or workload.own_target,
                point=benchmark.point,
                group=_group(benchmark, campaign, separate=book.ONE_BENCHMARK_AT_A_TIME),
            )
        )
        first += instances
    if first > 2**32:
        raise CampaignError(f"{first} instances need more distinct seeds than there are (2**32)")
    return Plan(
        name or campaign.campaign,
        campaign,
        site,
        tuple(planned),
        _stages(planned, site, campaign),
    )


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
            kept.append(replace(benchmark, first_instance=first))
    if not kept:
        raise CampaignError("\n".join(f"benchmark {name}: {why}" for name, why in left_out.items()))
    stages = _stages(kept, plan.site, plan.campaign)
    return replace(plan, benchmarks=tuple(kept), stages=stages, left_out=dict(left_out))


def _pinned(benchmark: Benchmark) -> str:
    try:
        return pin(benchmark.workload)
    except WorkloadError as error:
        raise CampaignError(f"benchmark {benchmark.name}: {error}") from None


def _stages(planned: list[PlannedBenchmark], site: Site, campaign: Campaign) -> tuple[Stage, ...]:
    blocks, nodes_per_block = _blocks(site)
    together = campaign.start == "synchronized"
    shapes: dict[SlotShape, list[PlannedBenchmark]] = {}
    for benchmark in planned:
        shapes.setdefault(benchmark.shape, []).append(benchmark)
    return tuple(
        Stage(
            shape,
            members[0].slots,
            blocks,
            nodes_per_block,
            tuple(sorted(members, key=lambda b: -(b.expected_seconds or b.timeout_seconds))),
            together,
        )
        for shape, members in shapes.items()
    )


def _group(benchmark: Benchmark, campaign: Campaign, *, separate: bool) -> str:
    """Return the group of benchmarks beside which one may run.

    Points of a sweep run alone unless they share. A wave that starts together is of one benchmark.
    """
    if campaign.start == "synchronized" or (benchmark.point and not benchmark.share):
        return benchmark.name
    if benchmark.sweep:
        return benchmark.sweep
    return benchmark.name if separate else ""


def _blocks(site: Site) -> tuple[int, int]:
    """Return how many blocks a site gives at once, and the nodes of each."""
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    return (batch.max_blocks, batch.nodes_per_block) if batch else (1, 1)


def _width(site: Site, shape: SlotShape, slots: tuple[Slot, ...]) -> int:
    """Return how many instances of a shape run at once when every block has its nodes."""
    blocks, nodes_per_block = _blocks(site)
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


def _cut(
    node: NodeFacts, shape: SlotShape, benchmark: Benchmark, workload: Workload, site: Site
) -> tuple[Slot, ...]:
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    if batch is not None and shape.nodes > batch.nodes_per_block:
        raise CampaignError(
            f"benchmark {benchmark.name}: an instance needs {shape.nodes} nodes, a block of site "
            f"{site.site} has {batch.nodes_per_block}; see scheduler.nodes_per_block"
        )
    if batch is not None and (benchmark.expected_runtime or 0) + BLOCK_OVERHEAD_SECONDS > batch.walltime:
        raise CampaignError(
            f"benchmark {benchmark.name}: an instance is expected to take "
            f"{shown(benchmark.expected_runtime or 0)}, a block's walltime on site {site.site} is "
            f"{shown(batch.walltime)}"
        )
    if shape.ranks > 1 and not workload.ranks:
        raise CampaignError(
            f"benchmark {benchmark.name}: workload {workload.name} runs as one process, "
            f"its slot has {shape.ranks} ranks"
        )
    try:
        return partition(node, shape)
    except CampaignError as error:
        raise CampaignError(f"benchmark {benchmark.name}: {error}") from None


def shape_facts(shape: SlotShape) -> dict[str, Any]:
    """Return a slot shape as JSON-ready data; cores, memory and GPUs are those of one rank."""
    return {
        "nodes": shape.nodes,
        "ranks": shape.ranks,
        "cores": shape.cores,
        "gpus": float(shape.gpus),
        "memory_bytes": shape.memory_bytes,
    }


def slot_facts(slot: Slot) -> list[dict[str, list[int]]]:
    """Return a slot as JSON-ready data: cores and GPUs of each rank."""
    return [{"cores": list(place.cores), "gpus": list(place.gpus)} for place in slot]
