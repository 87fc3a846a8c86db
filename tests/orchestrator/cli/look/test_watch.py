"""`status NAME --watch`: on a terminal that is resized, in a pipe, as JSON, and while the ledger is away."""

from __future__ import annotations

import fcntl
import io
import itertools
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.screen import Screen as RichScreen
from sqlalchemy import update
from typer.testing import CliRunner

from db.connection.connect import parse_url
from db.errors import LedgerError, UnknownCampaignError
from db.events import now_us
from db.ledger import Ledger
from db.reader import Reader
from db.records import BlockRecord
from db.states import InstanceState
from db.tables import campaigns, instances
from orchestrator.analysis.live.progress import FigureSoFar
from orchestrator.cli import app
from orchestrator.cli.look.watch import _follow
from orchestrator.cli.look.watch_view import JsonLines, PlainLines, Screen, plain_line, shared_rows
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.driver_process.job import record_launch_job
from orchestrator.lifecycle.driver_process.place import note_driver_job
from orchestrator.monitoring.watched import Look, Watched
from tests.conftest import Postgres
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.forked_commands import default_signals
from tests.harness import ROOT, wait_for

SITE = """
site: ours
interface: lo
node: {cores: 0-3, memory: 4 GiB}
scheduler: {type: slurm, walltime: 1 h}
"""
FRAME = "\x1b[H"
_SECONDS = 240.0  # a loaded machine takes long to start a command
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Driven:
    """A campaign that this process drives: one instance done, one failed, one running, the others planned."""

    def __init__(self, url: str, folder: Path, instances: int = 8) -> None:
        self.url, self.book = url, Ledger(url)
        row = replace(rows.campaign(), site_yaml=SITE, run_directory=str(folder / "toy"))
        self.number = self.book.register(row, [rows.benchmark(instances=instances)], rows.planned(instances))
        self.session = rows.begin(self.book, self.number, this_driver(), seconds=600)
        began = now_us() - 60_000_000
        self.book.submit(self.number, self.session, [attempt(k) for k in range(3)])
        times = {"process_start_us": began, "process_stop_us": began + 30_000_000, "received_us": now_us()}
        message = "out of \x1b[2J memory é 好"
        self.book.record(
            self.number,
            [
                report("t0.1", "succeeded", InstanceState.DONE, fom_seconds=28.5, **times),
                report("t1.1", "failed", InstanceState.PLANNED, failure_message=message, node="n7", **times),
                report("t2.1", "running", None, process_start_us=began),
            ],
        )
        waits = BlockRecord("c1", "1", "76", "queued", T0, None, None, 2, "PENDING (Priority)", "wide")
        runs = BlockRecord("c1", "0", "75", "running", T0, now_us(), None, 2, None, "wide")
        self.book.record_blocks(self.number, self.session, [waits, runs])

    def finish(self, outcome: str = "drained") -> None:
        self.book.end_session(self.number, self.session, this_driver(), outcome)


@pytest.fixture
def driven(ledger_url: str, tmp_path: Path) -> Iterator[Driven]:
    found = Driven(ledger_url, tmp_path)
    yield found
    found.book.close()


class Terminal:
    """`orchestrator status toy --watch` on a terminal of its own."""

    def __init__(self, url: str, columns: int, lines: int, *words: str, **variables: str) -> None:
        self.ours, theirs = pty.openpty()
        self.before = termios.tcgetattr(theirs)
        self.resize(columns, lines)
        inherited = {key: one for key, one in os.environ.items() if key not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator", "status", "toy", "--watch", "--ledger", url, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=inherited | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables},
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        self.theirs = theirs
        self.text = ""

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self) -> str:
        """Return all that was printed by now."""
        while select.select([self.ours], [], [], 0)[0]:
            try:
                self.text += os.read(self.ours, 65_536).decode(errors="replace")
            except OSError:
                break
        return self.text

    def frame(self) -> list[str]:
        """Return the lines of the last whole frame, without colours."""
        frames = self.read().split(FRAME)
        return ESCAPES.sub("", frames[-2]).split("\n") if len(frames) > 2 else []

    def until(self, what: str) -> None:
        wait_for(lambda: what in self.read(), f"{what!r} on the terminal", _SECONDS)

    def type(self, keys: bytes) -> None:
        os.write(self.ours, keys)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


def _own_terminal() -> None:
    default_signals()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    found: list[Terminal] = []
    yield found
    for one in found:
        one.close()


def widest(lines: list[str]) -> int:
    return max(Console().measure(line.rstrip("\r")).maximum if line.strip() else 0 for line in lines)


