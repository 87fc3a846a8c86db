"""What PBS Pro and Torque answer is understood as it is meant, and what is no answer never ends a job."""

from __future__ import annotations

import getpass
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.schedulers.model import Job, JobState, SchedulerError
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from sites.schedulers import PbsPro, Torque

PRO = PbsProFamily(PbsPro(walltime=60))
TORQUE = TorqueFamily(Torque(walltime=60))
FAMILIES = {"pro": PRO, "torque": TORQUE}


def pro(**jobs: dict[str, Any]) -> str:
    """Return what qstat of PBS Pro prints of jobs, by number."""
    listed = {
        f"{number.removeprefix('j')}.pbs-01": {
            "Job_Name": "eto-1",
            "Resource_List": {"nodect": 2, "walltime": "01:00:00"},
            "Variable_List": {"PBS_O_HOME": "/home/me"},
        }
        | facts
        for number, facts in jobs.items()
    }
    return json.dumps({"timestamp": 1, "pbs_version": "2022.1.1", "pbs_server": "pbs-01", "Jobs": listed})


def torque(number: str = "7", server: str = ".head.example.org", indent: str = "    ", **facts: str) -> str:
    """Return what qstat of Torque prints of a job."""
    lines = [f"Job Id: {number}{server}", f"{indent}Job_Name = eto-1"]
    lines += [f"{indent}{name} = {value}" for name, value in facts.items()]
    lines += [
        f"{indent}Variable_List = PBS_O_QUEUE=batch,PBS_O_HOME=/home/me,",
        "\tPBS_O_LANG=C,",
        "\tjob_state = C",
    ]
    return "\n".join([*lines, f"{indent}Resource_List.walltime = 01:00:00", "", ""])


def told(kind: str, **facts: Any) -> str:
    """Return what either qstat prints of job 7."""
    if kind == "pro":
        named = {"Exit_status" if name == "status" else name: value for name, value in facts.items()}
        return pro(j7=named)
    return torque(
        **{"exit_status" if name == "status" else name: str(value) for name, value in facts.items()}
    )


def answer(kind: str, stdout: str, *ids: str, code: int = 0, stderr: str = "") -> list[Job]:
    return FAMILIES[kind].parse_status(ids or ("7",), code, stdout, stderr)


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *((word, JobState.QUEUED) for word in "QWTM"),
        ("H", JobState.HELD),
        *((word, JobState.RUNNING) for word in "RBESUZ"),  # Z: of tomorrow
    ],
)
def test_every_state_of_a_job_that_has_not_ended(kind: str, word: str, meant: JobState) -> None:
    assert answer(kind, told(kind, job_state=word)) == [Job("7", meant, word)]
    said = answer(kind, told(kind, job_state=word, comment="Not Running: no nodes"))
    assert said == [Job("7", meant, f"{word} (Not Running: no nodes)")]


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("word", ["F", "X", "C"])
@pytest.mark.parametrize(
    ("status", "meant"),
    [
        (0, JobState.COMPLETED),
        (1, JobState.FAILED),
        (143, JobState.FAILED),
        (255, JobState.FAILED),
        (256 + 15, JobState.CANCELLED),
        (256 + 9, JobState.CANCELLED),
        (-1, JobState.FAILED),
        (-4, JobState.NODE_FAILURE),
    ],
)
def test_how_a_job_ended(kind: str, word: str, status: int, meant: JobState) -> None:
    said = f"{word}, exit status {status}"
    assert answer(kind, told(kind, job_state=word, status=status)) == [Job("7", meant, said)]


def test_how_pbs_itself_ended_a_job() -> None:
    for kind, status, meant in (
        ("pro", -29, JobState.TIMEOUT),
        ("pro", -27, JobState.FAILED),  # memory
        ("pro", -20, JobState.NODE_FAILURE),
        ("torque", -11, JobState.TIMEOUT),
        ("torque", -10, JobState.FAILED),  # memory
    ):
        assert answer(kind, told(kind, job_state="F", status=status))[0].state is meant, (kind, status)


