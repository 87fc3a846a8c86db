"""A real search by Optuna: killed in the middle, its ledger lost and rebuilt, and judged elsewhere."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.reader import Reader
from orchestrator.cli import app
from tests.harness import CampaignSandbox, wait_for

pytestmark = pytest.mark.slow

STATES = "SELECT benchmark, state, count(*) FROM instances GROUP BY 1, 2 ORDER BY 1, 2"
CHOICES = "SELECT subject, data FROM events WHERE kind = 'trial_suggested' ORDER BY event_id"
RAN = (
    "SELECT i.benchmark, count(*) FROM attempts a JOIN instances i USING (campaign_id, instance_id) "
    "WHERE a.state = 'succeeded' GROUP BY 1"
)
CAMPAIGN = {
    "campaign": "toy",
    "rulebook": "none",
    "grace_period": 2,
    "benchmarks": [
        {
            "workload": "perceptron",
            "name": "nets",
            "timeout": "1 min",
            "parameters": {"training_seed": 1986, "train_points": 300, "test_points": 300, "epochs": 8},
            "search": {
                "method": "optuna",
                "trials": 14,
                "space": {
                    "learning_rate": {"log_uniform": [0.001, 1.0]},
                    "hidden_width": {"choice": [8, 16, 32]},
                },
                "metric": "last_loss",
                "goal": "minimum",
            },
        }
    ],
}


def killed_with(place: CampaignSandbox, driver: Any, done: int) -> dict[str, str]:
    """Kill a driver once so many instances are done; return the choices until then."""
    wait_for(lambda: driver.poll() is not None or place.done() >= done, f"{done} instances")
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    found = place.rows(CHOICES)
    assert len(dict(found)) == len(found)
    return dict(found)


def test_a_killed_search_keeps_its_choices_and_its_evidence_says_so(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    (tmp_path / "toy.yaml").write_text(json.dumps(CAMPAIGN))
    before = killed_with(place, place.launch(), 3)
    assert 3 <= len(before) < 14
    done = place.run("resume", "toy")
    assert done.returncode == 0, done.stdout + done.stderr
    choices = place.rows(CHOICES)
    assert len(choices) == 14
    assert dict(choices).items() >= before.items()
    assert place.rows(RAN) == [(name, 1) for name in sorted(dict(choices))]
    facts = json.loads(place.run("status", "toy", "--json").stdout)
    [found] = facts["searches"]
    assert (found["method"], found["sampler"]) == ("optuna", "tpe")
    assert found["trials"][0]["parameters"].keys() == {"learning_rate", "hidden_width"}

    judged = place.run("fom", "toy", "--rules")
    assert (
        "a trial of a search, optuna, as registered, with parameters chosen by tpe of Optuna" in judged.stdout
    )
    assert place.run("analyze", "study", "toy").returncode == 0
    assert place.run("report", "toy", "-o", "toy.html").returncode == 0
    assert place.run("ledger", "verify", "toy").returncode == 0
    assert place.run("evidence", "package", "toy", "-o", "toy.zip").returncode == 0
    checked = CliRunner().invoke(app, ["evidence", "verify", str(tmp_path / "toy.zip")])
    assert checked.exit_code == 0, checked.output

    rows = [place.rows(one) for one in (STATES, CHOICES, RAN)]
    place.ledger = f"sqlite:///{tmp_path}/again.sqlite"
    rebuilt = place.run("ledger", "rebuild", "runs/toy")
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr
    with Reader(place.ledger) as reader:
        assert [reader.query(one)[1] for one in (STATES, CHOICES, RAN)] == rows


def test_a_lost_ledger_goes_on_from_the_choices_that_were_saved(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    (tmp_path / "toy.yaml").write_text(json.dumps(CAMPAIGN))
    before = killed_with(place, place.launch(), 3)
    place.ledger = f"sqlite:///{tmp_path}/again.sqlite"
    rebuilt = place.run("ledger", "rebuild", "runs/toy")
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr
    saved = dict(place.rows(CHOICES))
    assert saved.items() <= before.items()
    done = place.run("resume", "toy")
    assert done.returncode == 0, done.stdout + done.stderr
    choices = place.rows(CHOICES)
    assert len(dict(choices)) == len(choices) == 14
    assert dict(choices).items() >= saved.items()
    assert place.run("ledger", "verify", "toy").returncode == 0
