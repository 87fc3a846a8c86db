"""What Slurm answers is understood as it is meant, and what is no answer never ends a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.schedulers.model import Job, JobState, SchedulerError
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import Slurm

FAMILY = SlurmFamily(Slurm(walltime=60))
QUEUED, HELD, RUNNING = JobState.QUEUED, JobState.HELD, JobState.RUNNING
CANCELLED, LOST = JobState.CANCELLED, JobState.NODE_FAILURE


def answer(stdout: str, *ids: str, code: int = 0, stderr: str = "") -> list[Job]:
    return FAMILY.parse_status(ids, code, stdout, stderr)


@pytest.mark.parametrize(
    ("state", "meant"),
    [
        *((word, RUNNING) for word in ("RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED")),
        *((word, RUNNING) for word in ("RESIZING", "SIGNALING", "STAGE_OUT", "POWER_UP_NODE")),
        *((word, QUEUED) for word in ("PENDING", "REQUEUED", "REQUEUE_FED")),
        *((word, HELD) for word in ("REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD")),
        *((word, LOST) for word in ("NODE_FAIL", "PREEMPTED", "BOOT_FAIL")),
        *((word, CANCELLED) for word in ("CANCELLED", "REVOKED")),
        *((word, JobState.TIMEOUT) for word in ("TIMEOUT", "DEADLINE")),
        *((word, JobState.FAILED) for word in ("FAILED", "OUT_OF_MEMORY", "LAUNCH_FAILED", "RECONFIG_FAIL")),
        ("COMPLETED", JobState.COMPLETED),
        ("SOMETHING_NEW", RUNNING),
    ],
)
def test_every_state(state: str, meant: JobState) -> None:
    assert answer(f"7|{state}|None\n", "7") == [Job("7", meant, state)]
    if meant.ended:  # the same from the accounting, when the queue has forgotten it
        assert answer(f"7|{state}\n", "7") == [Job("7", meant, state)]
    else:  # which lags: a job that it believes to live does not
        assert answer(f"7|{state}\n", "7") == [Job("7", JobState.UNKNOWN, "not in the queue")]


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        *((word, QUEUED) for word in ("Resources", "Priority", "QOSMaxJobsPerUserLimit", "BeginTime")),
        *((word, QUEUED) for word in ("Dependency", "ReqNodeNotAvail, UnavailableNodes:n1|n2")),
        *((word, HELD) for word in ("JobHeldUser", "JobHeldAdmin", "job requeued in held state")),
        ("launch failed requeued held", HELD),
    ],
)
def test_a_waiting_jobs_reason_tells_whether_it_is_held(reason: str, meant: JobState) -> None:
    assert answer(f"7|PENDING|{reason}\n", "7") == [Job("7", meant, f"PENDING ({reason})")]


def test_a_running_jobs_reason_holds_nothing() -> None:
    assert answer("7|RUNNING|JobHeldUser\n", "7")[0].state is RUNNING


def test_the_queue_knows_better_than_the_accounting() -> None:
    told = "8|RUNNING|None\n9|PENDING|Priority\n8|FAILED\n7|CANCELLED by 1000\n6|CANCELLED+\n5|COMPLETED\n"
    found = {job.id: job.state for job in answer(told, "5", "6", "7", "8", "9", "10")}
    assert found == {
        "5": JobState.COMPLETED,
        "6": CANCELLED,
        "7": CANCELLED,
        "8": RUNNING,
        "9": QUEUED,
        "10": JobState.UNKNOWN,
    }


def test_other_jobs_of_the_user_are_no_concern() -> None:
    told = "1_[3-9]|PENDING|Resources\n2+0|RUNNING|None\n\n  7|RUNNING|None  \n"
    assert answer(told, "7") == [Job("7", RUNNING, "RUNNING")]


def test_jobs_come_in_the_order_of_the_question() -> None:
    told = "1|RUNNING|None\n2|RUNNING|None\n"
    assert [job.id for job in answer(told, "2", "1")] == ["2", "1"]


@pytest.mark.parametrize(
    ("code", "stderr"),
    [
        (1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"),
        (1, ""),
        (127, "sh: 1: squeue: not found"),
    ],
)
def test_a_failing_question_tells_nothing(code: int, stderr: str) -> None:
    with pytest.raises(SchedulerError, match=stderr.split(" (")[0] or "exit code 1"):
        answer("", "7", code=code, stderr=stderr)
    with pytest.raises(SchedulerError):  # whatever else was said
        answer("7|FAILED|None\n", "7", code=code, stderr=stderr)


@pytest.mark.parametrize("garbage", ["<html>", "7", "7|", "7|running|None", "|COMPLETED|None", "x|FAILED"])
def test_what_cannot_be_read_ends_no_job(garbage: str) -> None:
    known = "8|RUNNING|None\n"
    with pytest.raises(SchedulerError, match="a line that is no job"):
        answer(f"{known}{garbage}\n", "7", "8")
    assert answer(f"{known}{garbage}\n", "8") == [Job("8", RUNNING, "RUNNING")]


def test_a_job_that_nobody_knows_is_gone() -> None:
    assert answer("", "7") == [Job("7", JobState.UNKNOWN, "not in the queue")]


@pytest.mark.parametrize(
    ("told", "job"), [("123\n", "123"), ("123;cluster2\n", "123"), ("a site's greeting\n99\n", "99")]
)
def test_the_new_jobs_id(told: str, job: str) -> None:
    assert FAMILY.job_id_from_output(told) == job


@pytest.mark.parametrize("told", ["", "\n", "Submitted batch job 7", "no", ";cluster", "7.5"])
def test_no_id_is_an_error(told: str) -> None:
    with pytest.raises(SchedulerError, match="printed no job id"):
        FAMILY.job_id_from_output(told)


def test_jobs_of_a_name() -> None:
    assert FAMILY.find_command("eto-1").words == (
        "squeue",
        "--me",
        "--array",
        "--noheader",
        "--name=eto-1",
        "--format=%i",
    )
    assert FAMILY.parse_found("12\n13_0\n13_1\n") == ["12", "13_0", "13_1"]
    assert FAMILY.parse_found("") == FAMILY.parse_found("squeue: error\n") == []


def test_commands() -> None:
    assert FAMILY.submit_command(Path("/a b.sh"), "text").words == ("sbatch", "--parsable", "/a b.sh")
    assert FAMILY.cancel_command("7").words == ("scancel", "7")
    assert "--jobs=7,8" in FAMILY.status_command(["7", "8"]).words[-1]


def test_a_cancelled_job_that_never_ran_on_its_nodes_has_failed() -> None:
    told = "2|CANCELLED|None\n3|CANCELLED|None\n4|CANCELLED|None\n5|CANCELLED|None\n6|RUNNING|None\n"
    told += (
        "2                   0           node[1-2]           \n"
        "3                   15          node2               \n"
        "4                   36608       node2               \n"
        "5                   0                               \n"
        "6                   0           node3               \n"
        "9                   0           node3               \n"
    )
    found = answer(told, "2", "3", "4", "5", "6")
    assert [job.state for job in found] == [JobState.FAILED, CANCELLED, CANCELLED, CANCELLED, RUNNING]
    assert found[0].reason.startswith("CANCELLED (Slurm ended it on its nodes before its script ran")
