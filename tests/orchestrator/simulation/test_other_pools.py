"""Pools that users add to a running campaign, or remove from it, and what a killed driver leaves of that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.errors import LedgerError
from db.states import Action, RunOutcome
from db.writing.requests import Request
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import kept_pools
from orchestrator.lifecycle.requests.pools import change_pool, pause_pools
from orchestrator.lifecycle.session import run_session
from orchestrator.lifecycle.session.host import Session
from orchestrator.lifecycle.site_pools import add_pool, remove_pool
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_plan
from orchestrator.rulebooks import common_rules
from sites import Site
from tests.orchestrator.simulation.simulated import SimulatedCampaign
from tests.orchestrator.simulation.test_changed_pools import SLOW_QUEUE, at
from tests.orchestrator.simulation.test_pools import CALM, SITE, pooled_plan
from tests.orchestrator.simulation.test_spread import RAN

ONE_POOL = SITE | {"pools": {"narrow": SITE["pools"]["narrow"]}}
SPREAD = {"name": "both", "instances": 60, "spread": True}
pytestmark = pytest.mark.usefixtures("batch_system")
CRASHES = [(1, False), (2, True), (3, True), (4, False), (5, True), (6, False)]


def registered(
    folder: Path, *benchmarks: dict[str, Any], site: dict[str, Any], model: Any = CALM, **campaign: Any
) -> SimulatedCampaign:
    plan = pooled_plan(*benchmarks, site=site, **campaign)
    world = SimulatedCampaign(folder, plan, model)
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(site))
    (folder / "ours.yaml").write_text(json.dumps(SITE))
    return world


def add(world: SimulatedCampaign, pool: str = "wide") -> None:
    file = Path(world.row.run_directory) / "ours.yaml"
    add_pool("toy", pool, site=str(file), ledger=str(world.book))


def remove(world: SimulatedCampaign, pool: str = "narrow", **options: bool) -> None:
    remove_pool("toy", pool, ledger=str(world.book), **options)


def ended(world: SimulatedCampaign) -> None:
    """Check that a campaign ends, whatever befell its drivers, as the ledger's pools have it."""
    while world.run() is RunOutcome.ABORTED:
        pass
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    world.plan = registered_plan(world.book.campaign("toy"), world.book.benchmarks(world.row.campaign_id))
    stored = {one.benchmark: json.loads(one.slot) for one in world.book.benchmarks(world.row.campaign_id)}
    assert stored == {one.name: one.slot_facts() for one in world.plan.benchmarks}


def late(world: SimulatedCampaign, pool: str, moment_us: int) -> int:
    """Return how many attempts began on a pool after a moment and the seconds that a driver takes."""
    [(number,)] = world.rows(
        "SELECT count(*) FROM attempts a JOIN blocks b USING (slot_shape, block_id) "
        f"WHERE b.pool = '{pool}' AND process_start_us > {moment_us} + 3000000"
    )
    return int(number)


def test_waiting_instances_run_on_a_pool_that_is_added(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=ONE_POOL)
    [moment] = [at(world, 100.0, lambda: add(world))]
    ended(world)
    ran = dict(world.rows(RAN))
    assert ran["wide"] > ran["narrow"] > 0
    assert late(world, "narrow", moment[0]) > 0  # beside it
    assert len(world.outcomes) == 1
    [(message, data)] = world.rows("SELECT message, data FROM events WHERE kind = 'pool_added'")
    assert message == "pool wide was added since session 1: both may run there"
    assert json.loads(data)["changed"][0].startswith("pools.wide.")
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'site_changed'") == [(0,)]
    site = registered_site(world.book.campaign("toy"))
    assert site.pooled()["wide"] == Site.model_validate(SITE).pooled()["wide"]
    assert CampaignStatus.read(world.book, world.book.campaign("toy")).pool_changes == [message]
    world.close()


