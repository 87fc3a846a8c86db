"""Blocks with which a campaign that runs would end sooner."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli.look.gains import gains_words
from orchestrator.errors import CampaignError
from orchestrator.planning.registered import registered_plan
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.gains import Gain, _candidates, gains
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_rest import CALM, SITE, look

pytestmark = pytest.mark.usefixtures("batch_system")


def tried(
    folder: Path, seconds: float, model: FaultModel = CALM, instances: int = 48, **batch: Any
) -> list[Gain]:
    """Return what would end a campaign sooner that is looked at after some seconds."""
    scheduler = {"nodes_per_block": 2, "max_blocks": 1, "walltime": 3600.0, **batch}
    plan = made_plan({"instances": instances, "expected_runtime": "10 min"}, slots=4, batch=scheduler)
    world = SimulatedCampaign(folder, plan, model)
    site = json.dumps(SITE | {"scheduler": {"type": "slurm", **scheduler}})
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), site)
    found: list[Gain] = []

    def act(row: CampaignRow, now: int) -> None:
        found.extend(gains(world.book, row, now))

    look(world, seconds, act)
    world.close()
    return found


def test_more_blocks_end_what_has_not_begun_sooner(tmp_path: Path) -> None:
    """Eight at once take an hour for 48 runs of ten minutes; 16 take half of what is left."""
    [best] = tried(tmp_path, 800.0, replace(CALM, queue_waits={"": [60.0]}))
    assert (best.pool, best.setting) == ("made", "max_blocks=2")
    assert 900 < best.sooner_seconds < 1500
    assert abs(best.node_hours) < 0.3


def test_longer_blocks_wait_less_often(tmp_path: Path) -> None:
    """Blocks of 25 minutes take two waves, and wait an hour for each."""
    found = tried(tmp_path, 4000.0, replace(CALM, queue_waits={"": [3600.0]}), walltime=1500.0)
    longer = next(one for one in found if one.setting == "walltime=3000s")
    assert longer.sooner_seconds > 3600


def test_nothing_helps_what_runs_already(tmp_path: Path) -> None:
    assert tried(tmp_path, 800.0, replace(CALM, queue_waits={"": [60.0]}), instances=8) == []
    assert gains_words("toy", []).startswith("neither twice as many blocks")


@pytest.mark.parametrize(
    ("changes", "settings"),
    [
        ({}, ["max_blocks=4", "walltime=7200s"]),
        ({"nodes": 8}, ["max_blocks=4", "walltime=7200s"]),
        ({"nodes": 7}, ["walltime=7200s"]),
        ({"scheduler": SITE["scheduler"] | {"walltime": "30 min..1 h"}}, ["max_blocks=4"]),
        ({"pools": {"a": {}, "b": {"scheduler": {"max_blocks": 1}}}}, ["max_blocks=4", "max_blocks=2"]),
    ],
)
def test_what_is_tried(tmp_path: Path, changes: dict[str, Any], settings: list[str]) -> None:
    plan = made_plan({"instances": 8, "expected_runtime": "10 min"}, slots=4, batch={"nodes_per_block": 2})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    world.write_texts(
        plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(SITE | changes)
    )
    rows = world.book.benchmarks(world.row.campaign_id)
    now = registered_plan(world.row, rows)
    found = list(_candidates(world.row, registered_site(world.row), rows, now))
    assert [one for _, one, *_ in found if one in settings or not changes.get("pools")] == settings
    assert {pool for pool, *_ in found} == set(changes.get("pools", {"made": {}}))
    # Blocks that wait keep their place beside more blocks, and not with another walltime.
    assert all(kept is setting.startswith("max_blocks=") for _, setting, _, kept in found)
    world.close()


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
    words = gains_words(
        "toy", [Gain("made", "max_blocks=2", 3725.0, -0.51), Gain("made", "walltime=2h", 60.0, 2)]
    )
    assert "by 1 h 02 min, with 0.51 node-hours less:" in words
    assert "    orchestrator node set toy made max_blocks=2" in words
    assert "with 2 node-hours more" in words


def test_a_new_place_in_the_queue_is_no_gain(tmp_path: Path) -> None:
    """A single block waits for hours, and nothing says how long others would wait."""
    assert tried(tmp_path, 3000.0, replace(CALM, queue_waits={"": [5000.0]}), instances=8) == []


def test_settings_that_the_batch_system_refuses_are_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise CampaignError("too many blocks")

    monkeypatch.setattr("orchestrator.simulation.gains.check_changed", refused)
    assert tried(tmp_path, 800.0, replace(CALM, queue_waits={"": [60.0]})) == []
