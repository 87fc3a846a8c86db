"""A plan as JSON-ready data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from orchestrator.planning.plan import Plan
from orchestrator.planning.search.settings import Search
from orchestrator.planning.search.trials import TrialPoint
from orchestrator.planning.slots import shape_facts, slot_facts
from orchestrator.planning.stage import PlannedBenchmark, Stage
from orchestrator.schedulers.block_shape import BlockRange
from sites.cost import Bill, Held, bill_of


def plan_bill(plan: Plan) -> Bill | None:
    """Return what a plan's node-hours come to; None where the site file has no prices.

    They are those that `plan` states: as expected, or at most where a stage has no expected length.
    """
    at_most = plan.node_hours is None
    held: dict[str, Held] = {}
    for stage in plan.stages:
        hours = stage.node_hours_at_most if at_most else stage.node_hours or 0.0
        before = held.get(stage.site.pool or "") or Held(stage.site.pool or "", stage.site.cost, 0.0)
        held[before.pool] = replace(before, node_hours=before.node_hours + hours)
    return bill_of(held.values())


@dataclass(frozen=True, slots=True)
class SearchCost:
    """A search of a plan with the instances and node-hours that it may take.

    Parameters
    ----------
    expected
        Instances, where each rung promotes the share that the search states.
    at_most
        Instances, if every trial came to the last rung.
    expected_hours, hours_at_most
        Node-hours of these; None where no runtime is expected.
    """

    name: str
    search: Search
    expected: int
    at_most: int
    expected_hours: float | None
    hours_at_most: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return its fields, JSON-ready."""
        return {
            "name": self.name,
            "search": self.search.model_dump(exclude_none=True),
            "instances": self.expected,
            "instances_at_most": self.at_most,
            "node_hours": self.expected_hours,
            "node_hours_at_most": self.hours_at_most,
        }


def search_costs(plan: Plan) -> list[SearchCost]:
    """Return the searches of a plan with what they cost."""
    searches: dict[str, tuple[Search, list[float | None]]] = {}
    for stage in plan.stages:
        for one in stage.benchmarks:
            if isinstance(one.point, TrialPoint) and one.point.place.number == 1:
                search = one.point.place.search
                levels = len(search.levels)
                _, hours = searches.setdefault(one.point.sweep, (search, [None] * levels))
                hours[one.point.place.rung] = stage.node_hours_of(one)
    found = []
    for name, (search, hours) in searches.items():
        counts = [search.trials // search.reduction**rung for rung in range(len(hours))]
        known = [one for one in hours if one is not None]
        whole = len(known) == len(hours)
        found.append(
            SearchCost(
                name,
                search,
                sum(counts),
                search.trials * len(hours),
                sum(number * one for number, one in zip(counts, known, strict=True)) if whole else None,
                search.trials * sum(known) if whole else None,
            )
        )
    return found


def plan_facts(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON-ready data."""
    bill = plan_bill(plan)
    return {
        "campaign": plan.name,
        "site": plan.site.site,
        "rulebook": plan.campaign.rulebook,
        "class": plan.campaign.run_class,
        "instances": plan.size,
        "left_out": dict(plan.left_out),
        **({"searches": [one.to_dict() for one in costs]} if (costs := search_costs(plan)) else {}),
        **({} if bill is None else {"cost": bill.to_dict() | {"at_most": plan.node_hours is None}}),
        "stages": [_stage_facts(plan, stage) for stage in plan.stages],
        **({"retry_stages": list(map(_retry_facts, plan.retry_stages))} if plan.retry_stages else {}),
    }


def _retry_facts(stage: Stage) -> dict[str, Any]:
    """Return where instances run after some ends out of memory or disk."""
    return {
        **({"pool": stage.site.pool} if stage.site.pool else {}),
        "out_of_memory": stage.level.memory,
        "out_of_disk": stage.level.disk,
        "slot": shape_facts(stage.shape),
        "slots_per_node": len(stage.slots),
        "benchmarks": [one.name for one in stage.benchmarks],
    }


def _range_facts(shapes: BlockRange) -> dict[str, Any]:
    return {
        "least_nodes": shapes.least.nodes,
        "most_nodes": shapes.most.nodes,
        "least_walltime_seconds": shapes.least.walltime,
        "most_walltime_seconds": shapes.most.walltime,
        "max_blocks": shapes.max_blocks,
    }


def _stage_facts(plan: Plan, stage: Stage) -> dict[str, Any]:
    totals = {one.name: one.instances for one in plan.benchmarks if one.others}
    shapes = stage.block_range
    return {
        **({"pool": stage.site.pool} if stage.site.pool else {}),
        "slot": shape_facts(stage.shape),
        "blocks": stage.blocks,
        "nodes_per_block": stage.nodes_per_block,
        "block_range": _range_facts(shapes) if shapes is not None and shapes.varies else None,
        "slots_per_node": len(stage.slots),
        "at_once": stage.width,
        "slots": [slot_facts(slot) for slot in stage.slots],
        "instances": stage.instances,
        "waves": stage.waves,
        "expected_seconds": stage.expected_seconds,
        "node_hours": stage.node_hours,
        "benchmarks": [
            _benchmark_facts(plan, stage, one, totals.get(one.name, one.instances))
            for one in stage.benchmarks
        ],
    }


def _benchmark_facts(plan: Plan, stage: Stage, benchmark: PlannedBenchmark, total: int) -> dict[str, Any]:
    """Return what a stage's JSON says of a benchmark; `total` counts the instances of all pools."""
    first = plan.campaign.seed + benchmark.first_instance
    return {
        "name": benchmark.name,
        "workload": benchmark.module,
        **_sweep_facts(stage, benchmark),
        "instances": benchmark.instances,
        **({"instances_of_all_pools": total} if benchmark.name in stage.spread else {}),
        "seeds": [first % 2**32, (first + total - 1) % 2**32],
        "parameters": benchmark.parameters,
        "timeout_seconds": benchmark.timeout_seconds,
        "expected_seconds": benchmark.expected_seconds,
        "data": str(benchmark.data) if benchmark.data else None,
        "share_of_system": benchmark.share_of_system,
        "broken_rules": plan.broken_rules(benchmark),
    }


def _sweep_facts(stage: Stage, benchmark: PlannedBenchmark) -> dict[str, Any]:
    """Return what only points of sweeps have."""
    if benchmark.point is None:
        return {}
    return {
        "sweep": benchmark.point.sweep,
        "axes": dict(benchmark.point.axes),
        "node_hours": stage.node_hours_of(benchmark),
        "node_hours_at_most": stage.node_hours_of(benchmark, at_most=True),
    }
