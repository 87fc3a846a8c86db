"""The fake Torque answers, runs, limits and loses jobs as release 6.1 does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.harness import command_line, wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow

LONG = "sleep 1000"


def state(machine: Machine, job: str) -> str:
    """Return the letter in the fifth column of qstat, where Parsl reads it."""
    lines = machine.run("qstat", job).splitlines()
    assert lines[0].startswith("Job ID")
    assert lines[1].startswith("---")
    assert job.startswith(lines[2].split()[0])
    return lines[2].split()[4]


def test_queued_running_complete(torque_machine: Machine) -> None:
    torque_machine.configure(dispatch=False)
    job = torque_machine.submit(f"{LONG} & wait; exit 4")
    assert job == "1001.sdb"
    assert state(torque_machine, job) == "Q"
    torque_machine.configure(dispatch=True)
    wait_for(lambda: state(torque_machine, job) == "R", "the job to run")
    sleeper = wait_for(
        lambda: [p for p in torque_machine.processes(job) if command_line(p).startswith("sleep")], "its child"
    )
    sleeper[0].kill()
    wait_for(lambda: state(torque_machine, job) == "C", "the end")  # kept for a while
    assert "    exit_status = 4\n" in torque_machine.run("qstat", "-f", job)


def test_a_script_sees_its_allocation(torque_machine: Machine) -> None:
    script = """
