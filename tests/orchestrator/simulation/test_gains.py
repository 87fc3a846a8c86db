"""Changes with which a campaign that runs would end sooner."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli.look.gains import gains_words
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.requests.pools import change_pool
from orchestrator.outputs.campaigns import GainsFacts
from orchestrator.planning.registered import registered_plan
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import QueueWait, StartAnswer
from orchestrator.schedulers.survey.model import Queue, Survey, SurveyedNode
from orchestrator.simulation.block_changes import BlockChange, Machines, block_changes
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.gains import Gain, Gains, UnknownWait, gains
from orchestrator.simulation.packings import PackingGain
from orchestrator.simulation.queue_waits import QueueWaits
from orchestrator.wording import count_of
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_rest import CALM, SITE, look

pytestmark = pytest.mark.usefixtures("batch_system", "no_survey")
SOON = replace(CALM, queue_waits={"": [60.0]})


def world_of(
    folder: Path,
    model: FaultModel = SOON,
    *,
    name: str = "toy",
    instances: int = 32,
    cores: int = 1,
    draw: float | None = None,
    **batch: Any,
) -> SimulatedCampaign:
    """Return a campaign of runs of ten minutes, or of `draw` seconds, on nodes of four cores."""
    scheduler = {"nodes_per_block": 2, "max_blocks": 1, "walltime": 3600.0, **batch}
    benchmark = {"instances": instances, "expected_runtime": "10 min", "slot": {"cores": cores}}
    plan = made_plan(benchmark, slots=4, batch=scheduler, campaign=name)
    runs = (lambda _: SimulatedRun(5.0, draw - 5.0)) if draw is not None else None
    world = SimulatedCampaign(folder, plan, model, draw=runs)
    site = json.dumps(SITE | {"scheduler": {"type": "slurm", **scheduler}})
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), site)
    return world


def tried(world: SimulatedCampaign, seconds: float, *settings: str) -> Gains:
    """Return what would end a campaign sooner after some seconds; by default of all changes."""

    def some(*given: Any) -> list[BlockChange]:
        return [one for one in block_changes(*given) if not settings or one.settings[0] in settings]

    found: list[Gains] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orchestrator.simulation.gains.block_changes", some)
        look(world, seconds, lambda row, now: found.append(gains(world.book, row, now)))
    return found[0]


def gain(found: Gains, setting: str) -> Gain:
    return next(one for one in [*found.changes, *found.without_gain] if setting in one.settings)


def length_with(
    world: SimulatedCampaign, seconds: float, settings: tuple[str, ...], waits: float | None = None
) -> tuple[float, float]:
    """Return how long a campaign takes whose pool is changed after some seconds, and its node-hours."""

    def act() -> None:
        if waits is not None:
            world.machine.fault_model = replace(world.machine.fault_model, queue_waits={"": [waits]})
        if settings:
            change_pool("toy", "made", settings, ledger=str(world.book))

    world.machine.clock.at(seconds, act)
    assert world.run() == "complete"
    (hours,) = world.rows("SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks")[0]
    world.close()
    return world.machine.clock.seconds(), hours


@pytest.fixture
def waits_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let simulated campaigns wait as earlier ones did, without a guess of how these differ."""
    monkeypatch.setattr("orchestrator.simulation.history._LEAST_WAIT_SPREAD", 0.01)
    monkeypatch.setattr("orchestrator.simulation.history._WAIT_FACTOR", 0.01)