def test_a_pool_that_is_removed_finishes_what_runs_there_and_gives_its_blocks_back(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=SITE)
    moment = at(world, 100.0, lambda: remove(world))
    ended(world)
    assert late(world, "narrow", moment[0]) == 0
    assert dict(world.rows(RAN))["narrow"] > 0
    states = world.rows("SELECT state FROM blocks WHERE pool = 'narrow'")
    assert {state for (state,) in states} == {"released"}
    costly = "SELECT count(*) FROM attempts WHERE state = 'cancelled' AND process_start_us IS NOT NULL"
    assert world.rows(costly) == [(0,)]
    [(message,)] = world.rows("SELECT message FROM events WHERE kind = 'pool_removed'")
    assert message == "pool narrow was removed since session 1"
    site = registered_site(world.book.campaign("toy"))
    assert (list(site.pooled()), list(site.all_pools())) == (["wide"], ["wide", "narrow"])
    world.close()


def test_what_runs_on_a_removed_pool_may_be_ended_and_costs_no_retry(tmp_path: Path) -> None:
    retries = {"benchmark": 0, "infrastructure": 0}
    world = registered(tmp_path, SPREAD, site=SITE, retries=retries)
    at(world, 100.0, lambda: remove(world, now=True))
    ended(world)
    [(number,)] = world.rows(
        "SELECT count(*) FROM attempts WHERE failure_reason = 'cancelled by user' AND state = 'cancelled'"
    )
    assert number == 4  # all slots of its block
    [found] = measurements(world.book, world.book.campaign("toy"))
    assert found.plan_changes.rerun == 4
    assert dict(world.rows(RAN))["wide"] > 50
    world.close()


def test_a_benchmark_of_one_pool_moves_where_its_pool_is_removed(tmp_path: Path) -> None:
    """The pool that it moves to has a lane of its own, with other instances."""
    world = registered(
        tmp_path,
        {"name": "a", "instances": 20, "pools": ["wide"]},
        {"name": "b", "instances": 12},
        {"name": "c", "instances": 30, "slot": {"cores": 2}},
        site=SITE | {"pools": {name: SITE["pools"][name] for name in ("narrow", "wide")}},
        model=SLOW_QUEUE,
    )
    assert [one.pool for one in world.plan.benchmarks] == ["wide", "narrow", "narrow"]
    at(world, 10.0, lambda: remove(world))
    ended(world)
    assert world.rows(RAN) == [("wide", 62)]
    [(message,)] = world.rows("SELECT message FROM events WHERE kind = 'pool_removed'")
    assert message == "pool narrow was removed since session 1: b moves to wide, c moves to wide"
    for one in measurements(world.book, world.book.campaign("toy")):
        rule = common_rules.slots(one)
        assert message in rule.reason, rule
    world.close()


def test_a_benchmark_with_results_moves_openly_or_not_at_all(tmp_path: Path) -> None:
    world = registered(tmp_path, {"name": "b", "instances": 40}, site=SITE, model=CALM)
    refused: list[str] = []

    def move() -> None:
        with pytest.raises(CampaignError) as error:
            remove(world, "wide")
        refused.append(str(error.value))
        remove(world, "wide", mixed=True)

    at(world, 150.0, move)
    ended(world)
    assert "benchmark b has accepted instances, and its slot would change: pool wide to narrow" in refused[0]
    [found] = measurements(world.book, world.book.campaign("toy"))
    assert found.slots.mixed == "pool wide to narrow"
    assert common_rules.slots(found).passed is False
    world.close()


