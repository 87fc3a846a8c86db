"""A real search by successive halving, killed in the middle, and what is left of it elsewhere."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.reader import Reader
from orchestrator.cli import app
from tests.harness import CampaignSandbox, wait_for
from workloads.context import Context, SlotView
from workloads.perceptron import PerceptronParameters, run

pytestmark = pytest.mark.slow

STATES = "SELECT benchmark, state, count(*) FROM instances GROUP BY 1, 2 ORDER BY 1, 2"
RESUMED = (
    "SELECT i.benchmark, m.value, i.accepted_attempt FROM metrics m JOIN instances i USING (instance_id) "
    "WHERE m.name = 'resumed_from_epoch'"
)
FIXED = {"training_seed": 1986, "train_points": 300, "test_points": 300}
CAMPAIGN = {
    "campaign": "toy",
    "rulebook": "none",
    "grace_period": 2,
    "benchmarks": [
        {
            "workload": "perceptron",
            "name": "nets",
            "timeout": "1 min",
            "parameters": FIXED,
            "search": {
                "method": "asha",
                "trials": 6,
                "space": {
                    "learning_rate": {"log_uniform": [0.001, 1.0]},
                    "hidden_width": {"choice": [8, 16, 32]},
                },
                "metric": "last_loss",
                "goal": "minimum",
                "reduction": 2,
                "rungs": [2, 6, 18],
            },
        }
    ],
}


def test_a_killed_search_goes_on_to_its_best_trial_and_its_evidence_says_so(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    (tmp_path / "toy.yaml").write_text(json.dumps(CAMPAIGN))
    driver = place.launch()
    wait_for(lambda: place.done() >= 4, "four instances")
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    done = place.run("resume", "toy")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "search nets: 6 trials" in done.stdout
    facts = json.loads(place.run("status", "toy", "--json").stdout)
    assert facts["instances"].keys() == {"done", "pruned"}
    [found] = facts["searches"]
    best = found["trials"][0]
    assert best["epochs"] == 18

    # Each rung went on from the one before, or from an own checkpoint where the kill had ended its first
    # attempt, and the last one ends as a training without any stop.
    before = {"2": 0, "6": 2, "18": 6}
    resumed = [
        (name.rpartition("=")[2].strip("]"), epoch, number) for name, epoch, number in place.rows(RESUMED)
    ]
    assert resumed
    for rung, epoch, number in resumed:
        assert before[rung] <= epoch <= int(rung)
        assert epoch == before[rung] or number > 1
    drawn = best["parameters"]
    parameters = PerceptronParameters(
        **FIXED,
        epochs=18,
        learning_rate=float(drawn["learning_rate"]),
        hidden_width=int(drawn["hidden_width"]),
    )
    whole = run(parameters, Context(seed=1, slot=SlotView(cores=(0,))))
    assert {one.name: one.value for one in whole.metrics}["last_loss"] == best["value"]
    assert not (tmp_path / "runs" / "toy" / "rungs").exists()

    judged = place.run("fom", "toy", "--rules")
    assert "a trial of a search, asha, as registered" in judged.stdout
    assert place.run("ledger", "verify", "toy").returncode == 0
    assert place.run("evidence", "package", "toy", "-o", "toy.zip").returncode == 0
    checked = CliRunner().invoke(app, ["evidence", "verify", str(tmp_path / "toy.zip")])
    assert checked.exit_code == 0, checked.output

    states = place.rows(STATES)
    place.ledger = f"sqlite:///{tmp_path}/again.sqlite"
    rebuilt = place.run("ledger", "rebuild", "runs/toy")
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr
    with Reader(place.ledger) as reader:
        assert reader.query(STATES)[1] == states
