"""The fake LSF answers, runs, limits and loses jobs as LSF 10.1 is documented to."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.schedulers.families import family_of
from sites.schedulers import Lsf
from tests.harness import command_line, wait_for
from tests.schedulers.machines import Machine

pytestmark = pytest.mark.slow

LONG = "sleep 1000"


def state(machine: Machine, *jobs: str) -> list[str]:
    """Return what bjobs says of jobs, in Parsl's words."""
    lines = machine.run("bjobs", "-noheader", "-o", "jobid stat", *jobs).splitlines()
    assert [line.split()[0] for line in lines] == list(jobs)
    return [line.split()[1] for line in lines]


def refused(machine: Machine, *options: str, script: str = "true\n") -> str:
    """Submit what is refused, and return the text."""
    done = machine.attempt("bsub", *options, text=script)
    assert (done.returncode, done.stdout) == (255, "")
    assert not machine.jobs()
    return done.stderr.strip()


def test_pend_run_done(lsf_machine: Machine) -> None:
    lsf_machine.configure(dispatch=False)
    said = lsf_machine.run(
        "bsub", "-o", "out.%J", text=f"#BSUB -J wait\ntouch {lsf_machine.home}/ran\n{LONG} & wait %1\n"
    )
    job = said.split("<")[1].split(">")[0]
    assert said == f"Job <{job}> is submitted to default queue <batch>.\n"
    assert state(lsf_machine, job) == ["PEND"]
    lsf_machine.configure(dispatch=True)
    wait_for(lambda: state(lsf_machine, job) == ["RUN"], "the job to run")
    table = lsf_machine.run("bjobs", job).splitlines()
    assert table[0].split() == [
        "JOBID",
        "USER",
        "STAT",
        "QUEUE",
        "FROM_HOST",
        "EXEC_HOST",
        "JOB_NAME",
        "SUBMIT_TIME",
    ]
    assert table[1].split()[:4] == [job, lsf_machine.job(job).user[:7], "RUN", "batch"]
    sleeper = wait_for(
        lambda: [p for p in lsf_machine.processes(job) if command_line(p).startswith("sleep")], "its child"
    )
    sleeper[0].kill()
    wait_for(lambda: state(lsf_machine, job) == ["EXIT"], "the end")  # wait gives 137
    assert lsf_machine.run("bjobs", "-noheader", "-o", "exit_code", job).split() == ["137"]
    done = lsf_machine.submit("true")
    wait_for(lambda: state(lsf_machine, done, job) == ["DONE", "EXIT"], "both ends")
    assert lsf_machine.attempt("bjobs").stderr == "No unfinished job found\n"


def test_bhist_has_jobs_that_bjobs_has_forgotten(lsf_machine: Machine) -> None:
    """The year stands where the environment asks for it; without jobs it fails."""
    nothing = lsf_machine.attempt("bhist", "-a", "-l")
    assert (nothing.returncode, nothing.stderr) == (255, "No matching job found\n")
    family = family_of(Lsf(walltime=60))
    command = family.waits_command()
    assert command is not None
    variables = os.environ | lsf_machine.environment | {"PATH": f"{lsf_machine.bin}:{os.environ['PATH']}"}

    def asked() -> str:
        return subprocess.check_output(command.words, env=variables, text=True)

    assert asked() == ""
    job = lsf_machine.submit("true", "-nnodes", "2", "-J", "a, <b>: Dispatched to <c>")
    lsf_machine.wait_job(job, "done")
    lsf_machine.configure(history=0.0)
    assert lsf_machine.attempt("bjobs", "-a").stderr == "No job found\n"
    [wait] = family.parse_waits(asked())
    begun = lsf_machine.job(job)
    assert (wait.nodes, wait.since) == (2, int(begun.submitted))
    assert wait.seconds == int(begun.started) - int(begun.submitted)
    assert family.parse_waits(lsf_machine.run("bhist", "-a", "-l")) == [wait]  # without years
    assert " 20" not in lsf_machine.run("bhist", "-a", "-l").split("Submitted")[0]
    assert lsf_machine.attempt("bhist", "-a", "-l", "-q", "other").returncode == 255