def test_larger_slots_of_retries_move_with_the_pools(tmp_path: Path) -> None:
    batch = {"name": "both", "instances": 30, "spread": True, "slot": {"memory": "2 GiB"}}
    world = registered(tmp_path, batch, site=SITE, retries={"memory": "x2"})
    assert {stage.site.pool for stage in world.plan.retry_stages} == {"wide"}
    at(world, 100.0, lambda: remove(world, "wide"))
    ended(world)
    assert {stage.site.pool for stage in world.plan.retry_stages} == {"narrow"}
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), CRASHES)
def test_an_added_pool_outlives_a_killed_driver(tmp_path: Path, write: int, after_commit: bool) -> None:
    world = registered(tmp_path, SPREAD, site=ONE_POOL)

    def add_and_crash() -> None:
        add(world)
        world.book.crash_at[world.book.writes + write] = after_commit

    at(world, 100.0, add_and_crash)
    ended(world)
    assert world.outcomes[0] is RunOutcome.ABORTED
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'pool_added'") == [(1,)]
    assert dict(world.rows(RAN))["wide"] > 10
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), CRASHES)
@pytest.mark.parametrize("now", [False, True])
def test_a_removed_pool_outlives_a_killed_driver(
    tmp_path: Path, write: int, after_commit: bool, now: bool
) -> None:
    world = registered(tmp_path, SPREAD, site=SITE)

    def remove_and_crash() -> None:
        remove(world, now=now)
        world.book.crash_at[world.book.writes + write] = after_commit

    at(world, 100.0, remove_and_crash)
    ended(world)
    assert world.outcomes[0] is RunOutcome.ABORTED
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'pool_removed'") == [(1,)]
    later = "SELECT count(*) FROM blocks WHERE pool = 'narrow' AND session_number > 1"
    assert world.rows(later) == [(0,)]
    world.close()


def test_a_pool_comes_back_after_its_removal_and_a_pause(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD | {"instances": 120}, site=SITE)
    at(world, 60.0, lambda: remove(world))
    moment = at(world, 200.0, lambda: add(world, "narrow"))
    ended(world)
    assert late(world, "narrow", moment[0]) > 0
    kinds = "SELECT kind FROM events WHERE kind IN ('pool_added', 'pool_removed') ORDER BY event_id"
    assert world.rows(kinds) == [("pool_removed",), ("pool_added",)]
    world.close()


def test_without_a_driver_the_next_session_has_the_pools(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=ONE_POOL)
    add(world)
    assert world.rows("SELECT message FROM events WHERE kind = 'instances_changed'") == [
        ("pool wide was added since session 1: both may run there",)
    ]
    shown = CliRunner().invoke(
        app, ["node", "remove", "toy", "narrow", "--ledger", str(world.book), "--json"]
    )
    message = "pool narrow was removed since session 1"
    assert json.loads(shown.stdout) == [{"applied": True, "instances": 0, "message": f"toy: {message}"}]
    ended(world)
    assert world.rows(RAN) == [("wide", 60)]
    world.close()


def test_what_cannot_be_added_is_refused(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD | {"pools": ["narrow"]}, site=ONE_POOL)
    for pool, words in {
        "narrow": "toy has pool narrow already; `orchestrator node set toy narrow KEY=VALUE` changes it",
        "wid": "has no pool 'wid'; did you mean wide?",
        "wide": "no benchmark of toy can run on pool wide",
    }.items():
        with pytest.raises(CampaignError, match=re.escape(words)):
            add(world, pool)
    with pytest.raises(CampaignError, match=r"no site 'made'.*; name the site file by --site"):
        add_pool("toy", "wide", ledger=str(world.book))
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'instances_requested'") == [(0,)]
    world.close()


def test_what_cannot_be_removed_is_refused(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, {"name": "b", "instances": 2, "slot": {"cores": 4}}, site=SITE)
    for pool, words in {
        "narow": "no pool 'narow'; did you mean narrow?",
        "wide": "pool wide is needed: b can run on no other; `orchestrator node pause toy wide` gives its",
    }.items():
        with pytest.raises(CampaignError, match=re.escape(words)):
            remove(world, pool)
    remove(world)
    with pytest.raises(CampaignError, match="wide is the only pool of toy; `orchestrator stop toy`"):
        remove(world, "wide")
    world.close()


