"""Looking at campaigns: the logs of an attempt, the next step, and tables that are never cut in a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.ledger import Ledger
from db.records import BlockRecord
from db.states import InstanceState
from orchestrator.cli import app
from orchestrator.cli.errors import fail
from orchestrator.cli.look import logs
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.launch import launch
from orchestrator.lifecycle.options import LaunchOptions
from orchestrator.rundir import packed_reader
from orchestrator.rundir.layout import RunDirectory
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.harness import ROOT
from workloads.description import WorkloadError


class Looked:
    """A campaign of three instances in a ledger, and the files of its attempts."""

    def __init__(self, folder: Path, url: str, spec: str = "") -> None:
        self.folder, self.url = folder / "runs" / "toy", url
        self.ledger = Ledger(url)
        row = replace(rows.campaign(), campaign_yaml=f"campaign: toy\n{spec}", run_directory=str(self.folder))
        self.number = self.ledger.register(row, [rows.benchmark()], rows.planned(3))
        self.session = rows.begin(self.ledger, self.number)

    def tried(self, number: int, state: str, *, kept: bool, content: bytes = b"") -> Path:
        """Record one more attempt at the first instance; return its log of stdout."""
        self.ledger.submit(self.number, self.session, [attempt(0, number)])
        out, err = (self.log(number, ending) for ending in ("out", "err"))
        paths = {"stdout_path": str(out), "stderr_path": str(err)} if kept else {}
        if kept:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(content)
            err.write_bytes(b"trouble of " + str(number).encode())
        becomes = InstanceState.DONE if state == "succeeded" else InstanceState.PLANNED
        self.ledger.record(self.number, [report(f"t0.{number}", state, becomes, **paths)])
        return out

    def log(self, number: int, ending: str) -> Path:
        return RunDirectory(self.folder).instance_logs(self.session, 0) / f"toy-0.{number}.{ending}"

    def show(self, *options: str) -> Any:
        return CliRunner().invoke(app, ["instance", "show", "toy", "toy/0", "--ledger", self.url, *options])


@pytest.fixture
def looked(tmp_path: Path, sqlite_url: str) -> Looked:
    return Looked(tmp_path, sqlite_url)


def test_what_an_attempt_says_of_itself_does_not_control_the_terminal(looked: Looked) -> None:
    looked.ledger.submit(looked.number, looked.session, [attempt(0, 1)])
    odd = {"a\udfff": "b\udfff", "red": "\x1b[31m\0\u202e"}
    said = {"observed": odd, "data_facts": odd, "stderr_tail": "\x1b[31mred\twide\rback"}
    looked.ledger.record(looked.number, [report("t0.1", "failed", InstanceState.PLANNED, **said)])
    shown = looked.show()
    assert shown.exit_code == 0
    for what in ("saw", "data"):
        assert f"{what} a\\udfff" in shown.stdout
        assert f"{what} red" in shown.stdout
    assert shown.stdout.count("\\x1b[31m\\x00\\u202e") == 2
    assert "    \\x1b[31mred\twide" in shown.stdout
    assert shown.stdout.replace("\n", "").replace("\t", "").isprintable()


# -- logs ------------------------------------------------------------------------------------


def test_the_last_attempts_log_as_it_was_written(looked: Looked) -> None:
    looked.tried(1, "failed", kept=True, content=b"first")
    looked.tried(2, "failed", kept=True, content=b"\xffsecond\n")
    assert looked.show("--log", "stdout").stdout_bytes == b"\xffsecond\n"
    assert looked.show("--log", "stderr").stdout == "trouble of 2"
    assert looked.show("--log", "stdout", "--attempt", "1").stdout == "first"
    assert looked.show("--log", "both", "--attempt", "1").stdout == (
        "==> stdout of toy/0, attempt 1 <==\nfirst\n==> stderr of toy/0, attempt 1 <==\ntrouble of 1\n"
    )


def test_a_packed_log(looked: Looked) -> None:
    out = looked.tried(1, "failed", kept=True, content=b"packed\n")
    session = out.parent.parent
    with zipfile.ZipFile(session.with_name(f"{session.name}.zip"), "w") as archive:
        archive.write(out, out.relative_to(session))
    out.unlink()
    assert looked.show("--log", "stdout").stdout == "packed\n"


def test_a_log_as_json(looked: Looked) -> None:
    looked.tried(1, "failed", kept=True, content=b"first")
    assert json.loads(looked.show("--log", "both", "--json").stdout) == {
        "instance": "toy/0",
        "attempt": 1,
        "stdout": "first",
        "stderr": "trouble of 1",
        "missing": None,
    }


def test_an_empty_log_is_told(looked: Looked) -> None:
    looked.tried(1, "failed", kept=True)
    assert looked.show("--log", "stdout").stdout == ""
    assert "==> stdout of toy/0, attempt 1 (empty) <==\n==> stderr" in looked.show("--log", "both").stdout


def test_what_a_running_attempt_has_written_so_far(looked: Looked) -> None:
    looked.ledger.submit(looked.number, looked.session, [attempt(0, 1)])
    said = str(looked.show("--log", "stdout").exception)
    assert said == "toy/0, attempt 1 is submitted and has written nothing that is seen from here"
    looked.log(1, "out").parent.mkdir(parents=True)
    looked.log(1, "out").write_text("so far")
    assert looked.show("--log", "stdout").stdout == "so far"


@pytest.mark.parametrize(
    ("spec", "state", "said"),
    [
        ("", "succeeded", "`logs: failures`, so that no log was kept; `logs: all` keeps every one"),
        ("logs: failures", "succeeded", "`logs: failures`, so that no log was kept; `logs: all` keeps"),
        ("logs: none", "failed", "`logs: none`; `logs: failures` keeps those of failures, `logs: all` every"),
        ("logs: all", "cancelled", "though the campaign says `logs: all`; it may never have been started"),
    ],
)
def test_where_none_was_kept_it_says_what_would(
    spec: str, state: str, said: str, tmp_path: Path, sqlite_url: str
) -> None:
    looked = Looked(tmp_path, sqlite_url, spec)
    looked.tried(1, state, kept=False)
    told = looked.show("--log", "stderr").exception
    assert isinstance(told, CampaignError)
    assert said in str(told)
    assert "\n" not in str(told)
    assert json.loads(looked.show("--log", "both", "--json").stdout)["missing"] == str(told)


def test_a_log_that_is_gone(looked: Looked) -> None:
    looked.tried(1, "failed", kept=True).unlink()
    looked.log(1, "err").unlink()
    assert "was kept, and is not there any more" in str(looked.show("--log", "both").exception)


def test_an_attempt_that_there_is_not(looked: Looked) -> None:
    for options in (["--log", "both"], ["--attempt", "1"]):
        assert str(looked.show(*options).exception) == "toy/0: it has not been tried yet"
    looked.tried(1, "failed", kept=True)
    assert str(looked.show("--attempt", "3").exception) == "toy/0: no attempt 3; there are 1"
    assert "attempt 1" in looked.show("--attempt", "1").stdout


def test_a_log_that_is_larger_than_a_piece(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_PIECE_BYTES", 3)
    out = looked.tried(1, "failed", kept=True, content=b"first\xff\n\nlast")
    both = b"==> stdout of toy/0, attempt 1 <==\nfirst\xff\n\nlast\n==> stderr"
    assert looked.show("--log", "both").stdout_bytes.startswith(both)
    assert looked.show("--log", "stdout").stdout_bytes == out.read_bytes()


def test_the_stream_that_is_not_asked_for_is_not_read(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = looked.tried(1, "failed", kept=True, content=b"first")
    opened: list[Path] = []
    monkeypatch.setattr(packed_reader, "opened_log", lambda path: opened.append(path) or path.open("rb"))
    assert looked.show("--log", "stdout").stdout == "first"
    assert json.loads(looked.show("--log", "stdout", "--json").stdout)["stdout"] == "first"
    assert opened == [out, out]


def test_where_the_other_stream_alone_is_kept_nothing_is_printed(looked: Looked) -> None:
    looked.tried(1, "failed", kept=True, content=b"first").unlink()
    shown = looked.show("--log", "stdout")
    assert (shown.exit_code, shown.stdout) == (0, "")


def test_a_packed_log_that_is_damaged(looked: Looked, capsys: pytest.CaptureFixture[str]) -> None:
    out = looked.tried(1, "failed", kept=True, content=b"all of it")
    session = out.parent.parent
    archive = session.with_name(f"{session.name}.zip")
    with zipfile.ZipFile(archive, "w") as filled:
        filled.write(out, out.relative_to(session))
    archive.write_bytes(archive.read_bytes().replace(b"all of it", b"some of i"))
    out.unlink()
    error = looked.show("--log", "stdout").exception
    assert isinstance(error, OSError)
    assert fail(error) == 1
    assert capsys.readouterr().err.startswith(f"error: {out}: Bad CRC-32")


def test_the_end_of_a_long_stderr(looked: Looked) -> None:
    err = looked.tried(1, "failed", kept=True).with_suffix(".err")
    err.write_bytes(b"begin" + b"x" * 5000 + b"end")
    [shown] = json.loads(looked.show("--json").stdout)["attempts"]
    assert shown["stderr_tail"] == "x" * 4093 + "end"
    session = err.parent.parent
    with zipfile.ZipFile(session.with_name(f"{session.name}.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(err, err.relative_to(session))
    err.unlink()
    [packed_one] = json.loads(looked.show("--json").stdout)["attempts"]
    assert packed_one["stderr_tail"] == shown["stderr_tail"]


# -- the next step ---------------------------------------------------------------------------


def status(url: str, *arguments: str) -> str:
    shown = CliRunner().invoke(app, ["status", *arguments, "--ledger", url])
    assert shown.exit_code == 0, shown.output
    return str(shown.stdout)


def test_a_stopped_campaign_ends_with_the_command_that_goes_on(looked: Looked) -> None:
    looked.ledger.end_session(looked.number, looked.session, "me", "drained")
    command = f"next     orchestrator resume toy --ledger {looked.url}"
    assert status(looked.url, "toy").splitlines()[-1] == command
    assert status(looked.url).splitlines()[-1] == command
    assert json.loads(status(looked.url, "toy", "--json"))["next"] == ["orchestrator", "resume", "toy"]


def test_so_does_one_whose_driver_died(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger)
        began = this_driver().rpartition(" ")[2]
        host = this_driver().partition(" pid ")[0]
        rows.begin(ledger, number, f"{host} pid 999999999 started {began}")
    lines = status(sqlite_url, "toy").splitlines()
    assert lines[0] == "toy: its driver died"
    assert lines[-1].startswith("next     orchestrator resume toy")


def test_one_whose_driver_lives_does_not(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        rows.begin(ledger, rows.register(ledger), this_driver())
    assert "next" not in status(sqlite_url, "toy")
    assert json.loads(status(sqlite_url, "toy", "--json"))["next"] is None


def test_one_that_is_out_of_retries_or_complete(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        for name, state, becomes in (
            ("good", "succeeded", InstanceState.DONE),
            ("bad", "failed", InstanceState.EXHAUSTED),
        ):
            number = rows.register(ledger, name, 1)
            session = rows.begin(ledger, number)
            ledger.submit(number, session, [attempt(0, token=name)])
            ledger.record(number, [report(name, state, becomes)])
            ledger.end_session(number, session, "me", "complete")
    assert "next" not in status(sqlite_url, "good")
    [line] = [line for line in status(sqlite_url).splitlines() if line.startswith("next")]
    assert line.startswith("next     orchestrator resume bad --retry-exhausted --ledger ")


# -- tables ----------------------------------------------------------------------------------

TABLE = """
from orchestrator.cli.terminal.tables import print_table
row = ["n" * 30, 0.00672812, "word " * 60, 123456]
print_table(["name", "x", "a column of text", "y"], [row], title="title " * 30)
print_table(["name", *"abcdefgh"], [["googlenet", *[1234567.25] * 8]])
"""
CELLS = ("n" * 30, "0.00672812", "word " * 60, "123456", "title " * 30, "googlenet", "1.2346e+06")


@pytest.mark.parametrize("variable", ["COLUMNS=40", "FORCE_COLOR=1", "TTY_COMPATIBLE=1", "TERM=dumb"])
def test_a_pipe_gets_whole_lines(variable: str) -> None:
    name, _, value = variable.partition("=")
    shown = subprocess.run(
        [sys.executable, "-c", TABLE],
        env=os.environ | {"PYTHONPATH": str(ROOT), name: value},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert len(shown.splitlines()) == 5
    assert [cell for cell in CELLS if cell.strip() not in shown] == []
    assert "…" not in shown


def test_a_narrow_terminal_folds_text_and_never_numbers() -> None:
    driver, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-c", TABLE], env=environment | {"PYTHONPATH": str(ROOT)}, stdout=terminal
    )
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(driver, 65_536):
            shown += piece
    except OSError:  # how the other end of a terminal is closed
        pass
    os.close(driver)
    assert process.wait(300) == 0
    text = shown.decode()
    assert [
        cell for cell in ("left out at 50 columns: y", "0.00672812", "googlenet") if cell not in text
    ] == []
    assert text.count("1.2346e+06") == 3
    assert len(text.splitlines()) > 8  # the text was folded


def test_progress_in_a_pipe_is_plain_lines_whatever_a_variable_says() -> None:
    code = "from orchestrator.cli.terminal.plain_output import console_of; print(console_of().is_terminal)"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "False\n"


# -- errors ----------------------------------------------------------------------------------


def test_a_files_problems_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in (CampaignError, WorkloadError):
        assert fail(kind("x.yaml: one\nx.yaml:  two")) == 1
        assert capsys.readouterr().err == "error: x.yaml: one\nerror: x.yaml: two\n"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "No", "/data/x"), "error: /data/x: No; this user may not: `ls -ld`"),
        (OSError(28, "Full", "/data"), "error: /data: Full; free some space"),
        (OSError(30, "Read-only", "/cd"), "error: /cd: Read-only; name a place"),
        (FileNotFoundError(2, "Gone", "x"), "error: x: Gone\n"),
        (OSError(28, "Full"), "error: Full; free some space"),
    ],
)  # fmt: skip
def test_what_the_system_refuses_comes_with_what_to_do(
    error: OSError, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(error) == 1
    told = capsys.readouterr().err
    assert told.startswith(said)
    assert told.count("\n") == 1


def test_a_choice_that_there_is_not_is_told_in_our_words(
    looked: Looked, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception, match="is not one of") as raised:
        app(["instance", "show", "toy", "toy/0", "--log", "foo"], standalone_mode=False)
    assert fail(raised.value) == 2
    said = "error: Invalid value for '--log': 'foo' is not one of 'stdout', 'stderr', 'both'."
    assert capsys.readouterr().err == f"{said} (--help shows how)\n"


def test_a_campaigns_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "c.yaml").write_text(
        "campaign: toy\nbenchmarks: [{workload: tests.toys.behave, instances: 1, timeout: 60}]\n"
    )
    (tmp_path / "s.yaml").write_text(f"site: here\npaths: {{runs: {tmp_path}/file/runs}}\n")
    ledger = f"sqlite:///{tmp_path}/ledger.sqlite"
    with pytest.raises(
        CampaignError, match=r"cannot be made: Not a directory; write another folder into paths"
    ):
        launch(tmp_path / "c.yaml", LaunchOptions(site=str(tmp_path / "s.yaml"), ledger=ledger))


def status_of(looked: Looked, *options: str) -> Any:
    return CliRunner().invoke(app, ["status", "toy", "--ledger", looked.url, *options])


def test_status_prints_the_end_of_the_driver_log(looked: Looked) -> None:
    looked.folder.mkdir(parents=True, exist_ok=True)
    (looked.folder / "driver.log").write_text("".join(f"line {number}\n" for number in range(100)))
    done = status_of(looked, "--log")
    assert "line 99" in done.stdout
    assert "line 59\n" not in done.stdout
    facts = json.loads(status_of(looked, "--log", "--json").stdout)
    assert facts["log"] == [f"line {number}" for number in range(60, 100)]


def test_status_says_why_there_is_no_driver_log(looked: Looked) -> None:
    done = status_of(looked, "--log")
    assert "driver.log cannot be read: No such file or directory" in done.stdout


def test_status_shows_what_waits_and_why(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger)
        session = rows.begin(ledger, number, this_driver())
        waiting = BlockRecord("c1", "0", "75", "queued", T0, None, None, 1, "PENDING (AssocGrpNodeLimit)")
        ledger.record_blocks(number, session, [waiting])
        shown = CliRunner().invoke(app, ["status", "toy", "--ledger", sqlite_url])
        [line] = [line for line in shown.output.splitlines() if line.startswith("0 ")]
        assert line.split()[:4] == ["0", "75", "queued", "1"]
        assert line.rstrip().endswith("PENDING (AssocGrpNodeLimit)")
        ended = replace(waiting, state="released", ended_us=T0 + 1)
        ledger.record_blocks(number, session, [ended])
        later = CliRunner().invoke(app, ["status", "toy", "--ledger", sqlite_url])
        assert not [line for line in later.output.splitlines() if line.startswith("0 ")]


@pytest.mark.parametrize(
    ("module", "begin", "end"),
    [
        ("scipy.stats", "SciPy", "-m pip install 'scipy>=1.15'"),
        ("optuna", "Optuna", "-m pip install 'optuna>=5,<6'"),
        (
            "starlette.applications",
            "Starlette, uvicorn and prometheus_client",
            "-m pip install starlette uvicorn prometheus-client",
        ),
    ],
)
def test_a_command_names_the_package_and_the_extra_that_are_missing(
    module: str, begin: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(ModuleNotFoundError(f"No module named {module!r}", name=module)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"error: this command needs {begin}, not installed here: pip install ")
    assert lines[0].endswith(end)
    with pytest.raises(ModuleNotFoundError):
        fail(ModuleNotFoundError("No module named 'x'", name="x"))
