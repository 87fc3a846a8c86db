"""A real campaign that stops when it is certain, killed in the middle, and what is left of it elsewhere."""

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

pytestmark = pytest.mark.slow

STATES = "SELECT benchmark, state, count(*) FROM instances GROUP BY 1, 2 ORDER BY 1, 2"
CAMPAIGN = {
    "campaign": "toy",
    "rulebook": "none",
    "grace_period": 2,
    "decide": {"compare": "seconds", "difference": "5 %", "at_most": 40},
    "benchmarks": [
        {
            "workload": "tests.toys.behave",
            "name": "toy",
            "timeout": "1 min",
            "share": True,
            "matrix": {"seconds": [0.4, 0.8]},
        }
    ],
}


def test_a_killed_campaign_goes_on_to_its_answer_and_its_evidence_says_so(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    (tmp_path / "toy.yaml").write_text(json.dumps(CAMPAIGN))
    driver = place.launch()
    wait_for(lambda: place.done() >= 4, "four instances")
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    done = place.run("resume", "toy")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seconds 0.4 is certainly faster than seconds 0.8, which takes at least" in done.stdout
    facts = json.loads(place.run("status", "toy", "--json").stdout)
    assert facts["instances"].keys() == {"done", "not_needed"}
    assert 10 <= facts["instances"]["done"] < 60
    [answer] = facts["answers"]
    assert answer["certain"]
    assert place.rows("SELECT count(*) FROM events WHERE kind = 'questions_registered'") == [(1,)]

    assert place.run("ledger", "verify", "toy").returncode == 0
    assert place.run("evidence", "package", "toy", "-o", "toy.zip").returncode == 0
    checked = CliRunner().invoke(app, ["evidence", "verify", str(tmp_path / "toy.zip")])
    assert checked.exit_code == 0, checked.output

    before = place.rows(STATES)
    place.ledger = f"sqlite:///{tmp_path}/again.sqlite"
    rebuilt = place.run("ledger", "rebuild", "runs/toy")
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr
    with Reader(place.ledger) as reader:
        assert reader.query(STATES)[1] == before
