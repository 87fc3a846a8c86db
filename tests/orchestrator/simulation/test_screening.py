"""Screenings that end once every node is decided, on a simulated machine whose driver is killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.states import Action, RunOutcome
from orchestrator.analysis.nodes.judging import screened_nodes
from orchestrator.analysis.nodes.screened import Judged
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_requests import asks

NODES, SLOTS, AT_MOST = 6, 2, 12


def screening() -> Plan:
    one = {"instances": f"fill x{AT_MOST}", "expected_runtime": "1 min"}
    return made_plan(
        {"name": "quick", **one},
        {"name": "long", **one},
        batch={"nodes_per_block": NODES, "max_blocks": 1, "walltime": 360_000.0},
        nodes=NODES,
        rulebook="none",
        purpose="screening",
        start="synchronized",
        retries={"benchmark": 0, "infrastructure": 0},
        screen={"difference": "5 %", "at_least": 3, "at_most": AT_MOST},
    )


def started(folder: Path) -> SimulatedCampaign:
    model = FaultModel(seed=3, pool_seconds=0.0)

    def sample(order: AttemptOrder) -> SimulatedRun:
        random = model.random(order.label, order.attempt)
        return SimulatedRun(1.0, 30.0 * random.lognormvariate(0.0, 0.005))

    return SimulatedCampaign(folder, screening(), model, draw=sample, longest=3e7)


def judged(world: SimulatedCampaign) -> Judged:
    return screened_nodes(world.book, world.row.campaign_id, 0.05, 3, AT_MOST)


def done(world: SimulatedCampaign) -> dict[str, int]:
    rows = world.rows("SELECT benchmark, count(*) FROM instances WHERE state = 'done' GROUP BY 1")
    return {str(benchmark): int(number) for benchmark, number in rows}


def test_equal_nodes_are_fine_after_four_of_twelve_waves(tmp_path: Path) -> None:
    world = started(tmp_path)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = judged(world)
    assert [one.verdict for one in found.nodes] == ["fine"] * NODES
    assert [(one.waves, one.needed) for one in found.benchmarks] == [(4, False)] * 2
    assert done(world) == {"quick": 4 * NODES * SLOTS, "long": 4 * NODES * SLOTS}
    [(data,), _] = world.rows("SELECT data FROM events WHERE kind = 'point_settled' ORDER BY event_id")
    facts = json.loads(data)
    assert facts["not_needed"] == 8 * NODES * SLOTS
    assert facts["answers"][0].endswith("after 4 waves: 0 of 6 nodes slow, 0 undecided")
    assert world.run() is RunOutcome.COMPLETE  # nothing is left to run
    assert sum(done(world).values()) == 8 * NODES * SLOTS
    world.close()


@pytest.mark.parametrize("write", [12, 20, 27, 34])
@pytest.mark.parametrize("after", [False, True])
def test_a_killed_driver_finds_the_same_verdicts(tmp_path: Path, write: int, after: bool) -> None:
    world = started(tmp_path)
    world.book.crash_at[write] = after
    outcomes = [world.run()]
    while outcomes[-1] is RunOutcome.ABORTED:
        world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
        world.machine.clock.pass_time(600.0)
        outcomes.append(world.run())
        assert len(outcomes) < 5
    assert len(outcomes) > 1
    assert outcomes[-1] in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)
    last = {name for (name,) in world.rows("SELECT DISTINCT node FROM attempts WHERE session_number > 1")}
    verdicts = {one.node: one.verdict for one in judged(world).nodes}
    assert len(last) == NODES  # of another job, so that they are others
    assert {verdicts[name] for name in last} == {"fine"}
    assert set(verdicts.values()) <= {"fine", "undecided"}
    assert all(number <= 9 * NODES * SLOTS for number in done(world).values())
    world.close()


def test_a_wave_does_not_wait_for_a_cancelled_instance(tmp_path: Path) -> None:
    world = started(tmp_path)
    asks(world, 20.0, Action.CANCEL, range(14, 18))
    assert world.run() is RunOutcome.COMPLETE
    assert [one.verdict for one in judged(world).nodes] == ["fine"] * NODES
    assert all(number <= 7 * NODES * SLOTS for number in done(world).values())
    world.close()
