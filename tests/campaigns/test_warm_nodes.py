"""On a real Slurm, agents on the nodes of a slot are kept, and fork the ranks of its attempts."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import command_line, wait_for
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow


def test_ranks_on_two_nodes_are_forked_by_agents_that_are_kept(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    common = {
        "workload": "tests.toys.multi_rank",
        "timeout": 120,
        "slot": {"nodes": 2, "ranks": 4, "gpus": "1/2"},
    }
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "processes": "warm",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [
            {**common, "name": "succeed", "instances": 4},
            {**common, "name": "raise", "instances": 1, "parameters": {"behaviour": "raise"}},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    agents: set[tuple[str, int]] = set()

    def ended() -> bool:
        for process in place.processes("agents.kept_agent"):
            with suppress(psutil.Error):  # ended meanwhile
                if "kept_agent" not in command_line(process.parent() or process):  # else it is a rank
                    agents.add((process.environ()["SLURMD_NODENAME"], process.pid))
        return driver.poll() is not None

    wait_for(ended, "the end of the campaign", 600)
    out, err = driver.communicate()
    assert driver.returncode == 3, out + err
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_message, a.observed, a.devices FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
    )
    succeeded = [row for row in rows if row[0] == "succeed"]
    assert [row[1] for row in succeeded] == ["succeeded"] * 4, rows
    for row in succeeded:
        observed = json.loads(row[3])
        assert observed["processes"] == "warm", observed
        assert len({rank["pid"] for rank in observed["ranks"]}) == 4
        assert len(row[4].split(",")) == 4
    failed = next(row for row in rows if row[0] == "raise")
    assert "rank 1: RuntimeError: rank 1 was to fail" in failed[2]
    assert len(agents) == 2, "the same two agents ran all attempts"
    assert len({node for node, _ in agents}) == 2
    wait_for(lambda: not place.processes("agents.kept_agent"), "the end of the agents")
    wait_for(lambda: not active(slurm), "the blocks to be gone")
