"""The Slurm of these tests is a real one of several nodes: jobs, limits, and nodes that die."""

from __future__ import annotations

import socket
from pathlib import Path

import psutil
import pytest

from tests.harness import command_line, wait_for
from tests.schedulers import slurm as module
from tests.schedulers.fixtures import missing
from tests.schedulers.slurm import SlurmCluster, SlurmError, obstacles

pytestmark = pytest.mark.slow


def output(cluster: SlurmCluster, folder: Path, script: str, *options: str) -> list[str]:
    """Run a job to its end and return what it printed."""
    file = folder / "output"
    job = cluster.submit(script, "-o", str(file), *options, cwd=folder)
    cluster.wait_job(job, "COMPLETED")
    return file.read_text().splitlines()


def test_three_nodes_listen_on_one_address(slurm: SlurmCluster) -> None:
    assert [slurm.node_state(name) for name in slurm.names] == ["idle"] * 3
    daemons = [
        process
        for process in psutil.process_iter(["name"])  # the name of one that has ended is None
        if process.info["name"] in {"slurmd", "slurmctld"} and str(slurm.folder) in command_line(process)
    ]
    assert len(daemons) == 4
    addresses = {
        connection.laddr.ip
        for daemon in daemons
        for connection in daemon.net_connections()
        if connection.status == psutil.CONN_LISTEN
    }
    assert len(addresses) == 1
    assert slurm.address in {"", *addresses}


def test_a_job_on_two_nodes_knows_them_by_name(slurm: SlurmCluster, tmp_path: Path) -> None:
    lines = output(
        slurm,
        tmp_path,
        "echo $SLURM_JOB_NODELIST\nsrun bash -c 'echo $SLURMD_NODENAME $SLURM_PROCID $(hostname -s)' | sort",
        "-N2",
    )
    host = socket.gethostname().split(".")[0]
    names = module_names(lines[0])
    assert len(names) == 2
    assert [line.split()[0] for line in lines[1:]] == names
    assert {line.split()[2] for line in lines[1:]} == {host}  # one host plays all nodes


def module_names(nodelist: str) -> list[str]:
    """Expand node[1-2]."""
    first, _, last = nodelist.partition("[")[2].rstrip("]").replace(",", "-").partition("-")
    return [f"node{first}", f"node{last}"]


def test_graphics_processors_are_handed_out(slurm: SlurmCluster, tmp_path: Path) -> None:
    assert "gpu:2" in slurm.run("sinfo", "-h", "-p", "main", "-o", "%G")
    script = (
        "srun --ntasks-per-node=2 --gpus-per-task=1 bash -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'"
    )
    lines = output(slurm, tmp_path, script, "-N2", "--ntasks-per-node=2", "--gpus-per-node=2")
    assert len(set(lines)) == 4
    assert {line.split()[1] for line in lines} == {"0", "1"}


def test_codes_of_jobs_that_fail_or_are_cancelled(slurm: SlurmCluster, tmp_path: Path) -> None:
    failed = slurm.submit("exit 3", cwd=tmp_path)
    job = slurm.wait_job(failed, "FAILED")
    assert (job.exit_code, job.signal) == (3, 0)

    mark = tmp_path / "started"
    long = slurm.submit(f"touch {mark}; srun sleep 1000", "-N2", cwd=tmp_path)
    wait_for(mark.exists, "the job to run")
    wait_for(lambda: any("sleep" in command_line(p) for p in slurm.processes("node2")), "its step")
    slurm.run("scancel", long)
    assert slurm.wait_job(long, "CANCELLED")
    wait_for(lambda: not any(slurm.processes(name) for name in slurm.names), "its processes to end")
    assert slurm.jobs("CANCELLED", "FAILED")


def test_what_cannot_run_is_refused(slurm: SlurmCluster, tmp_path: Path) -> None:
    done = slurm.attempt("sbatch", "-p", "nowhere", text="#!/bin/sh\ntrue\n", cwd=tmp_path)
    assert done.returncode == 1
    assert "invalid partition" in done.stderr
    unknown = slurm.attempt("squeue", "--noheader", "--job", "999999")
    assert (unknown.returncode, "Invalid job id" in unknown.stderr) == (1, True)


def test_a_job_ends_at_its_time_limit(slurm: SlurmCluster, tmp_path: Path) -> None:
    job = slurm.submit(
        f"trap 'echo TERM > {tmp_path}/trapped' TERM; sleep 1000 & wait; sleep 1000", "-p", "short", "-t", "1"
    )
    slurm.wait_job(job, "RUNNING")
    slurm.expire(job)  # the rest of the minute; the controller looks every 30 s
    assert slurm.wait_job(job, "TIMEOUT", seconds=300).reason == "TimeLimit"
    wait_for(lambda: not slurm.processes("node1"), "its processes to end")


def test_a_dead_node_fails_its_jobs_or_requeues_them(slurm: SlurmCluster, tmp_path: Path) -> None:
    options = ("-w", "node2", "-n1")
    fails = slurm.submit("sleep 1000", *options, "--no-requeue", cwd=tmp_path)
    again = slurm.submit("sleep 1000", *options, "--requeue", cwd=tmp_path)
    for job in (fails, again):
        slurm.wait_job(job, "RUNNING")
    elsewhere = slurm.submit("sleep 1000", "-w", "node1", "-n1", cwd=tmp_path)
    slurm.wait_job(elsewhere, "RUNNING")

    slurm.kill_node("node2")
    assert not slurm.processes("node2")
    assert slurm.wait_job(fails, "NODE_FAIL", seconds=300).reason == "NodeDown"
    assert slurm.wait_job(again, "PENDING", seconds=300).restarts == 1
    assert slurm.node_state("node2") == "down"
    assert slurm.job(elsewhere).state == "RUNNING"

    slurm.revive_node("node2")
    assert output(slurm, tmp_path, "echo $SLURMD_NODENAME", "-w", "node2") == ["node2"]


def test_a_drained_node_takes_no_jobs(slurm: SlurmCluster, tmp_path: Path) -> None:
    slurm.drain("node1")
    assert slurm.node_state("node1") == "drained"
    assert "node1" not in output(slurm, tmp_path, "srun printenv SLURMD_NODENAME", "-N2")
    waits = slurm.submit("true", "-N3", cwd=tmp_path)
    # Which reason the scheduler gives depends on what else it saw in that pass.
    wait_for(lambda: slurm.job(waits).reason not in ("None", "Priority"), "a reason to wait", 300)
    assert slurm.job(waits).state == "PENDING"
    slurm.undrain("node1")
    slurm.wait_job(waits, "COMPLETED")


def test_a_start_that_fails_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing(obstacles())
    broken = tmp_path / "slurm.conf.template"
    broken.write_text(module.TEMPLATE.read_text() + "NoSuchParameter=1\n")
    monkeypatch.setattr(module, "TEMPLATE", broken)
    folders: list[Path] = []
    real = module.tempfile.mkdtemp
    monkeypatch.setattr(
        module.tempfile, "mkdtemp", lambda **extra: folders.append(Path(real(**extra))) or folders[-1]
    )
    with pytest.raises(SlurmError, match="NoSuchParameter"):
        SlurmCluster().start()
    assert len(folders) == 2  # it was tried once more
    assert not any(folder.exists() for folder in folders)

    def left() -> list[psutil.Process]:
        names = [str(folder) for folder in folders]
        return [p for p in psutil.process_iter() if any(name in command_line(p) for name in names)]

    wait_for(lambda: not left(), "no process")