@pytest.mark.usefixtures("waits_are_alike")
@pytest.mark.parametrize(
    ("settings", "batch"),
    [
        (("max_blocks=2",), {}),
        (("nodes_per_block=4",), {"walltime": 900.0}),
        (("nodes_per_block=1", "max_blocks=2"), {}),
        (("nodes_per_block=1..4",), {"nodes_per_block": "1..2", "walltime": 900.0}),
        (("walltime=1800s",), {"walltime": 900.0}),
    ],
)
def test_the_gain_is_that_of_a_campaign_that_is_changed(
    tmp_path: Path, settings: tuple[str, ...], batch: dict[str, Any]
) -> None:
    """Eight at once take forty minutes for 32 runs of ten minutes; short blocks wait before each eight."""
    model = replace(CALM, queue_waits={"": [600.0]})
    earlier(tmp_path / "a", 600.0, **batch)  # after which no stragglers are guessed
    found = gain(tried(world_of(tmp_path / "a", model, **batch), 900.0, settings[0]), settings[0])
    assert found.settings == settings
    usual, usual_hours = length_with(world_of(tmp_path / "b", model, **batch), 900.0, ())
    changed, hours = length_with(world_of(tmp_path / "c", model, **batch), 900.0, settings)
    assert usual - changed > 0.1 * usual
    assert found.sooner_seconds == pytest.approx(usual - changed, abs=0.03 * usual)
    assert found.node_hours == pytest.approx(hours - usual_hours, abs=0.03 * usual_hours)


def earlier(folder: Path, waits: float, **given: Any) -> None:
    """Run a campaign before, in the same ledger."""
    world = world_of(folder, replace(CALM, queue_waits={"": [waits]}), name="old", **given)
    assert world.run() == "complete"
    world.close()


def surveyed(monkeypatch: pytest.MonkeyPatch, **cores: int) -> None:
    """Let the batch system list partitions, each with one kind of nodes; the first is the default."""
    queues = tuple(Queue(name, is_default=name == next(iter(cores))) for name in cores)
    kinds = tuple(SurveyedNode((name,), number, 8 << 30, queues=(name,)) for name, number in cores.items())
    survey = Survey("slurm", queues, kinds)
    monkeypatch.setattr("orchestrator.simulation.block_changes.ask_survey", lambda _: survey)


