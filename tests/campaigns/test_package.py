"""A real campaign whose driver is killed, resumed, packaged, and verified from another folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT, CampaignSandbox, kill, wait_for

pytestmark = pytest.mark.slow


def test_a_killed_and_resumed_campaign_verifies(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "grace_period": 2,
        "retries": {"benchmark": 1},
        "benchmarks": [
            {"workload": "tests.toys.behave", "timeout": 60, "instances": 4, "parameters": {"seconds": 0.3}},
            {
                "workload": "tests.toys.behave",
                "name": "sick",
                "timeout": 60,
                "instances": 1,
                "parameters": {"behaviour": "exit"},
            },
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.start("launch", "toy.yaml", "--site", "site.yaml")
    wait_for(lambda: place.done() >= 2, "two accepted instances")
    kill(driver)
    assert place.run("resume", "toy").returncode == 3

    packaged = place.run("evidence", "package", "toy", "--output", "toy.zip", "--logs", "all")
    assert packaged.returncode == 0, packaged.stderr
    # Also lines of progress, where it takes longer than two seconds.
    warnings = [line for line in packaged.stderr.splitlines() if "warning" in line]
    assert [line for line in warnings if "attempts are of 2 sessions" not in line] == []
    (tmp_path / "ledger.sqlite").unlink()
    shutil.rmtree(tmp_path / "runs")
    verified = subprocess.run(
        [sys.executable, "-m", "orchestrator", "evidence", "verify", "toy.zip", "--json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(verified.stdout)
    assert (verified.returncode, found["findings"]) == (0, [])
    assert found["reports"] >= 6
    assert found["verdict"]["benchmarks"][0]["accepted"] == 4
