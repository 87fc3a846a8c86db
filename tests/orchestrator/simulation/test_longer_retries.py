"""Instances that time out are tried again with more time, in the same session and in a later one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db.states import RunOutcome
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rulebooks.design_rule import design
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan


def campaign(folder: Path, seconds: dict[str, float], **retries: Any) -> tuple[SimulatedCampaign, list[Any]]:
    """Return a campaign whose instances take so long by label, else 30 s; and its orders."""
    plan = made_plan(
        {"name": "toy", "instances": 4, "timeout": 60.0},
        rulebook="none",
        batch={"nodes_per_block": 2},
        retries=retries,
    )
    orders: list[Any] = []

    def draw(order: AttemptOrder) -> SimulatedRun:
        orders.append((order.label, order.timeout_seconds, order.expected_seconds))
        return SimulatedRun(1.0, seconds.get(order.label, 30.0))

    return SimulatedCampaign(folder, plan, FaultModel(pool_seconds=0.0), draw=draw), orders


def test_a_retry_has_more_time_and_the_verdict_declares_it(tmp_path: Path) -> None:
    world, orders = campaign(tmp_path, {"toy/1": 200.0}, benchmark=2, walltime="x2")
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    slow = [(timeout, expected) for label, timeout, expected in orders if label == "toy/1"]
    assert [timeout for timeout, _ in slow] == [60.0, 120.0, 240.0]
    assert [expected for _, expected in slow[1:]] == [60.0, 120.0]  # it takes longer than before at least
    assert {timeout for label, timeout, _ in orders if label != "toy/1"} == {60.0}
    raised = world.rows("SELECT subject, message FROM events WHERE kind = 'timeout_raised'")
    assert [subject for subject, _ in raised] == ["toy/1", "toy/1"]
    assert "may take 4 min 00 s at its next attempt, as 2 min 00 s were too short" in raised[-1][1]
    [result] = [design(one) for one in measurements(world.book, world.row)]
    assert result.passed
    assert result.declared == ("1 instance was tried again with a longer timeout, up to 240 s",)
    world.close()


def test_without_the_key_every_attempt_has_the_same_time(tmp_path: Path) -> None:
    world, orders = campaign(tmp_path, {"toy/1": 200.0}, benchmark=2)
    assert world.run() is RunOutcome.EXHAUSTED
    assert {timeout for _, timeout, _ in orders} == {60.0}
    [result] = [design(one) for one in measurements(world.book, world.row)]
    assert result.passed is None
    world.close()


def test_a_later_session_goes_on_with_the_time_that_was_reached(tmp_path: Path) -> None:
    world, orders = campaign(tmp_path, {"toy/1": 200.0}, benchmark=1, walltime="x2")
    assert world.run() is RunOutcome.EXHAUSTED
    assert world.book.reopen_exhausted(world.row.campaign_id) == 1
    [waiting] = world.book.pending(world.row.campaign_id)
    assert (waiting.attempts, waiting.timeouts) == (2, 2)
    orders.clear()
    world.run()
    assert orders[0][1] == 120.0  # of one retry, not of two
    world.close()
