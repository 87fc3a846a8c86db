"""ResNet-50 in a real campaign: two ranks in a slot, one is killed, the training goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path

import psutil
import pytest

from tests.harness import CampaignSandbox, wait_for
from tests.workloads.runtime.rank_processes import need_horovod

pytestmark = pytest.mark.slow


def test_a_killed_rank_costs_one_attempt_and_no_epoch(tmp_path: Path) -> None:
    need_horovod()
    place = CampaignSandbox(tmp_path)
    content = {
        "campaign": "toy",
        "grace_period": 2,
        "benchmarks": [
            {
                "workload": "resnet50",
                "instances": 1,
                "timeout": 240,
                "slot": {"ranks": 2, "cores": 1},
                "parameters": {
                    "epochs": 6, "batch_size": 8, "classes": 3, "image_size": 32, "width_divisor": 8,
                    "depth_divisor": 6, "warmup_epochs": 1,
                },
                "data": {
                    "generate": {"train_images": 400, "validation_images": 40, "classes": 3, "image_edge": 40}
                },
            }
        ],
    }  # fmt: skip
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    scratch = tmp_path / "runs" / "toy" / "scratch" / "resnet50-0"
    wait_for(lambda: list(scratch.rglob("*.npz")), "the first checkpoint", 300)
    ranks = sorted(place.processes("workloads.run"), key=lambda process: process.pid)
    assert len(ranks) == 2
    ranks[1].kill()
    psutil.wait_procs(ranks, timeout=300)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    rows = place.rows(
        "SELECT attempt_number, state, failure_category, failure_reason, failure_message FROM "
        "attempts ORDER BY attempt_number"
    )
    assert rows[0][1:4] == ("failed", "infrastructure", "killed by SIGKILL")
    assert rows[0][4].startswith("rank 1: ")
    assert rows[1][1] == "succeeded"
    assert len(rows) == 2
    metrics = dict(place.rows("SELECT name, value FROM metrics WHERE attempt_number = 2"))
    assert metrics["resumed_from_epoch"] >= 1
    assert metrics["epochs_run"] == 6
    verdict = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"][0]
    assert any("went on from a checkpoint" in reason for reason in verdict["reasons"])
    assert any("held 100.0000% of the system" in reason for reason in verdict["reasons"])
    assert not scratch.exists()  # an accepted instance needs no checkpoint
