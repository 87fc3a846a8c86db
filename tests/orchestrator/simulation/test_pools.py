"""Campaigns on pools of nodes of different kinds, on a simulated machine."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from db.states import RunOutcome
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.errors import CampaignError, EngineError
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.report.blocks import Table
from orchestrator.report.contents import contents
from orchestrator.report.sections import sections
from orchestrator.rulebooks import common_rules
from orchestrator.simulation.engine import SimulatedEngine
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.prediction import forecast
from sites import Site
from tests.orchestrator.simulation.simulated import SimulatedCampaign

CALM = FaultModel(seed=1, node_hours_to_failure=1e9, stragglers=0.0, queue_seconds=5.0)
SITE: dict[str, Any] = {
    "site": "made",
    "interface": "lo",
    "scheduler": {"type": "slurm", "walltime": "2 h", "nodes_per_block": 2},
    "node": {"memory": "8 GiB"},
    "pools": {
        "wide": {"scheduler": {"partition": "wide"}, "nodes": 8, "node": {"cores": "0-3"}},
        "narrow": {"scheduler": {"partition": "narrow", "walltime": "1 h"}, "node": {"cores": "0-1"}},
    },
}


def pooled_plan(*benchmarks: dict[str, Any], site: dict[str, Any] | None = None, **campaign: Any) -> Plan:
    spec = {
        "campaign": "toy",
        "rulebook": "none",
        **campaign,
        "benchmarks": [
            {"workload": "tests.toys.behave", "timeout": "1 h", "expected_runtime": "1 min", **one}
            for one in benchmarks
        ],
    }
    machine = Site.model_validate(site or SITE)
    return make_plan(parse_campaign(json.dumps(spec), "test"), machine, node_facts(machine), Path("/nowhere"))


BOTH = (
    {"name": "a", "instances": 32, "pools": ["wide"]},
    {"name": "b", "instances": 12, "pools": ["narrow"]},
)


def spans(world: SimulatedCampaign) -> dict[str, tuple[int, int]]:
    """Return when the first run of each benchmark began, and when its last one ended."""
    rows = world.rows(
        "SELECT i.benchmark, min(a.run_start_us), max(a.run_stop_us) FROM attempts a JOIN instances i "
        "ON i.instance_id = a.instance_id GROUP BY 1"
    )
    return {name: (start, stop) for name, start, stop in rows}


class FirstPoolWaits(FaultModel):
    """The first block waits in the queue for three hours; later ones start at once."""

    def queue(self, block: str, pool: str, waited: float = 0.0) -> float:
        return 3 * 3600.0 if block == "0" else 1.0


def test_orders_of_a_pool_that_waits_are_not_lost_to_those_of_another(tmp_path: Path) -> None:
    benchmarks = (
        {"name": "a", "instances": 8, "pools": ["wide"]},
        {"name": "b", "instances": 90, "pools": ["narrow"], "expected_runtime": "10 min"},
    )
    model = FirstPoolWaits(seed=1, node_hours_to_failure=1e9, stragglers=0.0)
    world = SimulatedCampaign(tmp_path, pooled_plan(*benchmarks), model)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = spans(world)
    assert found["b"][1] - found["b"][0] > 3600e6
    assert found["b"][0] + 3600e6 < found["a"][0]
    assert world.rows("SELECT count(*) FROM attempts WHERE state = 'lost'") == [(0,)]


def test_benchmarks_of_different_pools_run_side_by_side(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = spans(world)
    assert found["a"][0] < found["b"][1]
    assert found["b"][0] < found["a"][1]
    assert set(world.rows("SELECT DISTINCT pool, slot_shape FROM blocks")) == {
        ("wide", "wide.c1"),
        ("narrow", "narrow.c1"),
    }
    assert set(
        world.rows(
            "SELECT DISTINCT i.benchmark, b.pool FROM attempts a JOIN instances i USING (instance_id) "
            "JOIN blocks b ON b.block_id = a.block_id"
        )
    ) == {("a", "wide"), ("b", "narrow")}
    shown = [
        block
        for section in sections(world.book, contents(world.book, world.row))
        for block in section.blocks
        if isinstance(block, Table) and block.title.startswith("Blocks")
    ]
    assert {row[shown[0].columns.index("pool")] for row in shown[0].rows} == {"wide", "narrow"}
    world.close()


@pytest.mark.parametrize("campaign", [{"start": "synchronized"}, {"rulebook": "coral2"}])
def test_where_benchmarks_run_alone_pools_take_turns(tmp_path: Path, campaign: dict[str, Any]) -> None:
    plan = pooled_plan(*BOTH, **campaign)
    assert [len(lane) for lane in plan.lanes] == [2]
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = spans(world)
    assert found["a"][1] < found["b"][0] or found["b"][1] < found["a"][0]
    world.close()


def test_instances_that_run_alone_have_no_other_beside_them_on_any_pool(tmp_path: Path) -> None:
    benchmarks = ({**BOTH[0], "instances": 5, "alone": True}, BOTH[1])
    plan = pooled_plan(*benchmarks)
    assert [len(lane) for lane in plan.lanes] == [2]
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    runs = world.rows(
        "SELECT a.run_start_us, a.run_stop_us, i.benchmark FROM attempts a JOIN instances i "
        "ON i.instance_id = a.instance_id ORDER BY 1"
    )
    beside = [
        (first[2], second[2]) for first, second in itertools.combinations(runs, 2) if second[0] < first[1]
    ]
    assert ("b", "b") in beside
    assert all("a" not in pair for pair in beside)
    world.close()


def test_stages_of_one_pool_run_one_after_another_beside_the_other_pool(tmp_path: Path) -> None:
    more = {"name": "c", "instances": 4, "pools": ["wide"], "slot": {"cores": 2}}
    plan = pooled_plan(*BOTH, more)
    assert [[stage.label for stage in lane] for lane in plan.lanes] == [["wide.c1", "wide.c2"], ["narrow.c1"]]
    assert plan.width == 8 + 4
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = spans(world)
    assert found["a"][1] < found["c"][0]
    assert found["b"][0] < found["a"][1]
    found_forecast = forecast(plan)
    assert [one.slot for one in found_forecast.stages] == ["wide.c1", "narrow.c1", "wide.c2"]
    longest = max(one.seconds for one in found_forecast.stages)
    assert longest <= found_forecast.makespan_seconds < sum(one.seconds for one in found_forecast.stages)
    world.close()


def test_a_pool_whose_blocks_are_refused_leaves_the_other_one_working(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    world.machine.refused_blocks = 1  # the first, of pool wide
    assert world.run() is RunOutcome.ENGINE_FAILED
    assert world.rows("SELECT benchmark, state, count(*) FROM instances GROUP BY 1, 2 ORDER BY 1") == [
        ("a", "planned", 32),
        ("b", "done", 12),
    ]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_an_engine_that_breaks_ends_only_the_attempts_of_its_pool(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    world.machine.clock.at(100.0, lambda: setattr(world.machine, "broken", "the interchange died"))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    lost = world.rows(
        "SELECT DISTINCT benchmark FROM attempts JOIN instances USING (instance_id) "
        "WHERE attempts.state = 'lost'"
    )
    assert len(lost) == 1
    world.close()


def test_a_pool_that_only_a_new_engine_can_replace_ends_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    replace, broken = SimulatedEngine.replace_pools, []

    def replace_pools(engine: SimulatedEngine, stalled: Mapping[str, str]) -> Collection[str]:
        if world.machine.clock.seconds() > 100.0 and not broken:
            broken.append(engine)
            raise EngineError("the pool hangs")
        return replace(engine, stalled)

    monkeypatch.setattr(SimulatedEngine, "replace_pools", replace_pools)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    lost = world.rows(
        "SELECT DISTINCT benchmark FROM attempts JOIN instances USING (instance_id) "
        "WHERE attempts.state = 'lost'"
    )
    assert len(lost) == 1
    assert world.rows("SELECT message FROM events WHERE kind = 'engine_restarted'") == [
        ("the pool hangs; restarting",)
    ]
    world.close()


def test_failing_nodes_and_dying_drivers_lose_nothing_on_either_pool(tmp_path: Path) -> None:
    harsh = FaultModel(seed=3, node_hours_to_failure=0.2, partition_share=0.3, queue_seconds=5.0)
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH, retries={"infrastructure": 50}), harsh)
    for _ in range(3):
        world.book.crash_at[world.book.writes + 25] = True
        if world.run() is RunOutcome.COMPLETE:
            break
    world.book.crash_at.clear()
    assert world.outcomes[-1] is RunOutcome.COMPLETE or world.run() is RunOutcome.COMPLETE
    assert RunOutcome.ABORTED in world.outcomes
    world.check()
    world.close()


def test_a_stop_ends_both_pools_and_a_resume_goes_on(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    world.machine.clock.at(100.0, lambda: world.switch.request(StopLevel.DRAIN, "a test"))
    assert world.run() is RunOutcome.DRAINED
    assert world.rows("SELECT count(*) FROM attempts WHERE state IN ('submitted', 'running')") == [(0,)]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_a_benchmark_takes_the_first_pool_that_its_slot_fits() -> None:
    plan = pooled_plan(
        {"name": "any", "instances": 1},
        {"name": "named", "instances": 1, "pools": ["elsewhere", "narrow", "wide"]},
        {"name": "big", "instances": 1, "pools": ["narrow", "wide"], "slot": {"cores": 3}},
    )
    assert {one.name: one.pool for one in plan.benchmarks} == {
        "any": "wide",
        "named": "narrow",
        "big": "wide",
    }
    assert [json.loads(one.row().slot)["pool"] for one in plan.benchmarks] == ["wide", "narrow", "wide"]
    assert plan.benchmarks[0].share_of_system == pytest.approx(1 / 32)
    assert plan.benchmarks[1].share_of_system is None  # the pool states no number of nodes


@pytest.mark.parametrize(
    ("benchmark", "site", "problem"),
    [
        ({"pools": ["wid"]}, SITE, "the site has no pool wid to use; did you mean wide?"),
        (
            {"pools": ["wide"]},
            SITE | {"pool": "narrow"},
            "the site has no pool wide to use; the site has narrow",
        ),
        ({"slot": {"cores": 9}}, SITE, r"needs 9 cores.*\(pool wide\)\n.*needs 9 cores.*\(pool narrow\)"),
        (
            {"pools": ["narrow"], "expected_runtime": "3600 s"},
            SITE,
            "a block's walltime on site made is 1 h.*; ask for a longer",
        ),
    ],
)
def test_a_benchmark_that_no_pool_can_serve_is_refused_in_words(
    benchmark: dict[str, Any], site: dict[str, Any], problem: str
) -> None:
    with pytest.raises(CampaignError, match=problem):
        pooled_plan({"name": "x", "instances": 1, **benchmark}, site=site)


def test_one_pool_can_be_chosen_and_a_site_without_pools_serves_every_benchmark() -> None:
    one = {"name": "x", "instances": 1}
    assert pooled_plan(one, site=SITE | {"pool": "narrow"}).benchmarks[0].pool == "narrow"
    plain = {**SITE, "node": {"cores": "0-1", "memory": "8 GiB"}}
    del plain["pools"]
    plan = pooled_plan(one | {"pools": ["wide"]}, site=plain)
    assert plan.benchmarks[0].pool == ""
    assert [stage.label for stage in plan.stages] == ["c1"]


def test_the_verdict_states_the_pool_and_fails_where_a_benchmark_ran_on_two(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, pooled_plan(*BOTH), CALM)
    world.machine.clock.at(130.0, lambda: world.switch.request(StopLevel.DRAIN, "a test"))
    assert world.run() is RunOutcome.DRAINED
    world.plan = pooled_plan(BOTH[0], BOTH[1] | {"pools": ["wide"]})  # as of another site file
    assert world.run() is RunOutcome.COMPLETE
    found = {one.benchmark: one for one in measurements(world.book, world.book.campaign("toy"))}
    assert found["a"].slots.pools == {"wide": 32}
    assert sum(found["b"].slots.pools.values()) == 12
    assert set(found["b"].slots.pools) == {"narrow", "wide"}
    rules = {name: common_rules.slots(one) for name, one in found.items()}
    assert "on nodes of different pools: " in rules["b"].reason
    assert rules["b"].passed is False
    assert "32 on pool wide" in rules["a"].reason
    world.close()


def test_a_campaign_without_pools_has_none_in_the_verdict(tmp_path: Path) -> None:
    plain = {**SITE, "node": {"cores": "0-1", "memory": "8 GiB"}}
    del plain["pools"]
    world = SimulatedCampaign(tmp_path, pooled_plan({"name": "x", "instances": 2}, site=plain), CALM)
    assert world.run() is RunOutcome.COMPLETE
    [found] = measurements(world.book, world.book.campaign("toy"))
    assert found.slots.pools == {}
    assert "pool" not in common_rules.slots(found).reason
    world.close()
