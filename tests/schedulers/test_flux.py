"""The fake Flux answers as a build of flux-core 0.88 did."""

from __future__ import annotations

from pathlib import Path

from tests.harness import wait_for
from tests.schedulers.machines import Machine

FORMAT = "--format={id}|{state}|{result}|{returncode}|{exception.type}|{exception.note}"


def jobs(machine: Machine, *ids: str) -> list[str]:
    return machine.run("flux", "jobs", "--no-header", FORMAT, *ids).splitlines()


def test_a_batch_job_is_an_instance_that_runs_tasks_on_its_nodes(
    flux_machine: Machine, named_nodes: None, tmp_path: Path
) -> None:
    script = (
        "#flux: --nodes=2\n#flux: --exclusive\n#flux: --time-limit=60s\n#flux: --job-name=eto-x\n"
        f'#flux: --output="{tmp_path}/an output"\n'
        "flux hostlist --expand --delimiter='\\n' avail; flux job timeleft\n"
        "flux run --nodes=2 --ntasks=2 --exclusive -o cpu-affinity=off bash -c "
        "'echo $FLUX_TASK_RANK $HOSTNAME; exit $((5 * FLUX_TASK_RANK))'\n"
        "exit $?"
    )
    job = flux_machine.submit(script)
    flux_machine.wait_job(job, "done")
    said = (tmp_path / "an output").read_text().splitlines()
    assert said[:2] == ["node1", "node2"]
    assert 50 <= int(said[2]) <= 60
    assert {"0 node1", "1 node2"} <= set(said)
    assert jobs(flux_machine, job) == [f"{job.replace('f', 'ƒ', 1)}|INACTIVE|FAILED|5||"]


def test_jobs_are_listed_by_name_cancelled_and_forgotten(flux_machine: Machine) -> None:
    running = flux_machine.submit("sleep 60", "--nodes=3", "--job-name=a")
    waiting = flux_machine.submit("sleep 60", "--nodes=3", "--job-name=a")
    flux_machine.submit("sleep 60", "--nodes=3", "--job-name=b")
    flux_machine.wait_job(running, "running")
    listed = flux_machine.run("flux", "jobs", "--no-header", "--format={id} {state}", "--name=a").splitlines()
    shown = [one.replace("f", "ƒ", 1) for one in (running, waiting)]
    assert listed == [f"{shown[0]} RUN", f"{shown[1]} SCHED"]
    flux_machine.run("flux", "cancel", waiting)
    wait_for(lambda: jobs(flux_machine, waiting) == [f"{shown[1]}|INACTIVE|CANCELED|-128|cancel|"], "its end")
    again = flux_machine.attempt("flux", "cancel", waiting)
    assert (again.returncode, again.stderr) == (1, f"flux-cancel: ERROR: {shown[1]}: job is inactive\n")
    flux_machine.vanish(running)
    gone = flux_machine.attempt("flux", "jobs", "--no-header", FORMAT, running)
    assert (gone.returncode, gone.stderr) == (1, f"JobID {running} unknown\n")


def test_what_cannot_be_satisfied_fails_at_once_or_is_refused(flux_machine: Machine) -> None:
    job = flux_machine.submit("true", "--nodes=9")
    (line,) = jobs(flux_machine, job)
    note = "unsatisfiable request: need 9 exclusive node(s), only 3 eligible"
    assert line.split("|", 1)[1] == f"INACTIVE|FAILED|1|alloc|{note}"
    refused = flux_machine.attempt("flux", "batch", "--queue=nix", text="#!/bin/bash\ntrue\n")
    assert (refused.returncode, refused.stderr) == (1, "flux-batch: ERROR: 'nix' is not a valid queue\n")
    outside = flux_machine.attempt("flux", "job", "timeleft")
    assert outside.stdout == "4294967295\n"
