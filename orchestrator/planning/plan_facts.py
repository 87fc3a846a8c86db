"""A plan as JSON-ready data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.planning.plan import Plan
from orchestrator.planning.slots import shape_facts, slot_facts
from orchestrator.planning.stage import PlannedBenchmark, Stage
from sites.cost import Bill, Held, bill_of


def plan_bill(plan: Plan) -> Bill | None:
    """Return what a plan's node-hours come to; None where the site file has no prices.

    They are those that `plan` states: as expected, or at most where a stage has no expected length.
    """
    at_most = plan.node_hours is None
    held: dict[str, Held] = {}
    for stage in plan.stages:
        hours = stage.node_hours or 0.0
        if at_most:
            hours = sum(stage.node_hours_of(one, at_most=True) or 0.0 for one in stage.benchmarks)
        before = held.get(stage.site.pool or "") or Held(stage.site.pool or "", stage.site.cost, 0.0)
        held[before.pool] = replace(before, node_hours=before.node_hours + hours)
    return bill_of(held.values())


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
        **({} if bill is None else {"cost": bill.to_dict() | {"at_most": plan.node_hours is None}}),
        "stages": [_stage_facts(plan, stage) for stage in plan.stages],
        **({"retry_stages": list(map(_retry_facts, plan.retry_stages))} if plan.retry_stages else {}),
    }


def _retry_facts(stage: Stage) -> dict[str, Any]:
    """Return where instances run after some ends out of memory."""
    return {
        **({"pool": stage.site.pool} if stage.site.pool else {}),
        "out_of_memory": stage.memory_level,
        "slot": shape_facts(stage.shape),
        "slots_per_node": len(stage.slots),
        "benchmarks": [one.name for one in stage.benchmarks],
    }


def _stage_facts(plan: Plan, stage: Stage) -> dict[str, Any]:
    totals = {one.name: one.instances for one in plan.benchmarks if one.others}
    return {
        **({"pool": stage.site.pool} if stage.site.pool else {}),
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