def test_output_and_report_come_at_the_end(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(
        "echo said; echo cried >&2; exit 3", "-o", "out.%J", "-e", "err.%J", "-J", "name"
    )
    lsf_machine.wait_job(job, "done")
    out = (lsf_machine.home / f"out.{job}").read_text()
    assert out.startswith("said\n")
    assert "Subject: Job" in out
    assert "Exited with exit code 3." in out
    assert (lsf_machine.home / f"err.{job}").read_text() == "cried\n"
    record = json.loads(lsf_machine.run("bjobs", "-json", "-o", "jobid stat exit_code", job))
    assert record["RECORDS"] == [{"JOBID": job, "STAT": "EXIT", "EXIT_CODE": "3"}]


def test_a_script_sees_its_allocation_and_brings_work_to_nodes(lsf_machine: Machine) -> None:
    script = """
#BSUB -nnodes 2
#BSUB -W 0:10
#BSUB -P project
#BSUB -o out
echo $LSB_JOBID $LSB_PROJECT_NAME $HOSTNAME
sort -u $LSB_DJOB_HOSTFILE | tr '\\n' ' '; echo
echo $LSB_MCPU_HOSTS
jsrun -n 4 -r 2 -a 1 -c 2 -g 1 \\
  sh -c 'echo rank $PMIX_RANK $JSM_NAMESPACE_LOCAL_RANK $HOSTNAME $CUDA_VISIBLE_DEVICES'
"""
    job = lsf_machine.submit(script)
    lsf_machine.wait_job(job, "done")
    lines = (lsf_machine.home / "out").read_text().splitlines()
    assert lines[0] == f"{job} project batch1"
    assert lines[1].split() == ["batch1", "node1", "node2"]
    assert lines[2] == "batch1 1 node1 4 node2 4"
    ranks = sorted(line for line in lines if line.startswith("rank"))
    assert ranks == ["rank 0 0 node1 0", "rank 1 1 node1 1", "rank 2 0 node2 0", "rank 3 1 node2 1"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("--nrs 2 --rs_per_host 1 --tasks_per_rs 2 --cpu_per_rs=4 --gpu_per_rs 2 --bind none", 0),
        ("-n2 -r1 -a1 -c4 -g2 -b none -d packed", 0),
        ("-n2 -r1 -c ALL_CPUS -g ALL_GPUS", 0),
        ("-n 2 -r 3 -c 2", 1),  # a node has 4 cores
        ("-n 2 -r 2 -c ALL_CPUS", 1),
        ("--nonsense 3", 1),
        ("-n 2 -r 1 -E FOO=bar", 0),
    ],
)
def test_resource_sets(lsf_machine: Machine, options: str, code: int) -> None:
    job = lsf_machine.submit(f"jsrun {options} true", "-nnodes", "2")
    assert lsf_machine.wait_job(job, "done").code == code