def test_a_job_that_never_ran_has_no_status() -> None:
    assert answer("pro", told("pro", job_state="F")) == [Job("7", JobState.CANCELLED, "F")]
    assert answer("torque", told("torque", job_state="C")) == [Job("7", JobState.COMPLETED, "C")]


@pytest.mark.parametrize(
    ("state", "comment", "estimated", "reason"),
    [
        ("Q", "Not Running: busy", {"start_time": "Sun 10:15", "exec_vnode": "(n1)"},
         "Q (Not Running: busy), expected to start at Sun 10:15"),
        ("Q", "Can Never Run: too big", {"start_time": "Sun 10:15"}, "Q (Can Never Run: too big)"),
        ("Q", None, {"start_time": 7}, "Q"),
        ("Q", None, "soon", "Q"),
        ("H", None, {"start_time": "Sun 10:15"}, "H"),
        ("R", None, {"start_time": "Sun 10:15"}, "R"),
    ],
)  # fmt: skip
def test_a_waiting_job_has_its_expected_start(
    state: str, comment: str | None, estimated: object, reason: str
) -> None:
    facts = {"job_state": state, "estimated": estimated} | ({"comment": comment} if comment else {})
    assert answer("pro", pro(j7=facts))[0].reason == reason


def test_slurms_wrappers_indent_with_tabs() -> None:
    said = torque("3", server="", indent="\t", job_state="R").replace("Job Id: ", "Job Id:\t")
    assert answer("torque", said, "3") == [Job("3", JobState.RUNNING, "R")]


@pytest.mark.parametrize("asked", ["7", "7.pbs-01", "7.pbs-01.example.org", "7.other"])
def test_a_servers_name_may_be_longer_or_shorter(asked: str) -> None:
    assert answer("pro", pro(j7={"job_state": "R"}, j77={"job_state": "Q"}), asked) == [
        Job(asked, JobState.RUNNING, "R")
    ]
    both = torque("77", job_state="Q") + torque("7", job_state="R")
    assert answer("torque", both, asked) == [Job(asked, JobState.RUNNING, "R")]


def test_control_characters_of_an_environment_do_no_harm() -> None:
    text = pro(j7={"job_state": "R", "Variable_List": {"PS1": "ESC"}}).replace("ESC", "\x1b[0m\t")
    assert answer("pro", text)[0].state is JobState.RUNNING


@pytest.mark.parametrize(
    ("kind", "stderr"),
    [("pro", "qstat: Unknown Job Id 7.pbs-01"), ("torque", "qstat: Unknown Job Id Error 7.head")],
)
def test_a_job_that_the_server_has_forgotten_is_gone(kind: str, stderr: str) -> None:
    other = pro(j8={"job_state": "R"}) if kind == "pro" else torque("8", job_state="R")
    jobs = answer(kind, other, "7.x", "8.x", code=153, stderr=f"{stderr}\n")
    assert [(job.id, job.state) for job in jobs] == [("7.x", JobState.UNKNOWN), ("8.x", JobState.RUNNING)]
    with pytest.raises(SchedulerError):  # another job's end is not this one's
        answer(kind, "", "77", code=153, stderr=stderr)
    with pytest.raises(SchedulerError):
        answer(kind, "", "7", code=153, stderr=stderr.replace(" 7.", " 77."))


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("", "", 0),
        ("", "", 1),
        ("", "qstat: cannot connect to server pbs-01 (errno=15010)", 255),
        ("", "qstat: Unauthorized Request  7.pbs-01", 159),
        ("", "qstat: Server returned error 15031 for job 7.pbs-01", 15),
        ("", "qstat: End of File 7.pbs-01", 1),
        ("", "qstat: PBS is not configured to maintain job history 7", 36),
        ("other", "", 0),
    ],
)
def test_what_is_no_answer_ends_no_job(kind: str, stdout: str, stderr: str, code: int) -> None:
    if stdout:
        stdout = pro(j8={"job_state": "F"}) if kind == "pro" else torque("8", job_state="C")
    with pytest.raises(SchedulerError, match=r"qstat failed: .") as caught:
        answer(kind, stdout, code=code, stderr=stderr)
    assert stderr in str(caught.value)


