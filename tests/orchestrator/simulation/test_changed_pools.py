"""Pools that users pause or change while a campaign runs, and what a killed driver leaves of that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.states import Action, RunOutcome
from db.writing.requests import Request
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.requests.pools import change_pool, pause_pools
from orchestrator.planning.plan import Plan
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.simulated import SimulatedCampaign
from tests.orchestrator.simulation.test_pools import CALM, SITE, pooled_plan

pytestmark = pytest.mark.usefixtures("batch_system")
SLOW_QUEUE = FaultModel(seed=1, stragglers=0.0, queue_seconds=900.0, pool_seconds=0.0)


def at(world: SimulatedCampaign, seconds: float, what: Callable[[], object]) -> list[int]:
    """Let a user act after some seconds of the simulation; return where the moment will stand."""
    moments: list[int] = []

    def act() -> None:
        what()
        moments.append(world.machine.clock.now_us())

    world.machine.clock.after(seconds, act)
    return moments


def ask(world: SimulatedCampaign, action: Action, pool: str) -> None:
    world.book.request(world.row.campaign_id, Request(action, f"pool {pool}", pool=pool), "tests")


def blocks(world: SimulatedCampaign, pool: str) -> list[tuple[Any, ...]]:
    return world.rows(
        f"SELECT session_number, requested_us, ended_us, state FROM blocks WHERE pool = '{pool}' ORDER BY 2"
    )


def test_a_paused_pool_gives_its_blocks_back_and_another_runs_what_waited(tmp_path: Path) -> None:
    plan = pooled_plan({"name": "both", "instances": 60, "spread": True})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    moments = at(world, 100.0, lambda: ask(world, Action.PAUSE, "narrow"))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    [paused_us] = moments
    late = f"SELECT count(*) FROM attempts a JOIN blocks b USING (slot_shape, block_id) WHERE b.pool = 'narrow' AND process_start_us > {paused_us} + 2000000"  # noqa: E501
    assert world.rows(late) == [(0,)]
    [(_, _, ended, state)] = blocks(world, "narrow")
    assert state == "released"
    assert ended < paused_us + 120e6  # the longest run and a look at the blocks later
    world.close()


def test_what_waits_for_a_queued_block_goes_to_another_pool_once_its_pool_is_paused(tmp_path: Path) -> None:
    plan = pooled_plan({"name": "b", "instances": 4, "pools": ["narrow"]})
    world = SimulatedCampaign(tmp_path, plan, SLOW_QUEUE)
    at(world, 10.0, lambda: ask(world, Action.PAUSE, "narrow"))
    assert world.run() is RunOutcome.DRAINED
    assert world.rows("SELECT DISTINCT state FROM instances") == [("planned",)]
    assert {state for *_, state in blocks(world, "narrow")} == {"released"}
    assert world.run() is RunOutcome.DRAINED  # it stays paused
    ask(world, Action.UNPAUSE, "narrow")
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT max(message) FROM events WHERE kind = 'instances_changed'") == [
        ("pool narrow unpaused",)
    ]
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), [(4, True), (6, False), (7, True), (8, False)])
def test_a_pause_outlives_a_killed_driver(tmp_path: Path, write: int, after_commit: bool) -> None:
    plan = pooled_plan({"name": "both", "instances": 60, "spread": True})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    at(world, 30.0, lambda: ask(world, Action.PAUSE, "narrow"))
    world.book.crash_at[world.book.writes + write] = after_commit
    while world.run() is RunOutcome.ABORTED:
        pass
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    changed = world.rows("SELECT data FROM events WHERE kind = 'instances_changed'")
    assert [json.loads(data)["pool"] for (data,) in changed] == ["narrow"]
    world.close()


def registered(folder: Path, plan: Plan, model: FaultModel) -> SimulatedCampaign:
    """Return a campaign whose ledger has the texts of campaign and site, as a launch writes them."""
    world = SimulatedCampaign(folder, plan, model)
    spec = plan.campaign.model_dump_json(by_alias=True, exclude_unset=True)
    world.write_texts(spec, json.dumps(SITE))
    return world


def change(world: SimulatedCampaign, *settings: str) -> None:
    change_pool("toy", "narrow", settings, ledger=str(world.book))


def test_further_blocks_are_asked_for_with_other_settings_and_those_with_nodes_stay(tmp_path: Path) -> None:
    plan = pooled_plan({"name": "b", "instances": 200, "pools": ["narrow"]})
    world = registered(tmp_path, plan, CALM)
    moments = at(world, 300.0, lambda: change(world, "max_blocks=3", "account=abc"))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    [changed_us] = moments
    [(message,)] = world.rows("SELECT message FROM events WHERE kind = 'site_changed'")
    assert message.startswith("blocks of pool narrow were asked for with other settings since session 1")
    held = blocks(world, "narrow")
    assert len(held) == 3
    assert [requested < changed_us for _, requested, _, _ in held] == [True, False, False]
    assert held[0][2] > changed_us + 60e6  # nothing that ran was ended
    assert world.rows("SELECT count(*) FROM attempts") == [(200,)]
    site = registered_site(world.book.campaign("toy")).pooled()["narrow"]
    assert (site.scheduler.max_blocks, site.scheduler.account) == (3, "abc")  # type: ignore[union-attr]
    world.close()


@pytest.mark.parametrize(("nodes", "sizes"), [(1, [2, 1, 1]), (4, [2, 4])])
def test_further_blocks_have_another_number_of_nodes_beside_those_that_run(
    tmp_path: Path, nodes: int, sizes: list[int]
) -> None:
    plan = pooled_plan({"name": "b", "instances": 200, "pools": ["narrow"]})
    world = registered(tmp_path, plan, CALM)
    at(world, 300.0, lambda: change(world, f"nodes_per_block={nodes}", f"max_blocks={len(sizes)}"))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    held = world.rows("SELECT nodes FROM blocks ORDER BY requested_us")
    assert [found for (found,) in held][: len(sizes)] == sizes
    busy = "SELECT count(DISTINCT node) FROM attempts a JOIN blocks b USING (slot_shape, block_id)"
    for number, size in enumerate(sizes):
        assert world.rows(f"{busy} WHERE b.block_id = '{number}'") == [(size,)]
    assert world.rows("SELECT count(*) FROM attempts") == [(200,)]
    world.close()


def test_blocks_of_waves_that_start_together_keep_their_size(tmp_path: Path) -> None:
    made = pooled_plan({"name": "b", "instances": 8, "pools": ["narrow"]}, start="synchronized")
    world = registered(tmp_path, made, CALM)
    with pytest.raises(CampaignError, match="nodes_per_block of pool narrow cannot change while instances"):
        change(world, "nodes_per_block=1")
    change(world, "max_blocks=2")
    world.close()


@pytest.mark.parametrize(("settings", "blocks_held"), [("account=abc", 1), ("extra_directives=[--x]", 2)])
def test_a_block_that_waits_keeps_its_place_or_is_asked_for_anew(
    tmp_path: Path, settings: str, blocks_held: int
) -> None:
    plan = pooled_plan({"name": "b", "instances": 4, "pools": ["narrow"]})
    world = registered(tmp_path, plan, SLOW_QUEUE)
    at(world, 10.0, lambda: change(world, settings))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert next(state for *_, state in blocks(world, "narrow")) == "released"
    assert len(blocks(world, "narrow")) == blocks_held
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), [(3, True), (4, False), (5, True), (6, False)])
def test_a_change_is_applied_once_whenever_the_driver_is_killed(
    tmp_path: Path, write: int, after_commit: bool
) -> None:
    plan = pooled_plan({"name": "b", "instances": 40, "pools": ["narrow"]})
    world = registered(tmp_path, plan, CALM)

    def ask_and_crash() -> None:
        change(world, "account=abc")
        world.book.crash_at[world.book.writes + write] = after_commit

    at(world, 100.0, ask_and_crash)
    assert world.run() is RunOutcome.ABORTED
    while world.run() is RunOutcome.ABORTED:
        pass
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    kinds = "SELECT kind, count(*) FROM events WHERE kind IN ('site_changed', 'instances_changed') GROUP BY 1"
    assert sorted(world.rows(kinds)) == [("instances_changed", 1), ("site_changed", 1)]
    assert registered_site(world.book.campaign("toy")).pooled()["narrow"].scheduler.account == "abc"  # type: ignore[union-attr]
    world.close()


def test_what_cannot_change_is_refused(tmp_path: Path) -> None:
    world = registered(tmp_path, pooled_plan({"name": "b", "instances": 4, "pools": ["narrow"]}), CALM)
    for settings, message in {
        "accont=abc": "accont=abc: not a setting of pool narrow that may change; did you mean account?",
        "poll_interval=4": "poll_interval=4: not a setting of pool narrow",
        "walltime=1 h": "pool narrow has these settings already",
        "walltime=30 s": "an instance is expected to take 1 min 00 s, a block's walltime",
        "walltime=soon": "walltime: ",
    }.items():
        with pytest.raises(CampaignError, match=re.escape(message)):
            change(world, settings)
    for pool, name in {"narow": "no pool 'narow'; did you mean narrow?", "made": "no pool 'made'"}.items():
        with pytest.raises(CampaignError, match=re.escape(name)):
            change_pool("toy", pool, ["account=abc"], ledger=str(world.book))
        with pytest.raises(CampaignError, match=re.escape(name)):
            pause_pools("toy", [pool], ledger=str(world.book))
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'instances_requested'") == [(0,)]
    done = CliRunner().invoke(
        app, ["node", "set", "toy", "narrow", "qos=low", "--ledger", str(world.book), "--json"]
    )
    message = "blocks of pool narrow were asked for with other settings since session 1: qos=low"
    [facts] = json.loads(done.stdout)
    assert facts == {"applied": True, "instances": 0, "message": f"toy: {message}"}
    world.close()


def test_a_change_is_refused_while_another_waits_for_the_driver(tmp_path: Path) -> None:
    world = registered(tmp_path, pooled_plan({"name": "b", "instances": 20, "pools": ["narrow"]}), CALM)

    def two() -> None:
        change(world, "account=abc")
        with pytest.raises(CampaignError, match="another change; ask in some seconds"):
            change(world, "walltime=50min")

    at(world, 30.0, two)
    moments = at(world, 60.0, lambda: change(world, "walltime=50min"))
    assert world.run() is RunOutcome.COMPLETE
    assert moments
    changes = world.rows("SELECT message FROM events WHERE kind = 'site_changed' ORDER BY event_id")
    assert [message.rpartition(": ")[2] for (message,) in changes] == ["account=abc", "walltime=50min"]
    world.close()