def test_a_script_named_on_the_command_line_is_only_a_command(lsf_machine: Machine, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n#BSUB -q nowhere\n#BSUB -nnodes 2\nexit 7\n")
    script.chmod(0o755)
    lsf_machine.run("bsub", str(script))  # its directives are not read
    lsf_machine.configure(parse_script=True)
    assert "nowhere: No such queue" in lsf_machine.attempt("bsub", str(script)).stderr
    lsf_machine.wait_job("1001", "done")
    assert (lsf_machine.job("1001").code, lsf_machine.job("1001").nodes) == (7, 1)


def test_kill(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(f"trap 'exit 9' INT; touch started; setsid {LONG} & {LONG} & wait")
    wait_for((lsf_machine.home / "started").exists, "the script to run")
    done = lsf_machine.attempt("bkill", job, "77")
    assert done.stdout == f"Job <{job}> is being terminated\n"
    assert (done.returncode, done.stderr) == (255, "Job <77>: No matching job found\n")
    wait_for(lambda: state(lsf_machine, job) == ["EXIT"], "the end")
    assert lsf_machine.job(job).code == 9
    assert lsf_machine.processes(job) == []  # that in a session of its own, too
    assert lsf_machine.attempt("bkill", job).stderr == f"Job <{job}>: Job has already finished\n"
    parallel = lsf_machine.submit("trap '' INT TERM; sleep 1000", "-nnodes", "2")
    lsf_machine.wait_job(parallel, "running")
    lsf_machine.run("bkill", parallel)
    assert lsf_machine.wait_job(parallel, "done").code == -9  # no warning for parallel jobs


def test_run_limit(lsf_machine: Machine) -> None:
    lsf_machine.configure(walltime_scale=1 / 60)
    script = "trap 'echo warned' URG; touch started; while :; do sleep 0.05; done"
    job = lsf_machine.submit(script, "-W", "2", "-wa", "URG", "-wt", "1", "-o", "out")
    lsf_machine.wait_job(job, "done")
    assert state(lsf_machine, job) == ["EXIT"]
    assert "TERM_RUNLIMIT: job killed after reaching LSF run time limit" in lsf_machine.run(
        "bjobs", "-l", job
    )
    assert lsf_machine.run("bjobs", "-noheader", "-o", "exit_code", job).split() == ["140"]
    assert "warned" in (lsf_machine.home / "out").read_text()


def test_held_and_suspended(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(LONG, "-H")
    assert state(lsf_machine, job) == ["PSUSP"]
    assert lsf_machine.run("bresume", job) == f"Job <{job}> is being resumed\n"
    wait_for(lambda: state(lsf_machine, job) == ["RUN"], "the job to run")
    lsf_machine.run("bstop", job)
    wait_for(lambda: state(lsf_machine, job) == ["USUSP"], "the job to stop")
    lsf_machine.run("bkill", "-s", "KILL", job)
    wait_for(lambda: state(lsf_machine, job) == ["EXIT"], "the end")


def test_refusals(lsf_machine: Machine) -> None:
    lsf_machine.configure(queues={"batch": {"seconds": 3600, "nodes": 2}}, accounts=["good"])
    assert refused(lsf_machine, "-q", "nowhere") == "nowhere: No such queue. Job not submitted."
    assert refused(lsf_machine, "-P", "bad").endswith("Request aborted by esub. Job not submitted.")
    assert "Cannot exceed queue's hard limit(s)" in refused(lsf_machine, "-W", "1:01")
    assert "Too many processors requested" in refused(lsf_machine, "-nnodes", "3")
    assert refused(lsf_machine, "-n", "many") == "Bad argument for option -n. Job not submitted."
    assert refused(lsf_machine, "-W", "00:10:00") == "Bad argument for option -W. Job not submitted."
    assert (
        refused(lsf_machine, script="#BSUB -unheard\ntrue\n")
        == "-unheard: Illegal option. Job not submitted."
    )
    assert refused(lsf_machine, script="") == "Empty job. Job not submitted."


def test_unknown_and_forgotten_jobs(lsf_machine: Machine) -> None:
    unknown = lsf_machine.attempt("bjobs", "9")
    assert (unknown.returncode, unknown.stderr) == (255, "Job <9> is not found\n")
    job = lsf_machine.submit("true")
    lsf_machine.wait_job(job, "done")
    both = lsf_machine.attempt("bjobs", "-noheader", "-o", "jobid stat", job, "9")
    assert (both.returncode, both.stdout.split()) == (255, [job, "DONE"])
    lsf_machine.configure(history=0)
    assert lsf_machine.attempt("bjobs", job).returncode == 255


def test_faults(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(LONG)
    lsf_machine.wait_job(job, "running")
    lsf_machine.fail("bjobs", times=2)
    lsf_machine.fail("bkill", out="strange words\n")
    assert [lsf_machine.attempt("bjobs", job).returncode for _ in range(3)] == [255, 255, 0]
    assert lsf_machine.attempt("bkill", job).stdout == "strange words\n"
    assert lsf_machine.job(job).state == "running"
    lsf_machine.vanish(job)
    assert lsf_machine.attempt("bjobs", job).returncode == 255
    assert len(lsf_machine.calls("bjobs")) == 4


def test_a_lost_compute_node_ends_its_ranks_only(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(
        "jsrun -n 2 -r 1 sh -c 'touch on-$HOSTNAME; sleep 1000'; echo code $?", "-nnodes", "2", "-o", "out"
    )
    wait_for((lsf_machine.home / "on-node2").exists, "both ranks")
    lsf_machine.lose_node("node2")
    lsf_machine.wait_job(job, "done")
    assert "code 137" in (lsf_machine.home / "out").read_text()


def test_a_lost_script_host_makes_a_job_unknown(lsf_machine: Machine) -> None:
    job = lsf_machine.submit(LONG)
    lsf_machine.wait_job(job, "running")
    lsf_machine.lose_node("batch1")
    wait_for(lambda: state(lsf_machine, job) == ["UNKWN"], "the loss to be noticed")
    assert lsf_machine.processes(job) == []
    lsf_machine.revive_node("batch1")
    wait_for(lambda: state(lsf_machine, job) == ["EXIT"], "the end")