def test_a_terminal_that_is_resized_and_left(driven: Driven, terminals: list[Terminal]) -> None:
    shown = Terminal(driven.url, 120, 30, "--interval", "1")
    terminals.append(shown)
    shown.until("q or Ctrl-C leaves it")
    wait_for(lambda: len(shown.frame()) == 30, "a frame of 30 lines", _SECONDS)
    text = "\n".join(shown.frame())
    for fact in ("1 of 8 done, 1 running, 6 planned, 1 failed attempts", "28.5 s", "1 of 2 slots busy"):
        assert fact in text
    assert "PENDING (Priority)" in text
    assert "toy/1, attempt 1: out of  [2J memory é 好 on n7" in text
    for columns, lines in ((60, 12), (200, 50)):
        shown.resize(columns, lines)
        wait_for(lambda size=lines: len(shown.frame()) == size, f"a frame of {lines} lines", _SECONDS)
        assert widest(shown.frame()) <= columns
        assert "1 of 8 done" in "\n".join(shown.frame())
    shown.type(b"q")
    assert shown.process.wait(_SECONDS) == 0
    assert shown.read().rpartition("\x1b[?25h")[2] == "\x1b[?1049l"  # the cursor is back, then the screen
    assert termios.tcgetattr(shown.theirs) == shown.before
    assert driven.book.campaign("toy").lease_owner is not None


def test_ctrl_c_leaves_it(sqlite_url: str, tmp_path: Path, terminals: list[Terminal]) -> None:
    driven = Driven(sqlite_url, tmp_path)
    shown = Terminal(driven.url, 80, 24, PYTHONIOENCODING="ascii")
    terminals.append(shown)
    shown.until("q or Ctrl-C leaves it")
    assert "memory ? ? on n7" in shown.read()
    shown.type(b"\x03")
    assert shown.process.wait(_SECONDS) == 0
    assert "Traceback" not in shown.read()
    assert driven.book.campaign("toy").stop_request in (None, "")


def test_it_ends_with_the_campaign_and_its_exit_code(
    sqlite_url: str, tmp_path: Path, terminals: list[Terminal]
) -> None:
    driven = Driven(sqlite_url, tmp_path)
    shown = Terminal(driven.url, 80, 24, "--interval", "1")
    terminals.append(shown)
    shown.until("q or Ctrl-C leaves it")
    driven.finish("drained")
    assert shown.process.wait(_SECONDS) == 4
    after = shown.read().rpartition("\x1b[?1049l")[2]  # what stays once the screen is given back
    assert "toy: drained" in after
    assert "next     orchestrator resume toy" in after


def test_a_dumb_terminal_and_a_job_in_the_background_get_lines(
    sqlite_url: str, tmp_path: Path, terminals: list[Terminal]
) -> None:
    driven = Driven(sqlite_url, tmp_path)
    shown = Terminal(driven.url, 60, 24, "--interval", "1", TERM="dumb")
    terminals.append(shown)
    shown.until("1 of 8 done, 1 running, 6 planned, 1 failed attempts")
    driven.finish("complete")
    assert shown.process.wait(_SECONDS) == 0
    assert "\x1b" not in shown.read()


class Recorded:
    """A view that keeps what it is given."""

    def __init__(self) -> None:
        self.seen: list[Look] = []
        self.problems: list[str] = []

    def show(self, look: Look) -> None:
        self.seen.append(look)

    def message(self, text: str) -> None:
        self.problems.append(text)

    def resized(self) -> None:
        pass


