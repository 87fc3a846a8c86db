"""Campaigns with a drawn order: blocks follow each other, and what deviates is an event."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from db.evidence.registered_design import registered_order
from db.states import RunOutcome
from orchestrator.driver.queue.order_design import design_of
from orchestrator.planning.plan import Plan
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

POINTS, REPEATS = 5, 60
FIRST = (
    "SELECT i.benchmark, i.benchmark_index, a.node, a.submitted_us FROM attempts a JOIN instances i "
    "USING (instance_id) WHERE a.attempt_number = 1"
)


def swept(order: str, **campaign: Any) -> Plan:
    return made_plan(
        {
            "name": "swept", "share": True, "expected_runtime": "5 min", "repeat": REPEATS,
            "matrix": {"seconds": [float(number) for number in range(1, POINTS + 1)]},
        },
        batch={"nodes_per_block": 20, "max_blocks": 1},
        order=order,
        **campaign,
    )  # fmt: skip


def first_attempts(world: SimulatedCampaign) -> list[tuple[str, int, str, tuple[int, int, int]]]:
    """Return benchmark, index, node and place of first attempts as handed out; at one instant, by place."""
    design = design_of(registered_order(world.book, world.row.campaign_id) or {})
    rows = [(at, design.place(name, index), name, index, node) for name, index, node, at in world.rows(FIRST)]
    return [(name, index, node, place) for _, place, name, index, node in sorted(rows)]


def blocks_of(world: SimulatedCampaign) -> list[tuple[str, int]]:
    """Return label and block of first attempts as handed out."""
    return [(f"{name}/{index}", place[0]) for name, index, _, place in first_attempts(world)]


def deviations(world: SimulatedCampaign) -> set[str]:
    return {one for (one,) in world.rows("SELECT subject FROM events WHERE kind = 'order_deviated'")}


def test_a_block_begins_when_all_of_the_one_before_were_handed_out(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, swept("interleaved"), FaultModel(seed=3, pool_seconds=0.0))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = [block for _, block in blocks_of(world)]
    assert found == [block for block in range(1, REPEATS + 1) for _ in range(POINTS)]
    assert deviations(world) == set()
    names = [name for name, _, _, _ in first_attempts(world)]
    orders = {tuple(names[k : k + POINTS]) for k in range(0, len(names), POINTS)}
    assert len(orders) > 20  # of 120
    runs = Counter((node, name) for name, _, node, _ in first_attempts(world))
    of_node = {node for node, _ in runs}
    assert len(of_node) == 20
    # Three of each point on each node; the mean square of a random order is 2.3.
    counts = [runs[node, name] for node in of_node for name in set(names)]
    assert sum((count - 3) ** 2 for count in counts) / len(counts) < 1
    world.close()


def test_lost_nodes_and_failures_are_deviations_and_nothing_else_is(tmp_path: Path) -> None:
    rough = FaultModel(seed=5, failures=0.05, node_hours_to_failure=10.0, queue_seconds=30.0)
    world = SimulatedCampaign(tmp_path, swept("interleaved", retries={"benchmark": 5}), rough)
    assert world.run() in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)
    world.check()
    latest, late = 0, set()
    for label, block in blocks_of(world):
        late |= {label} if block < latest else set()
        latest = max(latest, block)
    again = {label for (label,) in world.rows(
        "SELECT i.benchmark || '/' || i.benchmark_index FROM attempts a JOIN instances i USING (instance_id) "
        "WHERE a.attempt_number > 1"
    )}  # fmt: skip
    assert again
    assert deviations(world) == again | late
    world.close()


@pytest.mark.parametrize("order", ["shuffled", "interleaved"])
def test_a_killed_driver_goes_on_in_the_registered_order(tmp_path: Path, order: str) -> None:
    world = SimulatedCampaign(tmp_path, swept(order), FaultModel(seed=3, pool_seconds=0.0))
    world.machine.clock.at(1500.0, lambda: world.book.crash_at.update({world.book.writes + 1: True}))
    assert world.run() is RunOutcome.ABORTED
    begun = blocks_of(world)
    assert 20 < len(begun) < POINTS * REPEATS
    world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
    world.machine.clock.pass_time(600.0)
    while world.run() is not RunOutcome.COMPLETE:
        assert len(world.outcomes) < 5, world.outcomes
    world.check()
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'order_registered'") == [(1,)]
    ran = blocks_of(world)
    assert ran[: len(begun)] == begun
    rest = [block for _, block in ran[len(begun) :]]
    assert rest == sorted(rest)
    world.close()


def test_the_order_of_the_file_registers_nothing(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, swept("file"), FaultModel(seed=3))
    assert world.run() is RunOutcome.COMPLETE
    assert world.rows("SELECT count(*) FROM events WHERE kind LIKE 'order_%'") == [(0,)]
    world.close()


def test_a_draw_can_be_repeated_from_what_is_registered(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, swept("shuffled"), FaultModel(seed=3, pool_seconds=0.0))
    assert world.run() is RunOutcome.COMPLETE
    [(data,)] = world.rows("SELECT data FROM events WHERE kind = 'order_registered'")
    design = design_of(data if isinstance(data, dict) else json.loads(data))
    found = [design.place(name, index) for name, index, _, _ in first_attempts(world)]
    assert found == sorted(found)
    assert len(set(found)) == POINTS * REPEATS
    world.close()
