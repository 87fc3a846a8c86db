"""What LSF answers is understood as it is meant, and what is no answer never ends a job."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import Job, JobState, SchedulerError
from sites.schedulers import Lsf

FAMILY = LsfFamily(Lsf(walltime=60))
UNKNOWN = "Job <7> is not found"


def answer(stdout: str, *ids: str, code: int = 0, stderr: str = "") -> list[Job]:
    return FAMILY.parse_status(ids, code, stdout, stderr)


@pytest.mark.parametrize(
    ("state", "meant"),
    [
        *((word, JobState.QUEUED) for word in ("PEND", "WAIT", "PROV")),
        ("PSUSP", JobState.HELD),
        *((word, JobState.RUNNING) for word in ("RUN", "USUSP", "SSUSP", "UNKWN")),
        ("DONE", JobState.COMPLETED),
        ("EXIT", JobState.FAILED),
        ("ZOMBI", JobState.NODE_FAILURE),
    ],
)
def test_every_state(state: str, meant: JobState) -> None:
    assert answer(f"7|{state}|-\n", "7") == [Job("7", meant, state)]
    assert answer(f"7      | {state} |\n", "7") == [Job("7", meant, state)]


@pytest.mark.parametrize(
    ("reason", "meant"),
    [
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit", JobState.TIMEOUT),
        ("TERM_DEADLINE: job killed after deadline expires", JobState.TIMEOUT),
        ("TERM_OWNER: job killed by owner", JobState.CANCELLED),
        ("TERM_ADMIN: job killed by root or LSF administrator", JobState.CANCELLED),
        ("TERM_FORCE_OWNER: job killed by owner without time for cleanup", JobState.CANCELLED),
        ("TERM_FORCE_ADMIN: job killed by root without time for cleanup", JobState.CANCELLED),
        ("TERM_PREEMPT: job killed after preemption", JobState.NODE_FAILURE),
        ("TERM_ZOMBIE: job exited while LSF is not available", JobState.NODE_FAILURE),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit", JobState.FAILED),
        ("TERM_UNKNOWN: unknown reason", JobState.FAILED),
        ("a reason of tomorrow", JobState.FAILED),
    ],
)
def test_why_a_job_ended(reason: str, meant: JobState) -> None:
    assert answer(f"7|EXIT|{reason}\n", "7") == [Job("7", meant, f"EXIT ({reason})")]
    assert answer(f"7|RUN|{reason}\n", "7")[0].state is JobState.RUNNING


def test_a_waiting_job_has_its_expected_start() -> None:
    (job,) = answer("7|PEND|-|Job slot limit reached|Nov 22 10:15\n7|PEND|-|Job slot limit reached\n", "7")
    assert job.reason == "PEND (Job slot limit reached), expected to start at Nov 22 10:15"
    never = "Dependency condition invalid or never satisfied"
    assert answer(f"7|PEND|-|{never}|Nov 22 10:15\n", "7")[0].reason == f"PEND ({never})"
    for line in ("7|PEND|-|-|-\n", "7|PEND|-||\n", "7|PEND|-\n"):
        assert answer(line, "7")[0].reason == "PEND"
    assert answer("7|RUN|-|-|Nov 22 10:15\n", "7")[0].reason == "RUN"


def test_an_lsf_without_the_field_is_asked_again(tmp_path: Path) -> None:
    bjobs = tmp_path / "bjobs"
    bjobs.write_text(
        "#!/bin/sh\n"
        'case "$*" in *estart_time*) echo "estart_time: Unknown field name." >&2; exit 255;; esac\n'
        'echo "7|RUN|-|-"; echo "Job <8> is not found" >&2; exit 255\n'
    )
    bjobs.chmod(0o755)
    words = FAMILY.status_command(["7", "8"]).words
    ended = subprocess.run(
        words, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    jobs = FAMILY.parse_status(["7", "8"], ended.returncode, ended.stdout, ended.stderr)
    assert [job.state for job in jobs] == [JobState.RUNNING, JobState.UNKNOWN]


def test_jobs_come_in_the_order_of_the_question() -> None:
    told = "1|RUN|-\n2|DONE|-\n"
    assert [(job.id, job.state) for job in answer(told, "2", "1")] == [
        ("2", JobState.COMPLETED),
        ("1", JobState.RUNNING),
    ]


@pytest.mark.parametrize("code", [0, 255])
def test_a_job_that_lsf_has_forgotten_is_gone(code: int) -> None:
    told = answer("8|RUN|-\n", "7", "8", code=code, stderr=f"{UNKNOWN}\n")
    assert [job.state for job in told] == [JobState.UNKNOWN, JobState.RUNNING]


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("", "", 0),
        ("", "", 255),
        ("", "Failed in an LSF library call: LIM is down; try later. Job not listed", 255),
        ("", "Cannot connect to LSF. Please wait ...", 255),
        ("", "Job <77> is not found", 255),
        ("8|RUN|-\n", "", 0),
        ("7\n", "", 0),
        ("7|\n", "", 0),
        ("7|EXI", "", 0),
        ("7|COMPLETED|-\n", "", 0),
        ("<html>7|x</html>", "", 0),
        ("JOBID|STAT|EXIT_REASON\n", "", 0),
    ],
)
def test_what_is_no_answer_ends_no_job(stdout: str, stderr: str, code: int) -> None:
    with pytest.raises(SchedulerError, match=r"bjobs failed: .") as caught:
        answer(stdout, "7", code=code, stderr=stderr)
    assert stderr in str(caught.value)


@pytest.mark.parametrize(
    "told",
    [
        "Job <779469> is submitted to default queue <batch>.\n",
        "Notice: maintenance on Tuesday\nJob <779469> is submitted to queue <debug>.\n",
    ],
)
def test_the_new_jobs_id(told: str) -> None:
    assert FAMILY.job_id_from_output(told) == "779469"


@pytest.mark.parametrize(
    "told", ["", "Job <> is submitted to queue <x>.", "Request aborted by esub. Job not submitted."]
)
def test_no_id_is_an_error(told: str) -> None:
    with pytest.raises(SchedulerError, match="printed no job id"):
        FAMILY.job_id_from_output(told)


def test_jobs_of_a_name() -> None:
    assert FAMILY.find_command("eto-1").words == ("bjobs", "-noheader", "-J", "eto-1", "-o", "jobid")
    assert FAMILY.parse_found("12\n13  \n") == ["12", "13"]
    assert FAMILY.parse_found("") == FAMILY.parse_found("JOBID\n") == []


def test_commands() -> None:
    submit = FAMILY.submit_command(Path("/a b.sh"), "#BSUB -W 1\n")
    assert (submit.words, submit.stdin) == (("bsub",), "#BSUB -W 1\n")
    assert FAMILY.cancel_command("7").words == ("bkill", "7")
    assert FAMILY.status_command(["7", "8"]).words[-2:] == ("7", "8")
