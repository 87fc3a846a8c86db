"""Campaigns whose benchmarks are spread over pools of nodes of different kinds, on a simulated machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db.states import RunOutcome
from orchestrator.analysis.nodes.ranking import rank_nodes
from orchestrator.analysis.projection.system_projection import project_system
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.errors import CampaignError
from orchestrator.planning.plan_facts import plan_facts
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rulebooks import common_rules
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.prediction import forecast
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_pools import CALM, SITE, pooled_plan

ONE = {"name": "a", "instances": 24, "spread": True}  # on 8 slots of pool wide, and 4 of pool narrow
RAN = (
    "SELECT b.pool, count(*) FROM attempts a JOIN instances i USING (instance_id) JOIN blocks b "
    "ON b.block_id = a.block_id AND b.slot_shape = a.slot_shape WHERE a.state = 'succeeded' "
    "GROUP BY 1 ORDER BY 1"
)
NEVER_STARTED = "SELECT count(*) FROM blocks WHERE pool = '{}' AND started_us IS NULL"


def test_a_site_without_pools_is_a_hint_once(caplog: pytest.LogCaptureFixture) -> None:
    made_plan(ONE | {"instances": 1}, {"name": "b", "instances": 1})
    assert [record.getMessage() for record in caplog.records] == [
        "spread of benchmark a has no effect: site made has no pools; write its kinds of nodes under pools "
        "of the site file, or no spread"
    ]
    caplog.clear()
    pooled_plan(ONE)
    assert not caplog.records


def test_each_instance_goes_to_the_pool_with_a_free_slot(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(ONE), CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    ran = dict(world.rows(RAN))
    assert sum(ran.values()) == 24
    assert 6 <= ran["narrow"] <= 10  # a third of the slots
    [found] = measurements(world.book, world.book.campaign("toy"))
    assert found.slots.pools == ran
    rule = common_rules.slots(found)
    assert rule.passed is False
    both = f"{ran['narrow']} on pool narrow, {ran['wide']} on pool wide"
    assert f"on nodes of different pools: {both}" in rule.reason
    assert world.rows("SELECT count(*) FROM attempts WHERE state != 'succeeded'") == [(0,)]
    world.close()


class SlowQueue(FaultModel):
    """Blocks of the pool that asks first wait for six hours."""

    def queue(self, block: str, pool: str, waited: float = 0.0) -> float:
        return 6 * 3600.0 if block == "0" else 60.0


def test_no_instance_waits_for_a_pool_that_gets_no_nodes(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(ONE), SlowQueue(seed=1, stragglers=0.0))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows(RAN) == [("narrow", 24)]
    assert world.machine.clock.seconds() < 2 * 3600
    assert world.rows(NEVER_STARTED.format("wide")) == [(1,)]  # and it is cancelled
    assert world.rows("SELECT count(*) FROM blocks WHERE ended_us IS NULL") == [(0,)]
    assert world.rows("SELECT count(*) FROM attempts") == [(24,)]
    world.close()


def test_the_block_of_a_pool_is_not_asked_for_what_another_has_taken(tmp_path: Path) -> None:
    world = SimulatedCampaign(
        tmp_path, pooled_plan(ONE | {"instances": 4}), SlowQueue(seed=1, stragglers=0.0)
    )
    seen: list[int] = []
    world.machine.clock.at(
        70.0, lambda: seen.extend(one.nodes for one in world.machine.blocks if not one.released)
    )
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert seen == [2]  # that of the other pool was cancelled once all had a slot
    world.close()


def test_what_fails_on_one_pool_may_run_on_another(tmp_path: Path) -> None:
    plan = pooled_plan(ONE, retries={"infrastructure": 3})
    world = SimulatedCampaign(tmp_path, plan, CALM)

    def lose() -> None:
        block = next(one for one in world.machine.running() if len(one.pools) == 2)
        for pool in list(block.pools):
            world.machine.fail_node(block, pool, partitioned=False)

    world.machine.clock.at(40.0, lose)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    moved = world.rows(
        "SELECT count(DISTINCT b.pool) AS pools FROM attempts a JOIN blocks b ON b.block_id = a.block_id AND "
        "b.slot_shape = a.slot_shape GROUP BY a.instance_id HAVING pools > 1"
    )
    assert moved
    world.close()


def test_orders_that_wait_for_a_pool_whose_block_was_lost_go_to_another(tmp_path: Path) -> None:
    """The next block of the pool waits in the queue for a day."""

    class LongSecondQueue(FaultModel):
        def queue(self, block: str, pool: str, waited: float = 0.0) -> float:
            return 1.0 if block in "01" else 24 * 3600.0

    plan = pooled_plan(ONE | {"instances": 48})
    world = SimulatedCampaign(tmp_path, plan, LongSecondQueue(seed=1, stragglers=0.0))

    def lose() -> None:
        block = world.machine.blocks[0]
        for pool in list(block.pools):
            world.machine.fail_node(block, pool, partitioned=False)

    world.machine.clock.at(100.0, lose)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    ran = dict(world.rows(RAN))
    assert ran["narrow"] > ran["wide"] >= 8
    taken_back = "SELECT count(*) FROM attempts WHERE state = 'cancelled' AND failure_reason = 'withdrawn'"
    assert world.rows(taken_back) != [(0,)]
    assert world.machine.clock.seconds() < 24 * 3600
    world.close()


def test_a_pool_that_is_refused_leaves_all_to_the_other(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(ONE), CALM)
    world.machine.refused_blocks = 1
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows(RAN) == [("narrow", 24)]
    world.close()


def test_each_pool_learns_how_long_instances_take_there(tmp_path: Path) -> None:
    """The slow pool takes longer than a block of the fast one; that keeps none from the fast one."""

    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 360.0 if order.slot_shape.startswith("narrow") else 60.0)

    site: dict[str, Any] = json.loads(json.dumps(SITE))
    site["pools"]["wide"]["scheduler"]["walltime"] = "5 min"
    plan = pooled_plan({**ONE, "instances": 60}, site=site)
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    ran = dict(world.rows(RAN))
    assert ran["wide"] > 40
    assert ran["narrow"] >= 8
    world.close()


def test_nodes_are_compared_within_their_pool_and_no_system_is_projected(tmp_path: Path) -> None:
    """One pool is half as fast: none of its nodes is slow, and its runs say nothing of a system's nodes."""

    def draw(order: AttemptOrder) -> SimulatedRun:
        seconds = 120.0 if order.slot_shape.startswith("narrow") else 60.0
        return SimulatedRun(1.0, seconds * (1 + order.seed % 7 / 1000))

    site: dict[str, Any] = json.loads(json.dumps(SITE))
    site["scheduler"]["nodes_per_block"] = 4
    world = SimulatedCampaign(tmp_path, pooled_plan(ONE | {"instances": 64}, site=site), CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    ranked = rank_nodes(world.book, world.row)
    assert len(ranked.nodes) == 8
    assert ranked.slow == ()
    assert max(abs(one.slowdown) for one in ranked.nodes) < 0.02
    with pytest.raises(CampaignError, match=r"several shapes or pools \(narrow\.c1.*, wide\.c1"):
        project_system(world.book, [world.row], "made", 100, {"a": 400})
    world.close()


def test_dying_nodes_and_drivers_lose_and_repeat_nothing(tmp_path: Path) -> None:
    harsh = FaultModel(seed=5, node_hours_to_failure=0.2, partition_share=0.3, queue_seconds=60.0)
    more = {"name": "b", "instances": 12, "pools": ["wide"], "slot": {"cores": 2}}
    plan = pooled_plan(ONE, more, retries={"infrastructure": 50})
    world = SimulatedCampaign(tmp_path, plan, harsh)
    for _ in range(3):
        world.book.crash_at[world.book.writes + 25] = True
        if world.run() is RunOutcome.COMPLETE:
            break
    world.book.crash_at.clear()
    assert world.outcomes[-1] is RunOutcome.COMPLETE or world.run() is RunOutcome.COMPLETE
    assert RunOutcome.ABORTED in world.outcomes
    world.check()
    world.close()


def test_a_stop_ends_both_pools_and_a_resume_may_have_only_one(tmp_path: Path) -> None:
    many = ONE | {"instances": 36}
    world = SimulatedCampaign(tmp_path, pooled_plan(many), CALM)
    world.machine.clock.at(100.0, lambda: world.switch.request(StopLevel.DRAIN, "a test"))
    assert world.run() is RunOutcome.DRAINED
    before = dict(world.rows(RAN))
    world.plan = pooled_plan(many, site=SITE | {"pool": "narrow"})  # as within an allocation of its nodes
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    after = dict(world.rows(RAN))
    assert after == {"wide": before["wide"], "narrow": 36 - before["wide"]}
    world.close()


def test_a_plan_shows_the_share_of_each_pool_and_the_whole() -> None:
    plan = pooled_plan(ONE, {"name": "b", "instances": "fill", "spread": True, "pools": ["narrow", "wide"]})
    wide, narrow = plan_facts(plan)["stages"]
    assert [one["instances"] for one in wide["benchmarks"]] == [16, 8]
    assert [one["instances"] for one in narrow["benchmarks"]] == [8, 4]
    for stage in (wide, narrow):
        first, second = stage["benchmarks"]
        assert (first["instances_of_all_pools"], second["instances_of_all_pools"]) == (24, 12)
        assert (first["seeds"][1] - first["seeds"][0], second["seeds"][1] - second["seeds"][0]) == (23, 11)
    assert plan.size == wide["instances"] + narrow["instances"] == 36
    assert plan.width == 12
    assert [json.loads(one.row().slot)["pool"] for one in plan.benchmarks] == ["wide", "narrow"]
    [other] = json.loads(plan.benchmarks[0].row().slot)["others"]
    assert (other["pool"], other["slots"]) == ("narrow", 2)
    assert forecast(plan).done == 36


def test_only_pools_that_its_slot_fits_serve_it_and_one_is_no_spread() -> None:
    plan = pooled_plan(ONE | {"slot": {"cores": 3}})
    assert [[place.pool for place in one.places] for one in plan.benchmarks] == [["wide"]]
    assert [stage.spread for stage in plan.stages] == [frozenset()]
    [chosen] = pooled_plan(ONE, site=SITE | {"pool": "narrow"}).benchmarks
    assert (chosen.pool, chosen.others) == ("narrow", ())


@pytest.mark.parametrize(
    ("campaign", "why"),
    [
        ({"start": "synchronized"}, "a wave is of one pool"),
        ({"rulebook": "coral2"}, "rulebook coral2 wants all instances of a benchmark on nodes of one pool"),
    ],
)
def test_what_the_rules_keep_on_one_pool_is_not_spread(campaign: dict[str, Any], why: str) -> None:
    with pytest.raises(CampaignError, match=f"benchmark a: spread would run it on pools wide, narrow.*{why}"):
        pooled_plan(ONE, **campaign)
    assert pooled_plan(ONE, site=SITE | {"pool": "narrow"}, **campaign).size == 24
