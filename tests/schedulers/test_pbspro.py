"""The fake PBS Professional answers, runs, limits and loses jobs as release 2022.1 does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness import command_line, wait_for
from tests.schedulers.machines import Machine

pytestmark = pytest.mark.slow

LONG = "sleep 1000"


def facts(machine: Machine, job: str) -> dict[str, Any]:
    """Return what qstat says of a job, asked in Parsl's words."""
    content = json.loads(machine.run("qstat", "-x", "-f", "-F", "json", job))
    assert content["pbs_server"] == "polaris-pbs-01"
    found: dict[str, Any] = content["Jobs"][job]
    return found


def state(machine: Machine, job: str) -> str:
    """Return a job's letter."""
    return str(facts(machine, job)["job_state"])


def refused(machine: Machine, *options: str, script: str = "true\n") -> tuple[int, str]:
    """Submit what is refused."""
    done = machine.attempt("qsub", *options, text=script)
    assert not done.stdout
    assert not machine.jobs()
    return done.returncode, done.stderr.splitlines()[0]


def test_queued_running_finished(pbspro_machine: Machine) -> None:
    pbspro_machine.configure(dispatch=False)
    job = pbspro_machine.submit(f"{LONG} & wait; exit 3", "-N", "a-long-name-for-a-job")
    assert job == "1001.polaris-pbs-01"
    assert state(pbspro_machine, job) == "Q"
    assert "Exit_status" not in facts(pbspro_machine, job)
    table = pbspro_machine.run("qstat").splitlines()
    assert table[0] == "Job id            Name             User              Time Use S Queue"
    assert table[2].split()[0] == "1001.polaris-pbs*"  # cut to 17 columns
    assert table[2].split()[1] == "a-long-name-for*"
    pbspro_machine.configure(dispatch=True)
    wait_for(lambda: state(pbspro_machine, job) == "R", "the job to run")
    sleeper = wait_for(
        lambda: [p for p in pbspro_machine.processes(job) if command_line(p).startswith("sleep")], "its child"
    )
    sleeper[0].kill()
    wait_for(lambda: state(pbspro_machine, job) == "F", "the end")
    assert facts(pbspro_machine, job)["Exit_status"] == 3
    plain = pbspro_machine.attempt("qstat", job)
    assert plain.returncode == 35
    assert (
        plain.stderr == f"qstat: {job} Job has finished, use -x or -H to obtain historical job information\n"
    )
    assert "    Exit_status = 3\n" in pbspro_machine.run("qstat", "-xf", job)
    assert pbspro_machine.run("qstat") == ""
    assert "F" in pbspro_machine.run("qstat", "-x").splitlines()[-1].split()


def test_a_script_sees_its_allocation_and_a_login_environment(
    pbspro_machine: Machine, monkeypatch: Any
) -> None:
    monkeypatch.setenv("SECRET", "not taken along")
    monkeypatch.setenv("TAKEN", "along")
    script = """
#PBS -l select=2:ncpus=4:mpiprocs=2:ngpus=2
#PBS -l walltime=00:10:00,place=scatter
#PBS -l filesystems=home:eagle
#PBS -A project
#PBS -N name
#PBS -v TAKEN,GIVEN=here
#PBS -j oe
echo $PBS_JOBID $PBS_JOBNAME $PBS_ACCOUNT $PBS_QUEUE $NCPUS $HOSTNAME
echo ${SECRET:-none} $TAKEN $GIVEN
pwd; echo $PBS_O_WORKDIR
echo cried >&2
sort $PBS_NODEFILE | uniq -c
mpiexec -n 4 --ppn 2 --hosts node2,node1 sh -c 'echo rank $PALS_RANKID $PALS_LOCAL_RANKID $PMI_RANK $HOSTNAME'
"""
    submitted = pbspro_machine.folder / "submitted-here"
    submitted.mkdir()
    job = pbspro_machine.submit(script, cwd=submitted)
    pbspro_machine.wait_job(job, "done")
    lines = (submitted / f"name.o{job.split('.')[0]}").read_text().splitlines()
    assert lines[0] == f"{job} name project workq 4 node1"
    assert lines[1] == "none along here"
    assert lines[2:4] == [str(pbspro_machine.home), str(submitted)]  # jobs start at home
    assert "cried" in lines
    assert [line.split() for line in lines if "node" in line and line.startswith("  ")] == [
        ["2", "node1"],
        ["2", "node2"],
    ]
    ranks = sorted(line for line in lines if line.startswith("rank"))
    assert ranks == ["rank 0 0 0 node2", "rank 1 1 1 node2", "rank 2 0 2 node1", "rank 3 1 3 node1"]
    listed = facts(pbspro_machine, job)
    assert listed["Resource_List"] == {
        "select": "2:ncpus=4:mpiprocs=2:ngpus=2", "walltime": "00:10:00", "place": "scatter",
        "filesystems": "home:eagle", "nodect": 2, "ncpus": 8, "ngpus": 4,
    }  # fmt: skip
    assert listed["Account_Name"] == "project"


