"""Campaigns inside an allocation: a real one of Slurm, and those of the other batch systems' fakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.campaigns.test_batch import FAMILIES, BatchSandbox
from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import ROOT, CampaignSandbox, command_line, wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
BLOCKS = "SELECT state, nodes, job_id, message FROM blocks ORDER BY session_number, block_id"
SHELL = (
    "$DRIVER launch toy.yaml --site site.yaml --here --ledger $LEDGER;"
    "exec $DRIVER resume toy --here --ledger $LEDGER"
)
USED = "SELECT message FROM events WHERE kind = 'allocation_used'"


def salloc(
    place: CampaignSandbox, *arguments: str, nodes: int = 2, minutes: int = 5, step: bool = False
) -> tuple[int, str]:
    """Run the command line in an allocation of its own, or in a step there; return exit code and output."""
    ended = subprocess.run(
        [
            "salloc", "--quiet", f"--nodes={nodes}", f"--time={minutes}", "--exclusive", "--gres=gpu:2",
            *(["srun", "--nodes=1", "--ntasks=1", "--mem=0"] if step else []),
            sys.executable, "-m", "orchestrator", *arguments, "--ledger", place.ledger,
        ],
        cwd=place.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
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


def test_a_driver_in_a_step_of_the_allocation_starts_workers_beside_itself(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, inside_allocation="use")
    benchmark = {
        "name": "wide",
        "workload": "tests.toys.multi_rank",
        "instances": 2,
        "timeout": 60,
        "slot": {"nodes": 2, "ranks": 4},
    }
    (tmp_path / "toy.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [benchmark]}))
    code, said = salloc(place, "launch", "toy.yaml", "--site", "site.yaml", step=True)
    assert code == 0, said
    place.accepted_once(2)
    assert place.rows(USED)  # without --here: the site file says so
    wait_for(lambda: not active(slurm), "the allocation to be gone")


def interactive(machine: Machine, place: CampaignSandbox, words: str, walltime: str, nodes: int = 2) -> str:
    """Run a command line as in the shell of an interactive job; return the job's id."""
    options = {
        "lsf": ["-nnodes", str(nodes), "-W", walltime.rpartition(":")[0].removeprefix("00:")],
        "pbspro": ["-l", f"select={nodes}:ncpus=2", "-l", "place=scatter", "-l", f"walltime={walltime}"],
        "torque": ["-l", f"nodes={nodes}:ppn=2", "-l", f"walltime={walltime}"],
        "flux": [f"--nodes={nodes}", f"--time-limit={walltime.split(':')[1]}m"],
    }[machine.family]
    script = (
        f"cd {place.folder}; export PYTHONPATH={ROOT} COLUMNS=200 PATH={machine.bin}:$PATH\n"
        f"{sys.executable} -m orchestrator {words} --ledger {place.ledger} >{place.folder}/said 2>&1\n"
        f"echo $? >{place.folder}/code\n"
    )
    return machine.submit(script, *options)


def ended(machine: Machine, place: CampaignSandbox, job: str) -> tuple[int, str]:
    """Wait for the end of an interactive job; return exit code and output of its command."""
    machine.wait_job(job, "done", seconds=300)
    said = (place.folder / "said").read_text()
    assert (place.folder / "code").exists(), said
    return int((place.folder / "code").read_text()), said


@pytest.fixture(params=FAMILIES)
def machine(request: pytest.FixtureRequest, named_nodes: None) -> Machine:
    """Each machine with a fake."""
    made: Machine = request.getfixturevalue(f"{request.param}_machine")
    return made


def test_a_campaign_runs_inside_a_job_of_another_batch_system(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    place.campaign(6)
    job = interactive(machine, place, "launch toy.yaml --site site.yaml --here", "00:10:00")
    code, said = ended(machine, place, job)
    assert code == 0, said
    place.accepted_once(6)
    ((state, nodes, where, _),) = place.rows(BLOCKS)
    assert (state, nodes) == ("released", 2)
    assert where.startswith("local:///" if machine.family == "flux" else f"{job}/")
    assert place.rows("SELECT DISTINCT node FROM attempts ORDER BY node") == [("node1",), ("node2",)]
    assert len(machine.jobs()) == 1  # nothing was submitted
    # The driver of LSF runs on the launch node; the others share a node's cores with instances.
    assert ("leave one core out" in said) == (machine.family != "lsf")


def test_what_runs_at_the_end_of_the_allocation_goes_on_in_a_job(
    pbspro_machine: Machine, named_nodes: None, tmp_path: Path
) -> None:
    place = BatchSandbox(tmp_path, pbspro_machine, nodes_per_block=1)
    place.campaign(1, parameters={"seconds": 300.0}, grace_period=1, timeout=400)
    job = interactive(pbspro_machine, place, "launch toy.yaml --site site.yaml --here", "00:01:00", nodes=1)
    code, said = ended(pbspro_machine, place, job)
    assert code == 4, said
    assert pbspro_machine.job(job).reason == ""  # it ended by itself, before its walltime
    started = "SELECT state, failure_category, failure_message FROM attempts WHERE process_start_us > 0"
    assert place.rows(started) == [("cancelled", "neutral", "its block was about to end")]
    assert f"stop requested: drain, by allocation {job}" in said or "by the end of allocation" in said
    assert "next     orchestrator resume toy" in said
    driver = place.start("resume", "toy")
    wait_for(lambda: place.rows("SELECT 1 FROM attempts WHERE state = 'running'"), "it to go on in a job")
    assert len(pbspro_machine.jobs()) == 2
    assert place.run("stop", "toy", "--now").returncode == 0
    assert driver.wait(300) == 4


def test_attempts_outlive_their_driver_in_an_allocation_and_its_resume_takes_them(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(6, parameters={"seconds": 12.0})  # longer than a worker pool takes to miss its driver
    shell = subprocess.Popen(
        ["salloc", "--quiet", "--nodes=2", "--time=5", "--exclusive", "--gres=gpu:2", "bash", "-c", SHELL],
        cwd=tmp_path,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "DRIVER": f"{sys.executable} -m orchestrator", "LEDGER": place.ledger},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(lambda: len(place.processes("workloads.run")) == 4, "four trainings")
    (driver,) = [
        one
        for one in psutil.Process(shell.pid).children(recursive=True)
        if "-m orchestrator launch" in command_line(one)
    ]
    driver.kill()
    out, _ = shell.communicate(timeout=600)
    assert shell.returncode == 0, out
    place.accepted_once(6)
    assert "4 attempts of a dead driver still run in allocation" in out
    assert "adopted 4 results from the journals" in out
    assert set(place.starts().values()) == {1}
    assert [session for _, _, session in place.blocks()] == [1, 2]
    assert len(place.rows(USED)) == 2
    wait_for(lambda: not active(slurm), "the allocation to be gone")
