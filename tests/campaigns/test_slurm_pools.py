"""Pools that are added to a campaign on a real Slurm while it runs, and removed from it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import kill, wait_for
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
INSTANCES = 14
RAN = (
    "SELECT DISTINCT pool FROM attempts JOIN blocks ON blocks.slot_shape = attempts.slot_shape AND "
    "blocks.block_id = attempts.block_id WHERE attempts.state {} ORDER BY pool"
)


def test_a_partition_is_added_and_another_removed_and_kills_of_the_driver_lose_nothing(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1)
    site = json.loads((tmp_path / "site.yaml").read_text())
    site["pools"] = {"short": {"scheduler": {"partition": "short", "walltime": "60 s"}}}
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "retries": {"benchmark": 0, "infrastructure": 0},
        "benchmarks": [
            {
                "workload": "tests.toys.behave",
                "name": "both",
                "instances": INSTANCES,
                "timeout": 60,
                "spread": True,
                "parameters": {"seconds": 12.0},
            },
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    wait_for(lambda: place.done() > 0, "a first result")

    site["pools"] |= {
        "wide": {"scheduler": {"partition": "main"}},
        "gone": {"scheduler": {"partition": "no"}},
    }
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    refused = place.run("node", "add", "toy", "gone", "--site", "site.yaml")
    assert refused.returncode == 1
    assert "pool gone: the batch system refuses" in refused.stderr
    assert "invalid partition" in refused.stderr
    asked = place.run("node", "add", "toy", "wide", "--site", "site.yaml")
    assert asked.returncode == 0, asked.stderr
    kill(driver)  # before it took the request, or as it asks for the first block
    driver = place.start("resume", "toy")
    both = [("short",), ("wide",)]
    wait_for(lambda: place.rows(RAN.format("= 'running'")) == both, "attempts on both pools")
    jobs = subprocess.check_output(["squeue", "--noheader", "--format=%P"], text=True).split()
    assert sorted(jobs) == ["main", "short"]
    asked = place.run("node", "remove", "toy", "short", "--now")
    assert asked.returncode == 0, asked.stderr
    ended = "SELECT count(*) FROM attempts WHERE failure_reason = 'cancelled by user'"
    wait_for(lambda: place.rows(ended) > [(0,)], "an attempt of the removed pool to end")
    kill(driver)
    last = place.run("resume", "toy")
    assert last.returncode == 0, last.stdout + last.stderr
    place.accepted_once(INSTANCES)
    later = "SELECT DISTINCT pool FROM blocks WHERE session_number = 3"
    assert place.rows(later) == [("wide",)]
    changes = place.rows("SELECT kind, message FROM events WHERE kind LIKE 'pool_%' ORDER BY event_id")
    assert [kind for kind, _ in changes] == ["pool_added", "pool_removed"]
    verdict = place.run("fom", "toy", "--rules").stdout
    assert all(verdict.count(message) == 1 for _, message in changes)
    assert "2 instances were cancelled while running, and ran again" in verdict
    assert active(slurm) == []