@pytest.mark.usefixtures("waits_are_alike")
def test_another_partition_waits_as_blocks_did_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 25 minutes wait for 50 minutes each, and for one minute in partition fast."""
    surveyed(monkeypatch, slow=4, fast=4, other=4, wide=8)
    batch = {"walltime": 1500.0, "partition": "slow"}
    for place in ("a", "b", "c"):
        earlier(tmp_path / place, 60.0, walltime=1500.0, partition="fast")
    model = replace(CALM, queue_waits={"": [3000.0]})
    found = tried(world_of(tmp_path / "a", model, **batch), 4000.0, "partition=fast", "partition=other")
    fast = gain(found, "partition=fast")
    assert found.changes == [fast]
    assert fast.waits == "2 blocks of 2 nodes"
    usual, _ = length_with(world_of(tmp_path / "b", model, **batch), 4000.0, ())
    changed, _ = length_with(world_of(tmp_path / "c", model, **batch), 4000.0, ("partition=fast",), 60.0)
    assert fast.sooner_seconds == pytest.approx(usual - changed, abs=0.03 * usual)
    assert found.unknown == [UnknownWait("made", ("partition=other",), ("",))]


def test_blocks_of_a_size_without_known_waits_are_not_simulated(tmp_path: Path) -> None:
    """No block has started, and four blocks wait."""
    found = tried(world_of(tmp_path, replace(CALM, queue_waits={"": [4000.0]}), instances=12), 900.0)
    sizes = [("nodes_per_block=1", "max_blocks=2"), ("nodes_per_block=4",)]
    assert [one.settings for one in found.unknown] == sizes
    assert {one.settings for one in (*found.changes, *found.without_gain)} == {
        ("max_blocks=2",),
        ("walltime=7200s",),
    }


def test_other_jobs_say_how_long_blocks_wait_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    surveyed(monkeypatch, slow=4, fast=4)
    asked: list[str | None] = []

    def waits(client: SchedulerClient) -> list[QueueWait]:
        asked.append(client._settings.partition)  # type: ignore[attr-defined]
        return [QueueWait(nodes, 1e9, 60.0) for nodes in (1, 2, 4, 16)]

    monkeypatch.setattr(SchedulerClient, "waits", waits)
    found = tried(
        world_of(tmp_path, replace(CALM, queue_waits={"": [3000.0]}), partition="slow"),
        3100.0,
        "partition=fast",
    )
    assert gain(found, "partition=fast").waits == "3 jobs of 1 to 4 nodes"
    assert asked == ["fast"]


def test_waits_from_before_a_change_of_the_partition_count_for_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(tmp_path, SOON, walltime=1500.0, partition="slow")
    monkeypatch.setattr("db.writing.noting.now_us", world.machine.clock.now_us)
    world.machine.clock.at(
        700.0, lambda: change_pool("toy", "made", ["partition=fast"], ledger=str(world.book)) and None
    )
    assert world.run() == "complete"
    site = registered_site(world.book.campaign("toy"))
    found = QueueWaits(world.book, site, {}).of(site, [2], jobs=False)
    started = "SELECT count(*) FROM blocks WHERE started_us IS NOT NULL AND requested_us"
    changed = "(SELECT min(at_us) FROM events WHERE kind = 'site_changed')"
    [(before, after)] = world.rows(f"SELECT ({started} < {changed}), ({started} > {changed})")
    assert before > 0
    assert found is not None
    assert found.source == f"{count_of(after, 'block')} of 2 nodes"
    world.close()


# -- packing ---------------------------------------------------------------------------------


def test_a_packing_that_was_measured_is_named(tmp_path: Path) -> None:
    """Runs on two cores take ten minutes, and those on a core eleven, of which a node holds four."""
    for place in ("a", "b", "c"):
        world = world_of(tmp_path / place, SOON, name="dense", instances=16, draw=660.0)
        assert world.run() == "complete"
        world.close()
    found = tried(world_of(tmp_path / "a", SOON, cores=2, walltime=4 * 3600.0), 900.0, "none")
    [packing] = found.packings
    assert (packing.benchmark, packing.slot) == ("behave", "{cores: 1}")
    assert (packing.instances_per_node, packing.before_per_node, packing.campaigns) == (4, 2, ("dense",))
    usual, usual_hours = length_with(world_of(tmp_path / "b", SOON, cores=2, walltime=4 * 3600.0), 900.0, ())
    next_world = world_of(tmp_path / "c", SOON, walltime=4 * 3600.0, draw=660.0)
    changed, hours = length_with(next_world, 900.0, ())
    assert packing.seconds == pytest.approx(changed, rel=0.1)
    assert packing.before_seconds == pytest.approx(usual, rel=0.1)
    assert packing.sooner_seconds == pytest.approx(usual - 900.0 - changed, abs=0.1 * usual)
    assert packing.node_hours == pytest.approx(hours - usual_hours, abs=0.1 * usual_hours)


@pytest.mark.parametrize(("instances", "draw"), [(16, 1400.0), (3, 660.0)])
def test_a_packing_that_is_worse_or_filled_no_node_is_not_named(
    tmp_path: Path, instances: int, draw: float
) -> None:
    world = world_of(tmp_path, SOON, name="dense", instances=instances, nodes_per_block=1, draw=draw)
    assert world.run() == "complete"
    world.close()
    found = tried(world_of(tmp_path, SOON, cores=2), 900.0, "none")
    assert (found.packings, found.packings_are_measured) == ([], instances == 16)


# -- what is tried ---------------------------------------------------------------------------


def test_nothing_helps_what_runs_already(tmp_path: Path) -> None:
    found = tried(world_of(tmp_path, SOON, instances=8), 400.0)
    assert (found.changes, found.packings_are_measured) == ([], False)
    words = gains_words("toy", found)
    assert words.startswith("no change of its blocks that was simulated would end it sooner:\n  orchestrator")
    assert words.endswith("no other number of instances a node is measured: `orchestrator workload tune`")


def changes(
    folder: Path, site: dict[str, Any], machines: Machines | None = None, **campaign: Any
) -> list[BlockChange]:
    """Return what is tried of a campaign that has not begun."""
    benchmark = {"instances": 16, "expected_runtime": "10 min"}
    plan = made_plan(benchmark, slots=4, batch={"nodes_per_block": 2}, **campaign)
    world = SimulatedCampaign(folder, plan, CALM)
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(site))
    rows = world.book.benchmarks(world.row.campaign_id)
    now = registered_plan(world.row, rows)
    found = list(block_changes(world.row, registered_site(world.row), now, machines or Machines()))
    world.close()
    return found


MORE, LONGER, LARGER = ("max_blocks=4",), ("walltime=7200s",), ("nodes_per_block=4",)
SMALLER = ("nodes_per_block=1", "max_blocks=4")


@pytest.mark.parametrize(
    ("site", "settings"),
    [
        ({}, [MORE, LONGER, SMALLER, LARGER]),
        ({"nodes": 8}, [MORE, LONGER, SMALLER, LARGER]),
        ({"nodes": 7}, [LONGER, SMALLER, LARGER]),
        ({"nodes": 2}, [LONGER, SMALLER]),
        ({"scheduler": {"walltime": "30 min..1 h"}}, [MORE, SMALLER, LARGER]),
        ({"scheduler": {"nodes_per_block": "2..3"}}, [MORE, ("nodes_per_block=1..6",)]),
        ({"scheduler": {"nodes_per_block": 1}}, [MORE, LONGER, ("nodes_per_block=2",)]),
        ({"scheduler": {"extra_directives": ["--time=99"]}}, [MORE, SMALLER, LARGER]),
        ({"pools": {"a": {}, "b": {"scheduler": {"max_blocks": 1}}}}, [MORE, LONGER, SMALLER, LARGER]),
        (
            {"pools": {"a": {}, "b": {"scheduler": {"partition": "b", "qos": "low"}}}},
            [MORE, LONGER, SMALLER, LARGER, ("partition=b", "qos=low")],
        ),
        (
            {"pools": {"a": {"scheduler": {"qos": "low"}}, "b": {}}},
            [MORE, LONGER, SMALLER, LARGER, ("qos=null",)],
        ),
        (
            {"pools": {"a": {}, "b": {"scheduler": {"partition": "b"}, "node": {"cores": "0-7"}}}},
            [MORE, LONGER, SMALLER, LARGER],
        ),
    ],
)  # fmt: skip
def test_what_is_tried(tmp_path: Path, site: dict[str, Any], settings: list[tuple[str, ...]]) -> None:
    whole = SITE | site | {"scheduler": SITE["scheduler"] | site.get("scheduler", {})}
    found = changes(tmp_path, whole)
    assert [one.settings for one in found] == settings
    assert {one.label for one in found} == {"a" if "pools" in site else "made"}
    # Blocks that wait keep their place beside more blocks, and not with other settings.
    assert [one.keeps_places for one in found] == [one == MORE for one in settings]
    assert [one.waits_differ for one in found] == [one not in (MORE, LONGER) for one in settings]


def test_blocks_of_waves_that_start_together_keep_their_size(tmp_path: Path) -> None:
    assert [one.settings for one in changes(tmp_path, SITE, start="synchronized")] == [MORE, LONGER]


def test_a_pool_without_a_partition_uses_the_default_one(tmp_path: Path) -> None:
    node = SurveyedNode(("n1",), 4, 8 << 30, queues=("main", "fast"))
    machines = Machines({"slurm": Survey("slurm", (Queue("main", is_default=True), Queue("fast")), (node,))})
    pools = {"a": {"scheduler": {"partition": "fast"}}, "b": {}, "c": {"scheduler": {"partition": "main"}}}
    found = [one.settings for one in changes(tmp_path, SITE | {"pools": pools}, machines)]
    assert found == [MORE, LONGER, SMALLER, LARGER, ("partition=main",)]


def test_partitions_with_nodes_of_the_same_kind_are_tried_whose_limits_hold_a_block(tmp_path: Path) -> None:
    queues = (
        Queue("main", is_default=True, walltime_seconds=5400.0),
        Queue("long"),
        Queue("short", walltime_seconds=1800.0),
        Queue("single", max_nodes=1),
        Queue("wide"),
        Queue("empty"),
    )
    usual = SurveyedNode(("n1",), 4, 8 << 30, queues=("main", "long", "short", "single"))
    nodes = (
        usual,
        SurveyedNode(("w1",), 8, 8 << 30, queues=("wide", "main")),
        SurveyedNode(("x1",), 16, None, queues=("wide",)),
    )
    machines = Machines({"slurm": Survey("slurm", queues, nodes)})
    found = [one.settings for one in changes(tmp_path, SITE, machines)]
    assert found == [MORE, SMALLER, LARGER, ("partition=long",)]  # twice the walltime is beyond main's limit


def test_a_site_without_a_batch_system_has_no_blocks(tmp_path: Path) -> None:
    plan = made_plan({"instances": 8, "expected_runtime": "10 min"}, slots=4)
    world = SimulatedCampaign(tmp_path, plan, CALM)
    local = {"site": "made", "node": {"cores": "0-3", "memory": "8 GiB"}}
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(local))

    def act(row: CampaignRow, now: int) -> None:
        with pytest.raises(CampaignError, match="toy asks no batch system for blocks"):
            gains(world.book, row, now)

    look(world, 30.0, act)
    world.close()


def test_words() -> None:
    found = Gains(
        [
            Gain("made", ("max_blocks=2",), 3725.0, -0.51),
            Gain("made", ("partition=fast", "qos=low"), 60.0, 2, "12 blocks of 1 to 4 nodes"),
        ],
        [],
        [UnknownWait("made", (f"partition=p{number}",), ("Job 7 to start at noon",)) for number in range(5)],
        [PackingGain("behave", "{cores: 1}", 4, 2, ("tune-behave",), 3600.0, 7200.0, -1.0, 1800.0)],
        packings_are_measured=True,
    )
    assert TypeAdapter(GainsFacts).validate_python(asdict(found), strict=False)
    words = gains_words("toy", found)
    assert (
        words
        == """\
