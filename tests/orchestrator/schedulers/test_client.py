"""The batch system's commands are really run: what they answer, and what happens when they do not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.schedulers import client
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobRequest, JobState, SchedulerError
from sites import Site

REQUEST = JobRequest("eto-1", 2, 60.0, Path("/runs/block.out"), "true")


class Commands:
    """A folder on PATH for commands that do as told, and a note of how each was called."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in ("sh", "cat"):  # and nothing else of this machine, which may have a batch system
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.calls = folder / "calls"

    def does(self, name: str, text: str) -> None:
        file = self.bin / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.calls}"\n{text}\n')
        file.chmod(0o755)

    def answers(self, name: str, stdout: str = "", stderr: str = "", code: int = 0) -> None:
        for stream, text in (("out", stdout), ("err", stderr)):
            (self.bin / f"{name}.{stream}").write_text(text)
        self.does(name, f'cat "{self.bin}/{name}.out"; cat "{self.bin}/{name}.err" >&2; exit {code}')

    def called(self, name: str) -> list[str]:
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line.removeprefix(f"{name} ") for line in lines if line.split(" ", 1)[0] == name]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands(tmp_path)
    monkeypatch.setenv("PATH", str(made.bin))
    return made


def site(kind: str = "slurm", **changes: Any) -> Site:
    scheduler = {"type": kind, "walltime": 60, **changes.pop("scheduler", {})}
    node = {"cores": "0-3", "memory": "4 GiB"}
    return Site.model_validate(
        {"site": "big", "scheduler": scheduler, "node": node, "interface": "ib0", **changes}
    )


# -- submitting ------------------------------------------------------------------------------


def test_a_block_is_submitted_from_a_file(commands: Commands, tmp_path: Path) -> None:
    commands.answers("sbatch", "a greeting\n42;cluster\n")
    file = tmp_path / "block.sh"
    system = SchedulerClient(site())
    assert system.submit(REQUEST, file) == ("42", "")
    assert commands.called("sbatch") == [f"--parsable {file}"]
    assert file.read_text() == system.script(REQUEST)
    assert file.stat().st_mode & 0o777 == 0o755


def test_lsf_reads_the_script_itself(commands: Commands, tmp_path: Path) -> None:
    commands.does("bsub", f'cat > "{tmp_path}/read"; echo "Job <42> is submitted to queue <batch>."')
    system = SchedulerClient(site("lsf"))
    assert system.submit(REQUEST, tmp_path / "block.sh").job == "42"
    assert (tmp_path / "read").read_text() == system.script(REQUEST) == (tmp_path / "block.sh").read_text()


@pytest.mark.parametrize(
    ("kind", "command", "stdout", "stderr", "code", "said"),
    [
        (
            "slurm",
            "sbatch",
            "",
            "sbatch: error: Batch job submission failed: Invalid account",
            1,
            "Invalid account",
        ),
        ("slurm", "sbatch", "", "", 3, "sbatch refused the block: exit code 3"),
        ("slurm", "sbatch", "", "", 0, "printed no job id"),
        ("lsf", "bsub", "Request aborted by esub. Job not submitted.", "", 255, "Request aborted by esub"),
        ("lsf", "bsub", "what?", "", 0, "printed no job id but: 'what\\?'"),
        (
            "pbspro",
            "qsub",
            "",
            "qsub: Unknown queue\n\n",
            170,
            "qsub refused the block: qsub: Unknown queue$",
        ),
        ("torque", "qsub", "", "1\n2\n3\n4\nqsub: illegal -N value\n", 1, "3; 4; qsub: illegal -N value$"),
    ],
)
def test_a_refusal_is_told_in_the_batch_systems_words(
    kind: str,
    command: str,
    stdout: str,
    stderr: str,
    code: int,
    said: str,
    commands: Commands,
    tmp_path: Path,
) -> None:
    commands.answers(command, stdout, stderr, code)
    with pytest.raises(SchedulerError, match=said):
        SchedulerClient(site(kind)).submit(REQUEST, tmp_path / "block.sh")