def test_output_appears_at_the_end_unless_it_is_direct(pbspro_machine: Machine, tmp_path: Path) -> None:
    script = f"echo said; echo cried >&2; touch started; {LONG}"
    late = pbspro_machine.submit(script, "-o", f"host:{tmp_path}/late.out", "-e", f"{tmp_path}/late.err")
    soon = pbspro_machine.submit(script, "-o", f"{tmp_path}/soon.out", "-j", "oe", "-k", "doe")
    wait_for(
        lambda: (tmp_path / "soon.out").exists() and "cried" in (tmp_path / "soon.out").read_text(), "output"
    )
    wait_for(lambda: "cried" in pbspro_machine.printed(late, "err"), "the other to write")
    assert not (tmp_path / "late.out").exists()
    pbspro_machine.run("qdel", late, soon)
    pbspro_machine.wait_job(late, "done")
    assert (tmp_path / "late.out").read_text() == "said\n"
    assert (tmp_path / "late.err").read_text() == "cried\n"


def test_delete(pbspro_machine: Machine) -> None:
    job = pbspro_machine.submit(f"touch started; setsid {LONG} & {LONG}")
    wait_for((pbspro_machine.home / "started").exists, "the script to run")
    done = pbspro_machine.attempt("qdel", job, "77.polaris-pbs-01")
    assert (done.returncode, done.stderr) == (153, "qdel: Unknown Job Id 77.polaris-pbs-01\n")
    wait_for(lambda: state(pbspro_machine, job) == "F", "the end")
    assert facts(pbspro_machine, job)["Exit_status"] == 256 + 15
    assert pbspro_machine.processes(job) == []
    again = pbspro_machine.attempt("qdel", job)
    assert (again.returncode, again.stderr) == (35, f"qdel: Job has finished {job}\n")
    pbspro_machine.run("qdel", "-x", job)  # forgets it
    assert pbspro_machine.attempt("qstat", "-x", job).returncode == 153


def test_walltime(pbspro_machine: Machine) -> None:
    job = pbspro_machine.submit("trap 'echo told' TERM; sleep 1000 & wait", "-l", "walltime=1")
    pbspro_machine.wait_job(job, "done")
    assert facts(pbspro_machine, job)["Exit_status"] == -29
    number = job.split(".")[0]
    assert (pbspro_machine.home / f"STDIN.o{number}").read_text() == "told\n"
    killed = (pbspro_machine.home / f"STDIN.e{number}").read_text()
    assert killed.startswith("=>> PBS: job killed: walltime 1 exceeded limit 1")


def test_held(pbspro_machine: Machine) -> None:
    job = pbspro_machine.submit("true", "-h")
    assert (state(pbspro_machine, job), facts(pbspro_machine, job)["Hold_Types"]) == ("H", "u")
    pbspro_machine.run("qrls", job)
    wait_for(lambda: state(pbspro_machine, job) == "F", "the end")
    pbspro_machine.configure(dispatch=False)
    waiting = pbspro_machine.submit("true")
    pbspro_machine.hold(waiting)
    wait_for(lambda: state(pbspro_machine, waiting) == "H", "the hold")
    pbspro_machine.run("qdel", waiting)
    wait_for(lambda: state(pbspro_machine, waiting) == "F", "the end")
    assert "Exit_status" not in facts(pbspro_machine, waiting)  # it never ran


def test_select(pbspro_machine: Machine) -> None:
    user = pbspro_machine.job(ended := pbspro_machine.submit("true", "-N", "mine")).user
    pbspro_machine.wait_job(ended, "done")
    held = pbspro_machine.submit(LONG, "-N", "mine", "-h")
    runs = pbspro_machine.submit(LONG, "-N", "mine")
    pbspro_machine.submit(LONG, "-N", "other")
    pbspro_machine.wait_job(runs, "running")

    def select(*options: str) -> list[str]:
        return pbspro_machine.run("qselect", *options).split()

    assert select("-u", user, "-N", "mine") == [held, runs]
    assert select("-x", "-N", "mine") == [ended, held, runs]
    assert select("-N", "mine", "-s", "HQ") == [held]
    assert select("-u", "somebody") == select("-N", "min") == []
    assert pbspro_machine.attempt("qselect", "surplus").returncode == 2
    pbspro_machine.fail("qselect")
    assert pbspro_machine.attempt("qselect").returncode == 255