def test_a_database_that_goes_away_and_comes_back(
    postgres: Postgres, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.cli.look.watch.COST", 0)
    driven, view = Driven(postgres_url, tmp_path), Recorded()
    name = parse_url(postgres_url).database
    allow = f"ALTER DATABASE {name} ALLOW_CONNECTIONS"
    steps = iter(("away", "back", "end"))
    due = {"away": lambda: view.seen, "back": lambda: view.problems, "end": lambda: len(view.seen) > 1}
    step = [next(steps)]

    def act(_: float) -> bool:
        if step and due[step[0]]():
            match step.pop():
                case "away":
                    ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
                    postgres.execute(f"{allow} false", ended)
                case "back":
                    postgres.execute(f"{allow} true")
                case _:
                    with Ledger(postgres_url) as book:
                        book.end_session(driven.number, driven.session, this_driver(), "complete")
            step.extend([following] if (following := next(steps, None)) else [])
        return False

    with Reader(postgres_url) as reader:
        last = _follow(Watched(reader, "toy", None, log=False), view, 0.01, act)
    driven.book.close()
    assert last is not None
    assert last.status.outcome == "complete"
    assert "not currently accepting connections" in view.problems[0]
    assert view.problems[0].endswith("; asked again every 0.01 s")


def test_a_campaign_that_goes_from_the_ledger_ends_it(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    watched = Watched(driven.book, "toy", None, log=False)
    with rows.raw(sqlite_url) as connection:
        connection.execute(update(campaigns).values(name="other"))
    with pytest.raises(UnknownCampaignError):
        _follow(watched, Recorded(), 0.0, lambda _: False)


def test_plain_and_json_lines(driven: Driven, capsys: pytest.CaptureFixture[str]) -> None:
    seen = Watched(driven.book, "toy", None, log=False).look()
    PlainLines().show(seen)
    [line] = capsys.readouterr().out.splitlines()
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ; toy: run by ", line)
    assert "; 1 of 8 done, 1 running, 6 planned, 1 failed attempts; " in line
    assert "instances/min; about " in line
    assert "; 1 of 2 slots busy; block 1 is queued" in line
    PlainLines().message("away\x1b[2J\nand away")
    assert capsys.readouterr().out == "away [2J and away\n"
    JsonLines().show(seen)
    JsonLines().message("away")
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    progress = first["progress"]
    assert (first["campaign"], progress["done"], progress["total"], first["outcome"]) == ("toy", 1, 8, None)
    assert [one["pool"] for one in first["blocks"]] == ["wide", "wide"]
    assert progress["failures"][0]["node"] == "n7"
    assert progress["time_left"]["seconds"] > 0
    assert second == {"message": "away"}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_screen_of_any_size(sqlite_url: str, tmp_path: Path, encoding: str) -> None:
    driven = Driven(sqlite_url, tmp_path)
    seen = Watched(driven.book, "toy", None, log=False).look()
    status = seen.status
    many = replace(status.progress, benchmarks=status.progress.benchmarks * 500)
    now = status.outlook
    blocks = replace(now, blocks=now.blocks * 100, wave=3, excluded_nodes={"n1": "bad\x1b[2J"})
    figures = (FigureSoFar("", "overall", 3.25, ""), FigureSoFar("toy", "fom", None, ""))
    crowded = Look(replace(status, progress=many, outlook=blocks), figures, ("one", "two\x07"))
    for width, height in itertools.product((20, 60, 99, 100, 250), (4, 12, 40)):
        file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
        console = Console(file=file, width=width, height=height, force_terminal=True)
        console.print(RichScreen(Screen(crowded, "the ledger is away", 2.0)))
        file.seek(0)
        text = ESCAPES.sub("", file.read())
        lines = text.splitlines()
        assert len(lines) == height
        assert widest(lines) <= width
        assert "the ledger is away"[: width - 1] in lines[0]
        if height == 40 and width >= 60:
            facts = ("overall 3.25", "more benchmarks", "more blocks", "wave 3 waits", "last failures", "two")
            assert [fact for fact in facts if fact not in text] == []


@pytest.mark.parametrize(
    ("room", "wanted", "given"),
    [
        (10, [3, 2], [3, 2]),
        (4, [9, 2, 0], [2, 2, 0]),
        (0, [1], [0]),
        (-5, [1], [0]),
        (100, [80, 30], [70, 30]),
    ],
)
def test_rows_are_shared(room: int, wanted: list[int], given: list[int]) -> None:
    assert shared_rows(room, wanted) == given


def test_a_silent_driver_gets_time_to_come_back(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    watched = Watched(driven.book, "toy", None, log=False)
    for ago, over in ((10, False), (600, True)):
        values = {
            "lease_owner": "elsewhere pid 7 started 1.0",
            "lease_expires_us": now_us() - ago * 1_000_000,
        }
        with rows.raw(sqlite_url) as connection:
            connection.execute(update(campaigns).values(**values))
        seen = watched.look().status
        assert (seen.driver, seen.over, seen.outcome) == (None, over, "driver_died")
        assert ("its driver has been silent" in plain_line(seen)) is not over


def test_the_job_of_the_next_driver_is_waited_for(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    note_driver_job(driven.book, driven.number, "99", tmp_path / "job.out")
    driven.finish("drained")
    watched = Watched(driven.book, "toy", None, log=False)
    seen = watched.look().status
    assert not seen.over
    assert "toy: waits for job 99, which runs its driver" in plain_line(seen)
    with rows.raw(sqlite_url) as connection:
        connection.execute(update(instances).where(instances.c.state != "done").values(state="cancelled"))
    assert watched.look().status.over


def test_a_campaign_that_a_job_will_launch_is_known_before(
    ledger_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for job in ("98", "99"):
        record_launch_job("toy", ledger_url, job, tmp_path / "job.out")
    when = "20[0-9: -]* UTC"
    says = f"toy: not in the ledger yet, job 99 was submitted at {when}; it prints to {tmp_path}/job.out"
    for words in (["toy"], []):
        found = CliRunner().invoke(app, ["status", *words, "--ledger", ledger_url])
        assert found.exit_code == 0
        assert re.fullmatch(says, found.output.strip())
        found = CliRunner().invoke(app, ["status", *words, "--json", "--ledger", ledger_url])
        facts = json.loads(found.output)
        assert (facts if words else facts[0])["driver_job"]["job"] == "99"
    view = Recorded()
    with Reader(ledger_url) as reader:
        watched = Watched(reader, "toy", None, log=False)
        assert _follow(watched, view, 1.0, lambda _: bool(view.problems)) is None
        assert view.problems[0].startswith("job 99 was submitted at ")
        driven = Driven(ledger_url, tmp_path)
        driven.finish("complete")
        driven.book.close()
        last = _follow(watched, view, 1.0, lambda _: False)
    assert last is not None
    assert last.status.over
    found = CliRunner().invoke(app, ["status", "--ledger", ledger_url])
    assert "not in the ledger yet" not in found.output
    record_launch_job("later", ledger_url, "100", tmp_path / "job.out")
    found = CliRunner().invoke(app, ["status", "--ledger", ledger_url])
    assert "later: not in the ledger yet, job 100" in found.output
    assert "next     orchestrator resume toy" in found.output


def test_a_launch_job_makes_the_ledger_and_breaks_no_promise(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.sqlite"
    record_launch_job("friday 好\x00", url, "1", tmp_path / "job.out")
    found = CliRunner().invoke(app, ["ledger", "verify", "--ledger", url])
    assert found.exit_code == 0, found.output
    with pytest.raises(LedgerError):
        record_launch_job("toy", f"sqlite:///{tmp_path}/none/new.sqlite", "1", tmp_path / "job.out")


def test_what_cannot_be_judged_yet_is_shown_without_figures(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven, asked = Driven(sqlite_url, tmp_path), []

    def judged(_: Reader, row: object) -> tuple[FigureSoFar, ...]:
        asked.append(row)
        if len(asked) == 1:
            return (FigureSoFar("toy", "fom", 1.0, ""),)
        raise CampaignError("no accepted attempt")

    monkeypatch.setattr("orchestrator.monitoring.watched.figures_so_far", judged)
    monkeypatch.setattr("orchestrator.monitoring.watched._JUDGED_SECONDS", 0.0)
    monkeypatch.setattr("orchestrator.monitoring.watched.COST", 0)
    monkeypatch.setattr("orchestrator.monitoring.watched.SHORTEST_SECONDS", 0.0)
    watched = Watched(driven.book, "toy", None, log=False)
    assert "so far, no verdict: toy fom 1" in drawn(watched.look())
    driven.book.record(driven.number, [report("t2.1", "succeeded", InstanceState.DONE)])
    seen = watched.look()
    assert (len(asked), seen.figures, seen.status.progress.done) == (2, (), 2)


def drawn(look: Look) -> str:
    console = Console(file=io.StringIO(), width=100, height=30)
    with console.capture() as captured:
        console.print(RichScreen(Screen(look, "", 2.0)))
    return captured.get()


def test_only_the_benchmarks_that_are_asked_for(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    assert len(Watched(driven.book, "toy", "toy", log=True).look().status.progress.benchmarks) == 1
    with pytest.raises(UnknownCampaignError, match="no benchmark or sweep"):
        Watched(driven.book, "toy", "other", log=False).look()
    seen = Watched(driven.book, "toy", None, log=True).look()
    assert "cannot be read" in seen.log[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("toy", "--interval", "5"), "--interval needs --watch"),
        (("toy", "--watch", "--interval", "0.2"), "greater than or equal to 1"),
        (("tpy", "--watch"), "did you mean toy?"),
    ],
)
def test_wrong_words(sqlite_url: str, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    Driven(sqlite_url, tmp_path)
    found = CliRunner().invoke(app, ["status", *words, "--ledger", sqlite_url])
    assert found.exit_code != 0
    assert says in found.output + str(found.exception)