def test_an_account_that_is_not_set_is_told_before_anything_is_submitted(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOBODYS_PROJECT", raising=False)
    commands.answers("sbatch", "1\n")
    with pytest.raises(SchedulerError, match=r"account is .NOBODYS_PROJECT, which is not set here"):
        SchedulerClient(site(scheduler={"account": "$NOBODYS_PROJECT"})).submit(
            REQUEST, tmp_path / "block.sh"
        )
    assert commands.called("sbatch") == []


# -- commands that do not work ---------------------------------------------------------------


def test_a_command_that_is_not_there(commands: Commands, tmp_path: Path) -> None:
    system = SchedulerClient(site("pbspro"))
    for ask in (lambda: system.submit(REQUEST, tmp_path / "block.sh"), lambda: system.status(["1"])):
        with pytest.raises(SchedulerError, match=r"no command q(sub|stat) here; is this a login node"):
            ask()
    with pytest.raises(SchedulerError, match="squeue"):  # asked for through a shell
        SchedulerClient(site()).status(["1"])


def test_a_command_that_cannot_be_run(commands: Commands, tmp_path: Path) -> None:
    commands.answers("qsub", "1\n")
    (commands.bin / "qsub").write_text("#!/nowhere/to/be/found\n")
    with pytest.raises(SchedulerError, match="qsub"):
        SchedulerClient(site("pbspro")).submit(REQUEST, tmp_path / "block.sh")
    (commands.bin / "qsub").write_bytes(b"\0\1no program")
    with pytest.raises(SchedulerError, match="qsub cannot be run: Exec format error"):
        SchedulerClient(site("pbspro")).submit(REQUEST, tmp_path / "block.sh")


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of commands that do not answer in time."""
    names: set[str] = set()
    real = subprocess.run

    def run(words: tuple[str, ...], **options: Any) -> Any:
        if names.intersection(words[:1]):
            raise subprocess.TimeoutExpired(words, options["timeout"])
        return real(words, **options)

    monkeypatch.setattr(client.subprocess, "run", run)
    return names


def test_a_command_that_does_not_answer(hanging: set[str], tmp_path: Path) -> None:
    hanging |= {"qsub", "qstat", "qselect"}
    system = SchedulerClient(site("pbspro"))
    for ask in (
        lambda: system.submit(REQUEST, tmp_path / "block.sh"),
        lambda: system.status(["1"]),
        lambda: system.find("eto-1"),
    ):
        with pytest.raises(SchedulerError, match=r"q\w+ did not answer in 120 s"):
            ask()


# -- asking ----------------------------------------------------------------------------------


def test_jobs_are_asked_for_together_and_none_for_nothing(commands: Commands) -> None:
    commands.answers("bjobs", "1|RUN|-\n2|EXIT|TERM_RUNLIMIT: x\n")
    system = SchedulerClient(site("lsf"))
    assert [job.state for job in system.status(["2", "1"])] == [JobState.TIMEOUT, JobState.RUNNING]
    assert len(commands.called("bjobs")) == 1
    assert system.status([]) == []
    assert len(commands.called("bjobs")) == 1


def test_odd_bytes_are_no_obstacle(commands: Commands) -> None:
    commands.does("bjobs", r"printf '1|EXIT|\377\376 reason\n'")
    (job,) = SchedulerClient(site("lsf")).status(["1"])
    assert job.state is JobState.FAILED


@pytest.mark.parametrize(
    ("kind", "command", "stdout", "stderr", "code", "found"),
    [
        ("slurm", "squeue", "7\n8\n", "", 0, ["7", "8"]),
        ("slurm", "squeue", "", "", 0, []),
        ("lsf", "bjobs", "7\n", "", 0, ["7"]),
        ("lsf", "bjobs", "", "Job <eto-1> is not found\n", 255, []),
        ("lsf", "bjobs", "", "No unfinished job found\n", 255, []),
        ("pbspro", "qselect", "7.pbs\n", "", 0, ["7.pbs"]),
        ("torque", "qselect", "", "", 0, []),
    ],
)
def test_jobs_of_a_name_are_found(
    kind: str, command: str, stdout: str, stderr: str, code: int, found: list[str], commands: Commands
) -> None:
    commands.answers(command, stdout, stderr, code)
    assert SchedulerClient(site(kind)).find("eto-1") == found
    assert "eto-1" in commands.called(command)[0]


@pytest.mark.parametrize(("kind", "command"), [("slurm", "squeue"), ("lsf", "bjobs"), ("pbspro", "qselect")])
def test_no_list_of_jobs_is_an_error(kind: str, command: str, commands: Commands) -> None:
    commands.answers(command, "", "cannot connect to the server\n", 1)
    with pytest.raises(SchedulerError, match="does not list jobs: cannot connect to the server"):
        SchedulerClient(site(kind)).find("eto-1")


def test_the_shortest_limit_of_names_is_kept() -> None:
    assert len(job_name("0123456789abcdef")) <= 15
    assert job_name("0123456789abcdef") == job_name("0123456789abcdef") != job_name("1123456789abcdef")


# -- cancelling ------------------------------------------------------------------------------


def test_blocks_are_cancelled(commands: Commands) -> None:
    commands.answers("scancel")
    SchedulerClient(site()).cancel(["7", "8"])
    assert commands.called("scancel") == ["7", "8"]
    SchedulerClient(site()).cancel([])
    assert len(commands.called("scancel")) == 2


def test_a_job_that_has_ended_already_is_no_error(commands: Commands) -> None:
    commands.answers("bkill", "", "Job <7>: Job has already finished\n", 255)
    commands.answers("bjobs", "7|DONE|-\n")
    SchedulerClient(site("lsf")).cancel(["7"])
    commands.answers("bjobs", "", "Job <7> is not found\n", 255)
    SchedulerClient(site("lsf")).cancel(["7"])


def test_a_job_that_goes_on_is_an_error(commands: Commands) -> None:
    commands.answers("bkill", "", "User permission denied\n", 255)
    commands.answers("bjobs", "7|DONE|-\n8|RUN|-\n")
    with pytest.raises(SchedulerError, match="job 8 could not be cancelled: User permission denied"):
        SchedulerClient(site("lsf")).cancel(["7", "8"])


def test_one_that_cannot_be_cancelled_does_not_keep_the_others(
    commands: Commands, hanging: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.does("bkill", '[ "$1" != 7 ]')
    commands.answers("bjobs", "7|RUN|-\n8|EXIT|TERM_OWNER: x\n9|EXIT|TERM_OWNER: x\n")
    with pytest.raises(SchedulerError, match="job 7 could not be cancelled: exit code 1"):
        SchedulerClient(site("lsf")).cancel(["7", "8", "9"])
    assert commands.called("bkill") == ["7", "8", "9"]
    hanging.add("bkill")
    with pytest.raises(SchedulerError, match="job 7 could not be cancelled: bkill did not answer"):
        SchedulerClient(site("lsf")).cancel(["7", "8", "9"])
    commands.answers("bjobs", "7|EXIT|-\n8|EXIT|-\n9|DONE|-\n")
    SchedulerClient(site("lsf")).cancel(["7", "8", "9"])


def test_nothing_is_known_of_a_job_that_cannot_be_asked_for(commands: Commands) -> None:
    commands.answers("bkill", "", "LIM is down\n", 255)
    commands.answers("bjobs", "", "LIM is down\n", 255)
    with pytest.raises(SchedulerError, match="bjobs failed: LIM is down"):
        SchedulerClient(site("lsf")).cancel(["7"])


# -- hooks -----------------------------------------------------------------------------------

HOOKS = """
def add(script, site):
    return script.replace("\\n", f"\\n#SBATCH --comment={site.site}\\n", 1)

def fail(script, site):
    raise KeyError("no reservation")

def forget(script, site):
    script + "x"
"""


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "hooks_of_mine.py").write_text(HOOKS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "hooks_of_mine"


def test_a_hook_has_the_last_word(hooks: str, commands: Commands, tmp_path: Path) -> None:
    commands.answers("sbatch", "1\n")
    plain = SchedulerClient(site()).script(REQUEST)
    hooked = SchedulerClient(site(script_hook=f"{hooks}:add"))
    hooked.submit(REQUEST, tmp_path / "block.sh")
    text = (tmp_path / "block.sh").read_text()
    assert text.splitlines()[:2] == ["#!/bin/bash", "#SBATCH --comment=big"]
    assert text.replace("#SBATCH --comment=big\n", "") == plain


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fail", r"script_hook \w+:fail failed: KeyError: 'no reservation'"),
        ("forget", r"script_hook \w+:forget returned a NoneType, not the script"),
    ],
)
def test_a_hook_that_fails_submits_nothing(
    name: str, said: str, hooks: str, commands: Commands, tmp_path: Path
) -> None:
    commands.answers("sbatch", "1\n")
    with pytest.raises(SchedulerError, match=said):
        SchedulerClient(site(script_hook=f"{hooks}:{name}")).submit(REQUEST, tmp_path / "block.sh")
    assert commands.called("sbatch") == []
    assert not (tmp_path / "block.sh").exists()


@pytest.mark.parametrize("hook", ["hooks_of_mine:missing", "no_such_module:add"])
def test_a_hook_that_is_not_there(hook: str, hooks: str) -> None:
    with pytest.raises(CampaignError, match="site big: script_hook: "):
        SchedulerClient(site(script_hook=hook))


def test_a_local_site_has_no_batch_system() -> None:
    with pytest.raises(TypeError, match="site here has no batch system"):
        SchedulerClient(Site(site="here"))
