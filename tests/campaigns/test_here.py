"""Campaigns inside an allocation: a real one of Slurm, and those of the other batch systems' fakes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaigns.test_batch import BatchSandbox
from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import ROOT, CampaignSandbox, wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
BLOCKS = "SELECT state, nodes, job_id, message FROM blocks ORDER BY session_number, block_id"
USED = "SELECT message FROM events WHERE kind = 'allocation_used'"


def salloc(place: CampaignSandbox, *arguments: str, nodes: int = 2, minutes: int = 5) -> tuple[int, str]:
    """Run the command line in an allocation of its own; return its exit code and output."""
    ended = subprocess.run(
        [
            "salloc", "--quiet", f"--nodes={nodes}", f"--time={minutes}", "--exclusive", "--gres=gpu:2",
            sys.executable, "-m", "orchestrator", *arguments, "--ledger", place.ledger,
        ],
        cwd=place.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


def test_a_campaign_runs_on_the_nodes_of_a_slurm_allocation(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1)  # the allocation counts, not the site file
    place.campaign(8)
    code, said = salloc(place, "launch", "toy.yaml", "--site", "site.yaml", "--here")
    assert code == 0, said
    place.accepted_once(8)
    assert len(place.rows("SELECT DISTINCT node FROM attempts")) == 2
    ((state, nodes, job, _),) = place.rows(BLOCKS)
    assert (state, nodes) == ("released", 2)
    ((used,),) = place.rows(USED)
    assert used.startswith(
        f"no jobs are submitted: session 1 has allocation {job.partition('/')[0]}: 2 nodes"
    )
    wait_for(lambda: not active(slurm), "the allocation to be gone")
