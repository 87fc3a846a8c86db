"""The campaigns of HPC AI500 can be planned, and their plans say which rules they break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sites
import workloads
from orchestrator.cli import app
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts

FOLDER = Path(workloads.__file__).parent / "campaigns"


def planned(name: str, site_name: str, monkeypatch: Any) -> Plan:
    for variable in ("SBATCH_ACCOUNT", "PROJECT"):
        monkeypatch.setenv(variable, "a")
    site, _ = sites.load(site_name)
    campaign = parse_campaign((FOLDER / f"{name}.yaml").read_text(), name)
    return make_plan(campaign, site, node_facts(site), Path("/data"))


@pytest.mark.parametrize(("site_name", "gpus"), [("frontier", 8), ("perlmutter", 4), ("summit", 6)])
def test_the_real_size_fits_a_machine(site_name: str, gpus: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("hpcai500", site_name, monkeypatch)
    assert plan.size == 2 * 2 * 10
    shapes = {one.name: (one.shape.ranks, one.shape.nodes) for one in plan.benchmarks}
    assert shapes == {
        f"{name}[ranks={ranks}]": (ranks, ranks // gpus)
        for name in ("resnet50_v15", "extreme_weather")
        for ranks in (48, 96)
    }


def test_the_plan_of_the_real_size_breaks_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SBATCH_ACCOUNT", "a")
    text = (
        CliRunner()
        .invoke(app, ["plan", "hpcai500", "--site", "perlmutter", "--set", "site.paths.data=/x"])
        .output
    )
    assert "sweep extreme_weather: 2 points" in text
    assert "will not be reportable" not in text, text


def test_an_instance_of_the_demo_has_the_machine_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("hpcai500-demo", "local", monkeypatch)
    trainings = [one for one in plan.benchmarks if one.target is not None]
    assert [one.shape.ranks * one.shape.cores for one in trainings] == [2, 2, 2, 2]
    assert {one.instances for one in trainings} == {3}


def test_the_demo_is_planned_for_less_than_eight_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("hpcai500-demo", "local", monkeypatch)
    assert sum(one.instances * (one.expected_seconds or 3600) for one in plan.benchmarks) < 480


def test_a_step_of_the_demo_has_as_many_weather_images_on_both_scales(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = planned("hpcai500-demo", "local", monkeypatch)
    weather = [one for one in plan.benchmarks if one.workload.name == "extreme_weather"]
    assert {(one.shape.ranks, one.parameters["batch_size"]) for one in weather} == {(1, 4), (2, 2)}
