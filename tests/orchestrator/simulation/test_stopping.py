"""Campaigns that end points once their questions have answers, on a simulated machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db.evidence.node_hours import node_hours
from db.evidence.registered_design import registered_questions
from db.states import Action, RunOutcome
from orchestrator.analysis.sequential.registered import answers
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, RunSampler, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_requests import asks

COUNTS = "SELECT benchmark, state, count(*) FROM instances GROUP BY 1, 2"


def asking(points: list[float], **campaign: Any) -> Plan:
    return made_plan(
        {
            "name": "toy", "share": True, "expected_runtime": "5 min",
            "matrix": {"seconds": points},
        },
        batch={"nodes_per_block": 4, "max_blocks": 1, "walltime": 360_000.0},
        rulebook="none",
        **campaign,
    )  # fmt: skip


def timed(model: FaultModel, spread: float = 0.02) -> RunSampler:
    """Let an attempt take 100 times its parameter `seconds`, within a spread; some fail."""

    def sample(order: AttemptOrder) -> SimulatedRun:
        random = model.random(order.label, order.attempt)
        seconds = 100.0 * float(order.parameters["seconds"]) * random.lognormvariate(0.0, spread)
        if random.random() < model.failures:
            return SimulatedRun(1.0, seconds / 2, exit_code=1)
        return SimulatedRun(1.0, seconds)

    return sample


def started(folder: Path, plan: Plan, **faults: Any) -> SimulatedCampaign:
    model = FaultModel(**{"seed": 3, "pool_seconds": 0.0, **faults})
    return SimulatedCampaign(folder, plan, model, draw=timed(model), longest=3e7)


def counts(world: SimulatedCampaign) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for benchmark, state, number in world.rows(COUNTS):
        found.setdefault(benchmark, {})[state] = number
    return found


def test_points_end_once_they_certainly_differ(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = counts(world)
    for states in found.values():
        assert 5 <= states["done"] < 30
        assert states["done"] + states["not_needed"] == 60
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    assert "seconds 1.0 is certainly faster than seconds 1.1, which takes at least" in one.sentences[0]
    [(data,), _] = world.rows("SELECT data FROM events WHERE kind = 'point_settled' ORDER BY event_id")
    assert json.loads(data)["not_needed"] in {states["not_needed"] for states in found.values()}
    world.close()


def test_a_decided_point_ends_while_others_go_on(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 200, "baseline": 1.0}
    world = started(tmp_path, asking([1.0, 1.3, 1.03], decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = counts(world)
    assert found["toy[seconds=1.3]"]["done"] < 30
    assert found["toy[seconds=1]"]["done"] > 100
    assert found["toy[seconds=1.03]"]["done"] > 100
    world.close()


def test_a_point_ends_once_it_is_precise(tmp_path: Path) -> None:
    world = started(tmp_path, asking([1.0], until={"width": "3 %", "at_most": 100}))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert 10 < counts(world)["toy[seconds=1]"]["done"] < 90
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    world.close()


def test_failures_and_lost_nodes_hold_no_look_up(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 200}
    plan = asking([1.0, 1.1], decide=decide, retries={"benchmark": 3})
    world = started(tmp_path, plan, failures=0.1, node_hours_to_failure=20.0)
    assert world.run() in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)
    world.check()
    assert all(states["done"] < 60 for states in counts(world).values())
    assert world.rows("SELECT 1 FROM attempts WHERE state != 'succeeded'")
    world.close()


@pytest.mark.parametrize("write", [30, 45, 60, 75])
@pytest.mark.parametrize("after", [False, True])
def test_a_killed_driver_finds_the_same_answers(tmp_path: Path, write: int, after: bool) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    world.book.crash_at[write] = after
    outcomes = [world.run()]
    while outcomes[-1] is RunOutcome.ABORTED:
        world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
        world.machine.clock.pass_time(600.0)
        outcomes.append(world.run())
        assert len(outcomes) < 5
    assert outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    [one] = answers(world.book, world.row.campaign_id)
    assert "seconds 1.0 is certainly faster" in one.sentences[0]
    assert all(states["done"] < 40 and states["not_needed"] for states in counts(world).values())
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'questions_registered'") == [(1,)]
    world.close()


def test_a_spent_budget_ends_a_campaign_undecided(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 200}
    world = started(tmp_path, asking([1.0, 1.03], decide=decide, budget={"node_hours": 2}))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    [one] = answers(world.book, world.row.campaign_id)
    assert not one.certain
    assert "undecided" in one.sentences[0]
    messages = world.rows("SELECT message FROM events WHERE kind = 'budget_spent'")
    assert len(messages) == 2
    assert "the budget of 2 node-hours is spent" in messages[0][0]
    [(hours,)] = world.rows("SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks")
    assert 2 <= hours < 2.5
    assert world.run() is RunOutcome.COMPLETE  # nothing is left to run
    world.close()


def test_a_budget_is_not_spent_by_a_block_that_waits_in_the_queue(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 200}
    plan = asking([1.0, 1.03], decide=decide, budget={"node_hours": 0.5})
    world = started(tmp_path, plan, queue_seconds=60_000.0)
    world.machine.clock.at(3_600.0, lambda: world.switch.request(StopLevel.DRAIN, "a test"))
    assert world.run() is RunOutcome.DRAINED  # its block never started
    assert node_hours(world.book, world.row.campaign_id) is None
    began = world.machine.clock.now_us() / 1e6
    assert world.run() is RunOutcome.COMPLETE
    [(queued, hours)] = world.rows(
        "SELECT min(started_us) / 1e6, sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks"
    )
    assert queued - began > 0.5 * 3600
    assert 0.5 <= hours < 1
    world.close()


def test_looks_do_not_wait_for_a_cancelled_instance(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    asks(world, 50.0, Action.CANCEL, range(5, 6))
    assert world.run() is RunOutcome.COMPLETE
    assert all(states["done"] < 30 for states in counts(world).values())
    world.close()


def test_looks_wait_for_an_instance_that_is_retried(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    asks(world, 50.0, Action.CANCEL, range(5, 6))
    asks(world, 350.0, Action.RETRY, range(5, 6))
    assert world.run() is RunOutcome.COMPLETE
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    assert not one.left_out
    told = world.rows("SELECT data FROM events WHERE kind = 'point_settled'")
    assert [json.loads(data)["answers"] for (data,) in told] == [list(one.sentences)] * 2
    world.close()


def test_what_a_retried_value_leaves_open_is_planned_again(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    plan = asking([1.0, 1.1], decide=decide, retries={"benchmark": 0})
    model = FaultModel(seed=3, pool_seconds=0.0)
    draw = timed(model)

    def sample(order: AttemptOrder) -> SimulatedRun:
        if order.label not in ("toy[seconds=1]/1", "toy[seconds=1]/4"):
            return draw(order)
        return SimulatedRun(1.0, 500.0, exit_code=int(order.attempt == 1))

    world = SimulatedCampaign(tmp_path, plan, model, draw=sample, longest=3e7)
    assert world.run() is RunOutcome.EXHAUSTED
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    before = counts(world)
    world.book.reopen_exhausted(world.row.campaign_id)
    assert world.run() is RunOutcome.COMPLETE
    if not answers(world.book, world.row.campaign_id)[0].certain:
        assert world.run() is RunOutcome.COMPLETE
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    assert all(states["done"] > before[name]["done"] + 2 for name, states in counts(world).items())
    world.check()
    world.close()


def test_questions_that_differ_are_registered_again(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    before = counts(world)
    world.plan = asking([1.0, 1.1], decide={**decide, "difference": "9 %"})
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    after = counts(world)
    assert all(after[name]["done"] > before[name]["done"] for name in before)
    facts = registered_questions(world.book, world.row.campaign_id)
    assert facts is not None
    assert facts["questions"][0]["decide"]["difference"] == 0.09
    world.close()


@pytest.mark.parametrize(
    ("pair", "method", "known"), [("block", "unpaired", "runs of each"), ("node", "ranks", "pairs of runs")]
)
def test_points_in_waves_are_paired_by_node_where_that_is_asked(
    tmp_path: Path, pair: str, method: str, known: str
) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60, "pair": pair}
    toy = {"name": "toy", "alone": "node", "expected_runtime": "5 min", "matrix": {"seconds": [1.0, 1.1]}}
    batch = {"nodes_per_block": 4, "max_blocks": 1, "walltime": 360_000.0}
    world = started(tmp_path, made_plan(toy, batch=batch, rulebook="none", decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    [one] = answers(world.book, world.row.campaign_id)
    assert one.certain
    assert one.question.decide is not None
    assert one.question.decide.method == method
    assert known in one.sentences[0]
    world.close()


def test_a_metric_that_no_run_has_is_said_at_once(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 20, "metric": "second"}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    assert len([one for one in world.messages if "has no second" in one]) == 1
    [one] = answers(world.book, world.row.campaign_id)
    assert "no run of 40 has second above 0" in one.sentences[0]
    world.close()