@pytest.mark.parametrize(
    "garbage",
    [
        *(
            "{",
            "[]",
            "7",
            '"Jobs"',
            "<html>",
            "Job Id: 7",
            '{"Jobs": []}',
            '{"Jobs": null}',
            '{"Jobs": {"7": []}}',
        ),
        *('{"Jobs": {"7": null}}', '{"Jobs": {"7": {}}}', '{"Jobs": {"7": {"job_state": 5}}}'),
        *('{"Jobs": {"7": {"job_state": ""}}}', '{"Jobs": {"7": {"job_state": "finished"}}}'),
        '{"Jobs": {"7": {"job_state": "F", "Exit_status": "none"}}}',
        pro(j7={"job_state": "F"})[:-20],
    ],
)
def test_no_list_of_jobs_ends_no_job(garbage: str) -> None:
    with pytest.raises(SchedulerError, match=r"^qstat "):
        answer("pro", garbage)


@pytest.mark.parametrize(
    "garbage",
    [
        "Job Id: 7.head\n    Job_Name = eto-1\n",
        "Job Id: 7.head\n    job_state = \n",
        "Job Id: 7.head\n    job_state = C\n    exit_status = x\n",
        "Job id   Name  User  Time Use S Queue\n---- ---- ---- -----\n7.head  eto-1  me  00:00:00 C batch\n",
    ],
)
def test_half_a_job_ends_no_job(garbage: str) -> None:
    with pytest.raises(SchedulerError, match=r"^qstat "):
        answer("torque", garbage)


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_new_jobs_id(kind: str) -> None:
    for said, job in (
        ("123.pbs-01\n", "123.pbs-01"),
        ("a greeting\n123\n", "123"),
        ("9[].head\n", "9[].head"),
    ):
        assert FAMILIES[kind].job_id_from_output(said) == job
    for said in ("", "\n", "qsub: waiting for server", "pbs-01.123", "123 queued"):
        with pytest.raises(SchedulerError, match="printed no job id"):
            FAMILIES[kind].job_id_from_output(said)


@pytest.mark.parametrize("kind", FAMILIES)
def test_jobs_of_a_name_are_this_users(kind: str) -> None:
    words = FAMILIES[kind].find_command("eto-1").words
    assert words[0] == ("qselect" if kind == "pro" else "sh")
    wanted = ("-u", getpass.getuser(), "-N", "eto-1", *(["-s", "EHQRTW"] if kind == "torque" else []))
    assert words[-len(wanted) :] == wanted  # Torque lists ended ones too
    assert FAMILIES[kind].parse_found("12.pbs-01\n13.pbs-01\n") == ["12.pbs-01", "13.pbs-01"]
    assert FAMILIES[kind].parse_found("") == FAMILIES[kind].parse_found("No jobs\n") == []


@pytest.mark.parametrize("code", [0, 153, 1])
def test_slurms_wrappers_have_no_command_that_selects(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"3": "eto-1", "4": "eto-11", "5": "eto-1", "6": "other"}
    listed = "" if code else "\n".join(
        torque(number, server="", indent="\t", job_state="C" if number == "5" else "R").replace("eto-1", name)
        for number, name in names.items()
    )  # fmt: skip
    (tmp_path / "jobs").write_text(listed)
    (tmp_path / "qstat").write_text(f"#!/bin/sh\ncat {tmp_path}/jobs; exit {code}\n")
    (tmp_path / "qstat").chmod(0o755)
    for name in ("sh", "cat", "awk"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = subprocess.run(TORQUE.find_command("eto-1").words, capture_output=True, text=True, check=False)
    assert (ended.returncode, TORQUE.parse_found(ended.stdout)) == (int(code == 1), [] if code else ["3"])


@pytest.mark.parametrize("kind", FAMILIES)
def test_commands(kind: str) -> None:
    family = FAMILIES[kind]
    assert family.submit_command(Path("/a b.sh"), "text").words == ("qsub", "/a b.sh")
    assert family.cancel_command("7.pbs-01").words == ("qdel", "7.pbs-01")
    assert family.status_command(["7", "8"]).words[-2:] == ("7", "8")