@pytest.mark.parametrize(
    ("campaign", "benchmark", "why"),
    [
        ({"start": "synchronized"}, {"spread": False}, "its waves start together"),
        ({}, {"alone": True, "spread": False}, "benchmark both runs alone"),
    ],
)
def test_campaigns_of_one_lane_refuse(
    tmp_path: Path, campaign: dict[str, Any], benchmark: dict[str, Any], why: str
) -> None:
    world = registered(tmp_path, SPREAD | benchmark, site=SITE, **campaign)
    with pytest.raises(CampaignError, match=f"{why}, and its pools cannot change meanwhile; stop it, and"):
        remove(world)
    world.close()


def test_a_driver_that_cannot_read_the_ledger_asks_again(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=ONE_POOL)
    full = CampaignError("disk full")
    plan, refusals = run_session._replanned, [LedgerError("away"), full, full]

    def replanned(session: Session) -> Plan:
        if refusals:
            raise refusals.pop()
        return plan(session)

    at(world, 100.0, lambda: add(world))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_session, "_replanned", replanned)
        ended(world)
    assert len(world.outcomes) == 1
    assert dict(world.rows(RAN))["wide"] > 10
    assert sum("until they can be planned anew" in message for message in world.messages) == 2
    world.close()


def refused(words: str, what: Callable[[], object]) -> None:
    with pytest.raises(CampaignError, match=re.escape(words)):
        what()


def changed(pool: str, **keys: Any) -> dict[str, Any]:
    """Return the site with other keys of a pool."""
    return SITE | {"pools": SITE["pools"] | {pool: SITE["pools"][pool] | keys}}


def test_the_name_of_a_removed_pool_stays_that_of_the_pool(tmp_path: Path) -> None:
    """Prices and nodes of what ran there are read by its name."""
    world = registered(tmp_path, SPREAD, site=SITE)
    remove(world)
    other = changed("narrow", node={"cores": "0-3"}, cost={"node_hour": 100.0, "currency": "EUR"})
    (tmp_path / "ours.yaml").write_text(json.dumps(other))
    with pytest.raises(CampaignError, match=r"toy had another pool narrow, .* in cost.*, node\.cores: give"):
        add(world, "narrow")
    add_pool("toy", "narrow", ledger=str(world.book))
    found = registered_site(world.book.campaign("toy"))
    assert found.pooled() == Site.model_validate(SITE).pooled()
    world.close()


def test_a_pool_that_benchmarks_move_to_is_checked(tmp_path: Path, batch_system: list[str]) -> None:
    world = registered(
        tmp_path, {"name": "b", "instances": 8}, site=changed("narrow", interpreter="/nowhere/python")
    )
    refused("interpreter /nowhere/python not found", lambda: remove(world, "wide"))
    world.write_texts(world.book.campaign("toy").campaign_yaml, json.dumps(SITE))
    remove(world, "wide")
    assert set(batch_system) == {"narrow"}
    world.close()


def test_a_removal_leaves_longer_retries_a_block(tmp_path: Path) -> None:
    benchmark = {"name": "b", "instances": 8, "timeout": "50 min"}
    world = registered(tmp_path, benchmark, site=SITE, retries={"walltime": "x2"})
    refused("a block of pool narrow has 1 h", lambda: remove(world, "wide"))
    assert not world.rows("SELECT message FROM events WHERE kind = 'pool_removed'")
    world.close()


def test_a_removal_names_benchmarks_that_lose_larger_slots(tmp_path: Path) -> None:
    small = {"name": "small", "instances": 2, "pools": ["narrow"], "slot": {"memory": "2 GiB"}}
    large = {"name": "large", "instances": 2, "spread": True, "slot": {"memory": "8 GiB"}}
    site = changed("wide", node={"cores": "0-3", "memory": "16 GiB"})
    world = registered(tmp_path, small, large, site=site, retries={"memory": "x2"})
    remove(world, "wide")
    [(message,)] = world.rows("SELECT message FROM events WHERE kind = 'pool_removed'")
    assert message.endswith("large has no larger slot for retries any more")
    world.close()


