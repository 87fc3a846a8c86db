"""`plan --simulate`: a range of lengths and node-hours, and what it rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.cli.run.prediction import to_register
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.options import LaunchOptions
from tests.orchestrator.schedulers.test_client import Commands
from tests.orchestrator.simulation.simulated import made_plan

CAMPAIGN: dict[str, Any] = {
    "campaign": "toy",
    "rulebook": "none",
    "benchmarks": [
        {
            "workload": "tests.toys.behave",
            "name": "toy",
            "instances": 6,
            "timeout": "10 min",
            "expected_runtime": "1 min",
        }
    ],
}


def plan(folder: Path, *words: str, **changes: Any) -> Result:
    file = folder / "toy.yaml"
    benchmark = CAMPAIGN["benchmarks"][0] | changes
    file.write_text(json.dumps(CAMPAIGN | {"benchmarks": [benchmark]}))
    return CliRunner().invoke(app, ["plan", str(file), *words])


@pytest.fixture(autouse=True)
def _no_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATOR_LEDGER", raising=False)


def test_the_range_comes_first_and_then_what_it_rests_on(tmp_path: Path) -> None:
    shown = plan(tmp_path, "--simulate")
    assert shown.exit_code == 0, shown.output
    text = " ".join(shown.output.split())
    assert "Nine in ten such campaigns take" in text
    assert "(by 19 simulated campaigns)." in text
    assert "Durations of toy are drawn around `expected_runtime`, within 5%" in text
    assert "queue" not in text  # of a machine without a batch system
    stated = json.loads(plan(tmp_path, "--simulate", "--json").stdout)
    length = stated["makespan_range_seconds"]
    assert length["low"] < length["median"] == stated["makespan_seconds"] < length["high"]
    assert (stated["runs"], stated["complete_runs"]) == (19, 19)


def test_a_single_campaign_has_no_range(tmp_path: Path) -> None:
    shown = plan(tmp_path, "--simulate", "--runs", "1")
    assert "19 or more --runs state a range" in shown.output
    assert "Nine in ten" not in shown.output


def test_waits_of_a_batch_system_are_left_out_or_stated(tmp_path: Path) -> None:
    words = ("--simulate", "--runs", "1", "--site", "polaris")
    silent = " ".join(plan(tmp_path, *words).output.split())
    assert "Time in the batch system's queue is left out; --queue-wait states it." in silent
    stated = " ".join(plan(tmp_path, *words, "--queue-wait", "2 h").output.split())
    assert "Blocks wait 2 h 00 min in the median, as --queue-wait states." in stated


def test_waits_are_those_of_other_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    words = ("--simulate", "--runs", "1", "--site", "slurm", "--queue-wait", "jobs")
    lines = [f"2026-11-{day}T12:00:00|2026-11-{day}T14:00:00|1" for day in range(10, 20)]
    commands.answers("sacct", "\n".join(lines))
    found = " ".join(plan(tmp_path, *words).output.split())
    assert "Waits are drawn from 10 earlier waits, here 2 h 00 min in the median." in found
    commands.answers("sacct", code=1, stderr="no accounting\n")
    absent = plan(tmp_path, *words)
    assert "no accounting; state a median wait, such as --queue-wait 2h" in str(absent.exception)
    commands.answers("sacct", "2026-11-10T12:00:00|2026-11-10T14:00:00|900\n")
    refused = plan(tmp_path, *words)
    assert refused.exit_code == 1
    assert "lists 1 job of yours that started, and none of about the size of a block" in str(
        refused.exception
    ) + " ".join(refused.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--runs", "3"), "--runs: needs --simulate"),
        (("--queue-wait", "1 h"), "--queue-wait: needs --simulate"),
        (("--simulate", "--site", "polaris", "--queue-wait", "soon"), "must be a time such as 2h, or jobs"),
        (("--simulate", "--runs", "0"), "--runs"),
        (("--simulate", "--queue-wait", "1 h"), "--queue-wait: site local has no batch system"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    refused = plan(tmp_path, *words)
    assert refused.exit_code == 2
    assert message in str(refused.exception) + refused.output


def test_a_ledger_that_is_named_must_exist(tmp_path: Path) -> None:
    refused = plan(tmp_path, "--simulate", "--ledger", "none.sqlite")
    assert refused.exit_code
    assert "none.sqlite" in str(refused.exception)


def test_without_any_duration_there_is_no_prediction(tmp_path: Path) -> None:
    refused = plan(tmp_path, "--simulate", expected_runtime=None)
    assert "benchmark toy: a simulation draws durations from earlier runs" in str(refused.exception)


# -- forecasts that a launch records ---------------------------------------------------------

EXPECTED = {"instances": 4, "expected_runtime": "1 min"}


def recorded(benchmark: dict[str, Any], forecast: bool | None = None, batch: bool = True) -> Any:
    make = to_register(LaunchOptions(ledger="sqlite:///none.sqlite", forecast=forecast))
    if make is None:
        return None
    return make(made_plan(benchmark, batch={"nodes_per_block": 1} if batch else None))


def test_a_launch_on_a_batch_system_records_a_forecast() -> None:
    facts = recorded(EXPECTED)
    assert facts["makespan_seconds"]["low"] < facts["makespan_seconds"]["high"]
    assert (facts["runs"], facts["stated"]) == (19, ["behave"])


@pytest.mark.parametrize(
    ("benchmark", "options"),
    [
        (EXPECTED, {"batch": False}),
        (EXPECTED, {"forecast": False}),
        (EXPECTED | {"instances": 501}, {}),
        ({"instances": 4}, {}),
    ],
)
def test_no_forecast_is_recorded_where_no_user_waits_or_asks(
    benchmark: dict[str, Any], options: dict[str, Any]
) -> None:
    assert recorded(benchmark, **options) is None


def test_a_forecast_that_is_asked_for_is_made_or_refused() -> None:
    assert recorded(EXPECTED, forecast=True, batch=False)["runs"] == 19
    with pytest.raises(CampaignError, match="and it has neither"):
        recorded({"instances": 4}, forecast=True)
