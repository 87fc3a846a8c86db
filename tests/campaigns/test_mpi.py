"""Ranks of real campaigns join over MPI, on one node and on two; a rank that fails ends its attempt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.test_batch import BatchSandbox
from tests.harness import CampaignSandbox, wait_for
from tests.schedulers.machines import Machine
from tests.workloads.runtime.rank_processes import need_mpi

pytestmark = pytest.mark.slow
TOTALS = (
    "SELECT name, value FROM metrics JOIN attempts USING (campaign_id, instance_id, attempt_number) "
    "WHERE state = 'succeeded' AND name IN ('total', 'nodes') ORDER BY name"
)


@pytest.fixture(autouse=True)
def _need_mpi() -> None:
    need_mpi()


def campaign(folder: Path, slot: dict[str, int], **benchmarks: dict[str, Any]) -> None:
    """Write a campaign file."""
    common = {"workload": "tests.toys.mpi_sum", "timeout": 60, "instances": 1, "slot": slot}
    content = {
        "campaign": "toy",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [{**common, "name": name, **more} for name, more in benchmarks.items()],
    }
    (folder / "toy.yaml").write_text(json.dumps(content))


def mpi_names() -> set[str]:
    """Return the names of MPICH's shared memory on this machine."""
    return {file.name for file in Path("/dev/shm").glob("mpich_*")}


def test_ranks_of_one_node_add_and_a_failed_one_ends_the_attempt_and_leaves_nothing(tmp_path: Path) -> None:
    before = mpi_names()
    place = CampaignSandbox(tmp_path)
    failing = {one: {"parameters": {"behaviour": one}} for one in ("die", "leave", "raise")}
    campaign(tmp_path, {"ranks": 2, "cores": 1}, **failing, succeed={"instances": 2})
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 3, ended.stdout + ended.stderr
    rows = place.rows(
        "SELECT i.benchmark, a.failure_reason, a.failure_message FROM attempts a "
        "JOIN instances i USING (campaign_id, instance_id) WHERE a.state = 'failed' ORDER BY 1"
    )
    assert [row[:2] for row in rows] == [
        ("die", "killed by SIGKILL"), ("leave", "no result"), ("raise", "exception"),
    ]  # fmt: skip
    assert all(row[2].startswith("rank 1: ") for row in rows)
    assert "RuntimeError: rank 1 was to fail" in rows[2][2]
    assert place.rows(TOTALS) == [("nodes", 1.0)] * 2 + [("total", 3.0)] * 2
    wait_for(lambda: not mpi_names() - before, "no shared memory to be left")  # other tests start MPI, too


@pytest.mark.usefixtures("named_nodes")
def test_ranks_of_two_nodes_add(lsf_machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, lsf_machine, nodes_per_block=2)
    leaving = {"parameters": {"behaviour": "leave"}}
    campaign(tmp_path, {"nodes": 2, "ranks": 4}, succeed={}, leave=leaving)
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 3, ended.stdout + ended.stderr
    ((reason, text),) = place.rows(
        "SELECT failure_reason, failure_message FROM attempts WHERE state = 'failed'"
    )
    assert reason == "no result"
    assert text.startswith("rank 1: ")
    assert place.rows(TOTALS) == [("nodes", 2.0), ("total", 10.0)]