def test_refusals(pbspro_machine: Machine) -> None:
    pbspro_machine.configure(queues={"workq": {"seconds": 3600, "nodes": 2}}, accounts=["good"])
    good = ("-A", "good")
    assert refused(pbspro_machine, "-q", "nowhere", *good) == (170, "qsub: Unknown queue")
    code, text = refused(pbspro_machine, "-A", "bad")
    assert (code, "account" in text) == (32, True)
    wrong = "qsub: Illegal attribute or resource value Resource_List.walltime"
    assert refused(pbspro_machine, "-l", "walltime=soon", *good) == (166, wrong)
    limits = "qsub: Job violates queue and/or server resource limits"
    assert refused(pbspro_machine, "-l", "walltime=02:00:00", *good) == (188, limits)
    assert refused(pbspro_machine, "-l", "select=3", *good) == (188, limits)
    assert refused(pbspro_machine, "-l", "unheard=3", *good) == (
        187,
        "qsub: Unknown resource Resource_List.unheard",
    )
    assert refused(pbspro_machine, "-Y") == (2, "qsub: invalid option -- 'Y'")
    assert refused(pbspro_machine, script="#PBS -Y nonsense\ntrue\n")[0] == 1
    assert refused(pbspro_machine, "/no/script") == (1, "qsub: script file:: No such file or directory")


def test_unknown_jobs_and_history(pbspro_machine: Machine) -> None:
    job = pbspro_machine.submit("true")
    pbspro_machine.wait_job(job, "done")
    both = pbspro_machine.attempt("qstat", "-x", "-f", "-F", "json", job, "77.polaris-pbs-01")
    assert (both.returncode, both.stderr) == (153, "qstat: Unknown Job Id 77.polaris-pbs-01\n")
    assert list(json.loads(both.stdout)["Jobs"]) == [job]
    pbspro_machine.configure(history=0)
    forgotten = pbspro_machine.attempt("qstat", "-x", "-f", "-F", "json", job)
    assert (forgotten.returncode, "Jobs" in json.loads(forgotten.stdout)) == (153, False)
    pbspro_machine.configure(history_enabled=False)
    assert pbspro_machine.attempt("qstat", "-x", job).returncode == 36


def test_faults(pbspro_machine: Machine) -> None:
    pbspro_machine.fail("qsub")
    down = pbspro_machine.attempt("qsub", text="true")
    assert (down.returncode, "cannot connect to server polaris-pbs-01" in down.stderr) == (255, True)
    job = pbspro_machine.submit(LONG)
    pbspro_machine.wait_job(job, "running")
    pbspro_machine.fail("qstat", out='{"Jobs": {')
    assert pbspro_machine.run("qstat", "-x", "-f", "-F", "json", job) == '{"Jobs": {'
    assert state(pbspro_machine, job) == "R"
    pbspro_machine.configure(reject="The site takes no jobs today")
    assert pbspro_machine.attempt("qsub", text="true").stderr == "qsub: The site takes no jobs today\n"
    pbspro_machine.vanish(job)
    assert pbspro_machine.attempt("qstat", "-x", job).returncode == 153


def test_a_lost_node_requeues_a_job_or_ends_it(pbspro_machine: Machine) -> None:
    again = pbspro_machine.submit(f"touch run-on-$HOSTNAME; {LONG}")
    fails = pbspro_machine.submit(LONG, "-r", "n")
    pbspro_machine.wait_job(again, "running")
    pbspro_machine.wait_job(fails, "running")
    pbspro_machine.lose_node("node2")
    wait_for(lambda: state(pbspro_machine, fails) == "F", "the end")
    assert facts(pbspro_machine, fails)["Exit_status"] == -20
    pbspro_machine.lose_node("node1")
    wait_for(lambda: facts(pbspro_machine, again)["run_count"] == 2, "the second run")
    wait_for((pbspro_machine.home / "run-on-node3").exists, "it to run elsewhere")


def test_a_rank_that_dies_ends_the_others(pbspro_machine: Machine) -> None:
    script = "mpiexec -n 2 --ppn 1 sh -c 'test $PMI_RANK = 1 && kill -9 $$; sleep 1000'; echo code $?"
    job = pbspro_machine.submit(script, "-l", "select=2", "-j", "oe", "-o", "out")
    pbspro_machine.wait_job(job, "done")
    said = (pbspro_machine.home / "out").read_text()
    assert "rank 1 died from signal 9" in said
    assert "code 137" in said