it would end sooner, by simulated campaigns:
  by 1 h 02 min, with 0.51 node-hours less:
    orchestrator node set toy made max_blocks=2
  by 1 min 00 s, with 2 node-hours more; waits of 12 blocks of 1 to 4 nodes:
    orchestrator node set toy made partition=fast qos=low
a verdict declares such a change
not simulated, as no wait of such blocks is known (`orchestrator plan --ask`):
  made partition=p0
    Job 7 to start at noon
  made partition=p1
    Job 7 to start at noon
  made partition=p2
    Job 7 to start at noon
  partition=p3, partition=p4
with 4 instances a node, not 2, as in tune-behave, a next campaign would take
  1 h 00 min, not 2 h 00 min, with 1 node-hours less:
    orchestrator launch FILE --set 'behave.slot={cores: 1}'
  launched anew so, after a stop, this one ends 30 min 00 s sooner"""
    )


def test_a_new_place_in_the_queue_is_no_gain(tmp_path: Path) -> None:
    """A single block waits for hours, and nothing says how long others would wait."""
    assert (
        tried(world_of(tmp_path, replace(CALM, queue_waits={"": [5000.0]}), instances=8), 3000.0).changes
        == []
    )


def test_settings_that_the_batch_system_refuses_are_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> StartAnswer:
        return StartAnswer(accepted=False, words="too many blocks")

    monkeypatch.setattr(SchedulerClient, "ask", refused)
    found = tried(world_of(tmp_path), 800.0)
    assert (found.changes, found.without_gain, found.unknown) == ([], [], [])
    assert gains_words("toy", found).startswith("no change of its blocks could be simulated\n")
