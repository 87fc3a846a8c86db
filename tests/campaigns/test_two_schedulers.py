"""Campaigns on pools of several schedulers: a Slurm, another batch system, and the driver's own machine."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.test_batch import LAUNCHERS
from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import ROOT, kill, wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
INSTANCES = 14
RAN = (
    "SELECT DISTINCT pool FROM attempts JOIN blocks ON blocks.slot_shape = attempts.slot_shape AND "
    "blocks.block_id = attempts.block_id AND blocks.session_number = attempts.session_number "
    "WHERE attempts.state {} ORDER BY pool"
)


def usable_cores() -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))


def sandbox(folder: Path, pools: dict[str, Any], **benchmark: Any) -> SlurmSandbox:
    """Return a site with a pool of Slurm and others, and a campaign that is spread over them."""
    place = SlurmSandbox(folder, nodes_per_block=1)
    site = json.loads((folder / "site.yaml").read_text())
    site["pools"] = {"cluster": {}, **pools}
    (folder / "site.yaml").write_text(json.dumps(site))
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "retries": {"benchmark": 0, "infrastructure": 2},
        "benchmarks": [
            {
                "workload": "tests.toys.behave",
                "name": "both",
                "instances": INSTANCES,
                "timeout": 60,
                "spread": True,
                "slot": {"cores": 1},
                "parameters": {"seconds": 4.0},
                **benchmark,
            },
        ],
    }
    (folder / "toy.yaml").write_text(json.dumps(content))
    return place


def test_the_drivers_machine_helps_a_slurm_and_a_killed_driver_loses_nothing(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    own = {"scheduler": {"type": "local"}, "node": {"cores": usable_cores(), "memory": "1 GiB"}}
    place = sandbox(tmp_path, {"own": own})
    planned = place.run("plan", "toy.yaml", "--site", "site.yaml", "--script")
    assert planned.returncode == 0, planned.stderr
    assert "#SBATCH --nodes=1" in planned.stdout
    assert "# stage 2: own.c1 runs on this machine: nothing is submitted" in planned.stdout
    driver = place.launch()
    both = [("cluster",), ("own",)]
    wait_for(lambda: place.rows(RAN.format("= 'running'")) == both, "attempts on both pools")
    kill(driver)
    last = place.run("resume", "toy")
    assert last.returncode == 0, last.stdout + last.stderr
    place.accepted_once(INSTANCES)
    assert place.rows(RAN.format("= 'succeeded'")) == both
    here = socket.gethostname()
    nodes = dict(place.rows(
        "SELECT DISTINCT b.pool, a.node FROM attempts a JOIN blocks b ON b.slot_shape = a.slot_shape AND "
        "b.session_number = a.session_number WHERE a.state = 'succeeded'"
    ))  # fmt: skip
    assert nodes["own"] == here
    assert nodes["cluster"] in slurm.names
    assert active(slurm) == []


def test_two_batch_systems_serve_one_campaign_and_both_are_cleaned_up(
    slurm: SlurmCluster, pbspro_machine: Machine, tmp_path: Path
) -> None:
    other = {
        "scheduler": {
            "type": "pbspro",
            "walltime": "10 min",
            "poll_interval": 1,
            "launcher": {"type": LAUNCHERS["pbspro"]},
        },
        "node": {"cores": usable_cores(), "memory": "1 GiB"},
        "nodes": 100,
        "address": "127.0.0.1",
        "interface": "lo",
        "environment": {"PYTHONPATH": str(ROOT)},
    }
    place = sandbox(tmp_path, {"other": other})
    driver = place.launch()
    both = [("cluster",), ("other",)]
    wait_for(lambda: place.rows(RAN.format("= 'running'")) == both, "attempts on both pools")
    kill(driver)
    found = place.run("node", "leftovers", "toy").stdout
    assert found.count("job ") >= 2, found
    last = place.run("resume", "toy")
    assert last.returncode == 0, last.stdout + last.stderr
    place.accepted_once(INSTANCES)
    assert active(slurm) == []
    assert [job for job in pbspro_machine.jobs() if job.active and not job.gone] == []
