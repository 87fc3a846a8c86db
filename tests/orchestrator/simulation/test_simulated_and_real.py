"""The simulated engine beside the real one, and the predictions made with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from db.states import RunOutcome
from orchestrator.errors import CampaignError
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation import prediction
from orchestrator.simulation.fault_model import SimulatedRun
from orchestrator.simulation.prediction import forecast
from tests.harness import ROOT, CampaignSandbox
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_simulation import CALM

# -- beside the real engine ----------------------------------------------------------------------


@pytest.mark.slow
def test_it_agrees_with_the_real_engine(tmp_path: Path) -> None:
    rows = {
        "succeed": {"instances": 4, "timeout": 30},
        "fail_first": {"instances": 3, "timeout": 30},
        "exit": {"instances": 2, "timeout": 30},
        "hang": {"instances": 2, "timeout": 2},
    }
    retries = {"benchmark": 1, "infrastructure": 1}
    real = CampaignSandbox(tmp_path)
    benchmarks = [
        {
            "workload": "tests.toys.behave",
            "name": name,
            "parameters": {"behaviour": name, "folder": str(real.marks)},
            **row,
        }
        for name, row in rows.items()
    ]
    common = {"grace_period": 1, "retries": retries, "abort_after_failures": 1000}
    content = {"campaign": "toy", **common, "benchmarks": benchmarks}
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    assert real.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 3

    def draw(order: AttemptOrder) -> SimulatedRun:
        behaviour = order.parameters["behaviour"]
        if behaviour == "hang":
            return SimulatedRun(0.5, 3600.0)
        code = {"exit": 3, "fail_first": 9 if order.attempt == 1 else 0}.get(behaviour, 0)
        return SimulatedRun(0.5, 0.1, exit_code=code)

    plan = made_plan(*benchmarks, **common)
    world = SimulatedCampaign(tmp_path / "simulated", plan, CALM, draw=draw)
    assert world.run() is RunOutcome.EXHAUSTED
    world.check()
    attempts = (
        "SELECT i.benchmark, i.benchmark_index, i.seed, a.attempt_number, a.state, "
        "a.failure_category, a.failure_reason, a.failure_message, "
        "a.exit_code FROM attempts a JOIN instances i ON i.campaign_id = a.campaign_id "
        "AND i.instance_id = a.instance_id WHERE a.failure_reason IS NULL OR a.failure_reason "
        "!= 'timeout' ORDER BY 1, 2, 4"
    )
    ended = (
        "SELECT i.benchmark, i.benchmark_index, i.state, i.accepted_attempt, count(*), "
        "max(a.state) FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id "
        "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2"
    )
    # A real attempt that is over at once may end without having been seen to run.
    ends = (
        "SELECT to_state, count(*) FROM events WHERE kind = 'transition' AND to_state != 'running' "
        "GROUP BY 1 ORDER BY 1"
    )
    for question in (attempts, ended, ends):
        assert world.rows(question) == real.rows(question)
    world.close()


# -- the prediction ------------------------------------------------------------------------------


def test_a_forecast_says_what_it_is_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "_MEMORY", tmp_path)
    plan = made_plan({"instances": 40, "expected_runtime": "10 min"}, slots=4, batch={"nodes_per_block": 2})
    found = forecast(plan, seed=3)
    assert (found.outcome, found.done, found.exhausted) == ("complete", 40, 0)
    assert found.makespan_seconds >= 5 * 600 * 0.8
    assert found.stages[0].waves == 5
    assert found.node_hours == pytest.approx(sum(stage.node_hours for stage in found.stages))
    assert 40 <= sum(found.attempts.values()) == 40 + found.retried
    assert found == forecast(plan, seed=3)
    assert found != forecast(plan, seed=4)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["prediction"] == "simulated from earlier or expected durations"
    assert list(tmp_path.iterdir()) == []


def test_a_forecast_needs_expected_durations() -> None:
    with pytest.raises(CampaignError, match="behave: a simulation draws durations from earlier runs"):
        forecast(made_plan({"instances": 4}))


def test_the_command_line_tells_a_forecast_from_a_plan(tmp_path: Path) -> None:
    def ask(*options: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "orchestrator", "plan", "demo", "--simulate", *options],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True,
            capture_output=True, text=True,
        ).stdout  # fmt: skip

    shown = ask("--seed", "5")
    assert shown.startswith(
        "A prediction, no measurement: campaign demo on site local, simulated with seed 5."
    )
    told = json.loads(ask("--seed", "5", "--json"))
    assert (told["seed"], told["instances"], told["done"]) == (5, 22, 22)
    assert [stage["waves"] for stage in told["stages"]] == [stage["waves"] for stage in planned(tmp_path)]
    assert list(tmp_path.iterdir()) == []


def planned(folder: Path) -> list[dict[str, Any]]:
    """Return the stages of the demo as the plan tells them."""
    made = subprocess.run(
        [sys.executable, "-m", "orchestrator", "plan", "demo", "--json"],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return list(json.loads(made.stdout)["stages"])
