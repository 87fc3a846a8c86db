"""A driver without a terminal: started, followed, left, and its exit code."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.harness import CampaignSandbox, wait_for

pytestmark = pytest.mark.slow


def test_a_detached_campaign_is_followed_to_its_end(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(6, parameters={"seconds": 3.0})
    notify = f"cat > {tmp_path}/told"
    started = place.run(
        "launch", "toy.yaml", "--site", "site.yaml", "--detach", "--notify", notify, "--json", seconds=90
    )
    assert started.returncode == 0, started.stderr
    facts = json.loads(started.stdout)
    driver = psutil.Process(facts["pid"])
    assert os.getsid(driver.pid) == driver.pid
    left = place.start("attach", "toy")
    assert left.stdout is not None
    wait_for(left.stdout.readline, "progress")
    left.send_signal(signal.SIGINT)
    left.communicate(timeout=600)
    assert left.returncode == 130
    driver.send_signal(signal.SIGHUP)
    followed = place.run("attach", "toy")
    assert followed.returncode == 0, followed.stdout + followed.stderr
    assert "toy: complete; 6 of 6 instances accepted" in followed.stdout
    wait_for(lambda: not driver.is_running() or driver.status() == psutil.STATUS_ZOMBIE, "its end")
    assert "toy: complete" in Path(facts["output"]).read_text()
    assert json.loads((tmp_path / "told").read_text())["outcome"] == "complete"
    again = place.run("attach", "toy", "--json")
    assert (again.returncode, json.loads(again.stdout)["outcome"]) == (0, "complete")


def test_what_fails_before_there_is_a_campaign_is_told_here(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(2)
    refused = place.run("launch", "toy.yaml", "--site", "nowhere", "--detach")
    assert refused.returncode == 1
    assert refused.stdout.startswith("error: ")
    assert len(refused.stdout.splitlines()) == 1
    assert place.run("resume", "toy", "--detach").returncode == 1
    assert place.run("attach", "toy").returncode == 1
