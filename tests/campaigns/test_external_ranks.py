"""Programs of several ranks in real campaigns: PyTorch's process group, MPI, one node and two."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.test_batch import BatchSandbox
from tests.harness import CampaignSandbox
from tests.schedulers.fixtures import missing
from tests.schedulers.machines import Machine

pytestmark = pytest.mark.slow
LINES = """
import json, os, sys, time
def put(key, value=None):
    event = {"namespace": "", "time_ms": int(time.time() * 1000), "event_type": "POINT_IN_TIME", "key": key}
    print(":::MLLOG " + json.dumps(event | {"value": value, "metadata": {}}), flush=True)
"""
TORCH = (
    LINES
    + """
import torch
import torch.distributed as distributed
assert "--distributed" in sys.argv
distributed.init_process_group("gloo")  # by the variables
rank = distributed.get_rank()
total = torch.tensor([rank + 1.0])
distributed.barrier()
if rank == 0:
    put("run_start")
    time.sleep(0.4)
distributed.all_reduce(total)
if rank == 1 and "die" in sys.argv:
    os.kill(os.getpid(), 9)
distributed.barrier()
if rank == 0:
    put("eval_accuracy", total.item())
    put("number_of_ranks", distributed.get_world_size())
    put("run_stop")
distributed.destroy_process_group()
time.sleep(5.0 * rank)  # which is not timed
"""
)
MPI = """
import sys
from mpi4py import MPI
ranks = MPI.COMM_WORLD
if ranks.rank == 1 and "raise" in sys.argv:
    raise RuntimeError("rank 1 was to fail")
total = ranks.allreduce(ranks.rank + 1.0)
of_this_node = ranks.Split_type(MPI.COMM_TYPE_SHARED).size
if ranks.rank == 0:
    print("total", total, "of which", of_this_node, "here")
"""
OBSERVED = "SELECT observed FROM attempts WHERE state = 'succeeded'"
VALUES = "SELECT benchmark, accuracy, fom_seconds FROM accepted ORDER BY benchmark"


@pytest.fixture(autouse=True)
def _need_packages() -> None:
    """Skip where a package is not installed; in continuous integration that fails."""
    wanted = [name for name in ("torch", "mpi4py") if importlib.util.find_spec(name) is None]
    missing([f"{name} is not installed: make backends" for name in wanted])


def workload(folder: Path, name: str, program: str, *options: str, **command: Any) -> str:
    """Write a program and the file that describes it; return the file's name."""
    (folder / f"{name}.py").write_text(program)
    arguments = ["{python}", *options, "{folder}/" + name + ".py", "{how}"]
    content = {
        "name": name, "title": name, "source": "these tests", "fom_time": "run", "ranks": True,
        "parameters": {"how": "well"}, "command": {"arguments": arguments, **command},
    }  # fmt: skip
    (folder / f"{name}.yaml").write_text(json.dumps(content))
    return f"{name}.yaml"


def torch_workload(folder: Path) -> str:
    return workload(
        folder, "together", TORCH, rank_arguments=["--distributed"], seconds="mllog",
        environment={"SHARED": "{output}"},
        accuracy={"mllog": "eval_accuracy"}, metrics={"ranks": {"mllog": "number_of_ranks"}},
    )  # fmt: skip


def mpi_workload(folder: Path) -> str:
    return workload(
        folder, "message", MPI, "-m", "mpi4py", seconds="run",
        accuracy={"pattern": "total (?P<value>[0-9.]+)"},
        metrics={"here": {"pattern": "(?P<value>[0-9]+) here"}},
    )  # fmt: skip


def campaign(folder: Path, *rows: dict[str, Any]) -> None:
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [{"timeout": 120, "instances": 1} | row for row in rows],
    }
    (folder / "toy.yaml").write_text(json.dumps(content))


def test_ranks_of_programs_join_and_rank_0_states_their_numbers(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    slot = {"ranks": 2, "cores": 1}
    together = torch_workload(tmp_path)
    campaign(
        tmp_path,
        {"workload": together, "slot": slot},
        {"workload": together, "name": "dies", "slot": slot, "parameters": {"how": "die"}},
        {"workload": mpi_workload(tmp_path), "slot": slot},
        {"workload": "message.yaml", "name": "raises", "slot": slot, "parameters": {"how": "raise"}},
    )
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 3, ended.stdout + ended.stderr
    (message, torch) = place.rows(VALUES)
    assert message[:2] == ("message", 3.0)
    assert torch[:2] == ("together", 3.0)
    assert 0.4 < torch[2] < 5.0  # from rank 0's line to rank 0's line
    assert place.rows("SELECT value FROM metrics WHERE name = 'ranks'") == [(2.0,)]
    died, raised = place.rows(
        "SELECT failure_reason, failure_message FROM attempts WHERE state = 'failed' ORDER BY instance_id"
    )
    assert died[0] == "killed by SIGKILL"
    assert raised[0] == "crashed with SIGABRT"
    assert died[1].startswith("rank 1: ")
    assert raised[1].startswith("rank 1: the command died of SIGABRT; its last words were ")
    assert not list((tmp_path / "runs" / "toy").rglob("output-*"))  # also of the failed one
    judged = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"]
    good = [one["reasons"] for one in judged if one["benchmark"] in ("together", "message")]
    beside = ("another campaign ran on the same cores at the same time", "other processes took up to ")
    odd = [reason for reasons in good for reason in reasons if not reason.startswith(beside)]
    assert odd == []  # but for tests that run beside this one
    percents = [json.loads(seen)["foreign_cpu_percent"] for (seen,) in place.rows(OBSERVED)]
    assert len(percents) == 2
    assert all(percent <= 101 for percent in percents)  # of the time that was measured, rounded up


@pytest.mark.usefixtures("named_nodes")
def test_ranks_of_programs_on_two_nodes_join(lsf_machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, lsf_machine, nodes_per_block=2)
    slot = {"nodes": 2, "ranks": 4}
    campaign(
        tmp_path,
        {"workload": torch_workload(tmp_path), "slot": slot},
        {"workload": mpi_workload(tmp_path), "slot": slot},
    )
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [row[:2] for row in place.rows(VALUES)] == [("message", 10.0), ("together", 10.0)]
    assert place.rows("SELECT value FROM metrics WHERE name = 'here'") == [(2.0,)]