def test_a_pool_that_is_removed_is_not_paused(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=SITE)
    name, ledger = "toy", str(world.book)

    def both() -> None:
        pause_pools(name, ["narrow"], ledger=ledger)
        remove(world)
        for paused in (True, False):
            words = "another change; ask in some seconds"
            refused(words, lambda: pause_pools(name, ["narrow"], ledger=ledger, paused=paused))  # noqa: B023
        pause_pools(name, ["wide"], ledger=ledger)
        pause_pools(name, ["wide"], ledger=ledger, paused=False)
        world.book.request(
            world.row.campaign_id, Request(Action.PAUSE, "pool narrow", pool="narrow"), "at the same time"
        )

    at(world, 100.0, both)
    ended(world)
    assert not CampaignStatus.read(world.book, world.book.campaign("toy")).paused_pools
    words = "pool narrow was removed from toy; `orchestrator node add toy narrow` brings it back"
    refused(words, lambda: pause_pools(name, ["narrow"], ledger=ledger))
    refused(words, lambda: change_pool(name, "narrow", ["account=abc"], ledger=ledger))
    world.close()


def test_a_removal_says_that_all_other_pools_are_paused(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=SITE)
    pause_pools("toy", ["wide"], ledger=str(world.book))
    asked = remove_pool("toy", "narrow", ledger=str(world.book))
    assert asked.message.endswith("; wide: paused, `orchestrator node unpause toy POOL` goes on")
    world.close()


def test_an_added_pool_is_that_of_its_file(tmp_path: Path) -> None:
    """Keys on top of the file are not those of the campaign's site."""
    world = registered(tmp_path, SPREAD, site=ONE_POOL)
    batch = SITE["scheduler"]
    for keys, top in {
        "node.memory, scheduler.account": {
            "node": {"memory": "16 GiB"},
            "scheduler": batch | {"account": "abc"},
        },
        "instance_setup": {"instance_setup": ["module load x"]},
    }.items():
        (tmp_path / "ours.yaml").write_text(json.dumps(SITE | top))
        refused(f"{keys} differ; write them under pools.wide there", lambda: add(world))
    (tmp_path / "ours.yaml").write_text(json.dumps(SITE | {"pool": "narrow", "description": "ours"}))
    add(world)
    assert list(registered_site(world.book.campaign("toy")).pooled()) == ["narrow", "wide"]
    world.close()


def test_a_pool_that_would_be_another_one_in_the_campaigns_site_is_refused(tmp_path: Path) -> None:
    world = registered(tmp_path, SPREAD, site=ONE_POOL)
    pbs = {"type": "pbspro", "walltime": "2 h"}
    pools = {"wide": {"scheduler": {"queue": "q"}, "node": {"cores": "0-3"}}}
    file = tmp_path / "ours.yaml"
    file.write_text(json.dumps(SITE | {"scheduler": pbs, "pools": pools}))
    refused("has keys from outside of pools, of pbspro, and those of toy are of slurm", lambda: add(world))
    file.write_text(json.dumps(SITE | {"pools": SITE["pools"] | {"wide": {"scheduler": {"type": "local"}}}}))
    refused("pool wide is the driver's own machine, which a session has from its start", lambda: add(world))
    cost = {"node_hour": 1.0, "currency": "EUR"}
    world.write_texts(
        world.book.campaign("toy").campaign_yaml,
        json.dumps(ONE_POOL | {"pools": {"narrow": SITE["pools"]["narrow"] | {"cost": cost}}}),
    )
    file.write_text(json.dumps(changed("wide", cost=cost | {"currency": "USD"})))
    with pytest.raises(CampaignError, match=r"^(?!--set).*all pools have prices in one currency"):
        add(world)
    world.close()


def test_a_benchmark_without_results_stays_on_its_pool_once_a_pool_is_added(tmp_path: Path) -> None:
    world = registered(tmp_path, {"name": "b", "instances": 8, "pools": ["wide", "narrow"]}, site=ONE_POOL)
    row, rows = world.row, world.book.benchmarks(world.row.campaign_id)
    assert kept_pools(world.book, row, rows) == {}
    add(world)
    assert kept_pools(world.book, row, rows) == {"b": "narrow"}
    world.close()