#PBS -S /bin/bash
#PBS -l nodes=2:ppn=2
#PBS -l walltime=00:10:00
#PBS -N name
#PBS -o out
#PBS -e err
echo $PBS_JOBID $PBS_NUM_NODES $PBS_NUM_PPN $PBS_NP
uniq -c $PBS_NODEFILE
aprun -n 4 -N 2 -d 1 -cc none sh -c 'echo pe $ALPS_APP_PE $HOSTNAME' | sort
pbsdsh -u sh -c 'echo dsh $HOSTNAME' | sort
echo cried >&2
"""
    job = torque_machine.submit(script)
    torque_machine.wait_job(job, "done")
    lines = (torque_machine.home / "out").read_text().splitlines()
    assert lines[0] == f"{job} 2 2 4"
    assert [line.split() for line in lines[1:3]] == [["2", "node1"], ["2", "node2"]]
    assert lines[3:7] == ["pe 0 node1", "pe 1 node1", "pe 2 node2", "pe 3 node2"]
    assert lines[7:9] == ["dsh node1", "dsh node2"]
    assert (torque_machine.home / "err").read_text() == "cried\n"


def test_delete_and_walltime(torque_machine: Machine) -> None:
    job = torque_machine.submit(f"touch started; setsid {LONG} & {LONG}")
    limited = torque_machine.submit(LONG, "-l", "walltime=1")
    wait_for((torque_machine.home / "started").exists, "the script to run")
    torque_machine.run("qdel", job)
    wait_for(lambda: state(torque_machine, job) == "C", "the end")
    assert "exit_status = 271" in torque_machine.run("qstat", "-f", job)
    assert torque_machine.processes(job) == []
    assert torque_machine.attempt("qdel", job).returncode == 170
    wait_for(lambda: state(torque_machine, limited) == "C", "the limit")
    assert "exit_status = -11" in torque_machine.run("qstat", "-f", limited)


def test_held(torque_machine: Machine) -> None:
    job = torque_machine.submit("true", "-h")
    assert state(torque_machine, job) == "H"
    torque_machine.run("qrls", job)
    wait_for(lambda: state(torque_machine, job) == "C", "the end")


def test_select(torque_machine: Machine) -> None:
    user = torque_machine.job(ended := torque_machine.submit("true", "-N", "mine")).user
    torque_machine.wait_job(ended, "done")
    runs = torque_machine.submit(LONG, "-N", "mine")
    torque_machine.wait_job(runs, "running")
    held = torque_machine.submit(LONG, "-N", "mine", "-h")
    torque_machine.submit(LONG, "-N", "other")

    def select(*options: str) -> list[str]:
        return torque_machine.run("qselect", *options).split()

    assert select("-u", user, "-N", "mine") == [ended, runs, held]
    assert select("-u", user, "-N", "mine", "-s", "EHQRTW") == [runs, held]
    assert select("-N", "mine", "-s", "C") == [ended]
    assert select("-u", "somebody") == select("-N", "min") == []
    done = torque_machine.attempt("qselect", "-s", "Z")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "qselect: illegal -s value")
    torque_machine.fail("qselect")
    assert torque_machine.attempt("qselect").returncode == 111


def test_refusals(torque_machine: Machine) -> None:
    torque_machine.configure(accounts=["good"], queues={"batch": {"seconds": 60}})
    for code, text, *options in (
        (172, "submit error (Unknown queue MSG=cannot locate queue)", "-q", "nowhere", "-A", "good"),
        (201, "submit error (Invalid Account)", "-A", "bad"),
        (188, "Job exceeds queue resource limits", "-A", "good", "-l", "walltime=61"),
        (166, "Illegal attribute or resource value", "-A", "good", "-l", "nodes=?"),
        (2, "invalid option -- 'Y'", "-Y"),
    ):
        done = torque_machine.attempt("qsub", *options, text="true")
        assert (done.returncode, text in done.stderr) == (code, True), done.stderr


def test_unknown_jobs_and_faults(torque_machine: Machine) -> None:
    done = torque_machine.attempt("qstat", "77.sdb")
    assert (done.returncode, done.stderr) == (153, "qstat: Unknown Job Id Error 77.sdb\n")
    done = torque_machine.attempt("qdel", "77.sdb")
    assert (done.returncode, done.stderr) == (153, "qdel: nonexistent job id: 77.sdb\n")
    job = torque_machine.submit(LONG)
    torque_machine.wait_job(job, "running")
    torque_machine.fail("qstat", times=-1)
    assert [torque_machine.attempt("qstat", job).returncode for _ in range(2)] == [111, 111]
    torque_machine.recover()
    assert state(torque_machine, job) == "R"


def test_a_job_on_a_lost_node_stays_until_the_node_is_back(torque_machine: Machine) -> None:
    job = torque_machine.submit(LONG)
    torque_machine.wait_job(job, "running")
    torque_machine.lose_node("node1")
    assert torque_machine.processes(job) == []
    assert state(torque_machine, job) == "R"
    torque_machine.revive_node("node1")
    wait_for(lambda: state(torque_machine, job) == "C", "the end")


def test_many_commands_at_once(torque_machine: Machine) -> None:
    torque_machine.configure(nodes=[f"node{number}" for number in range(12)])
    with ThreadPoolExecutor(6) as pool:
        jobs = list(
            pool.map(lambda number: torque_machine.submit(f"echo {number} > done-{number}"), range(12))
        )
        assert len(set(jobs)) == 12
        assert not any(
            done.returncode for done in pool.map(lambda job: torque_machine.attempt("qstat", job), jobs)
        )
    for job in jobs:
        torque_machine.wait_job(job, "done")
    assert len(list(torque_machine.home.glob("done-*"))) == 12


def test_jobs_wait_for_free_nodes(torque_machine: Machine) -> None:
    first = torque_machine.submit(f"{LONG} & wait", "-l", "nodes=2")
    torque_machine.wait_job(first, "running")
    second = torque_machine.submit("true", "-l", "nodes=2")
    assert state(torque_machine, second) == "Q"
    assert not set(torque_machine.job(first).hosts) - {"node1", "node2"}
    torque_machine.run("qdel", first)
    torque_machine.wait_job(second, "done")


def test_debian_wraps_slurm_in_commands_of_torque(torque_on_slurm: SlurmCluster, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/bash\n#PBS -l nodes=2:ppn=1\n#PBS -l walltime=00:10:00\nsleep 1000\n")
    job = torque_on_slurm.run("qsub", str(script), cwd=tmp_path).strip()
    torque_on_slurm.wait_job(job, "RUNNING")
    assert torque_on_slurm.run("qstat", job).splitlines()[2].split()[4] == "R"
    torque_on_slurm.run("qdel", job)
    torque_on_slurm.wait_job(job, "CANCELLED")
