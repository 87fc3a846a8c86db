"""The progress line says what is known and no more."""

from __future__ import annotations

import errno
import io
import os

import pytest
from rich.console import Console

from orchestrator.cli.terminal.progress_bar import Progress, SimulationProgress
from orchestrator.driver.progress import NoDisplay, Snapshot


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def plain() -> Console:
    return Console(file=io.StringIO(), width=40)


def said(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("snapshot", "seconds", "line"),
    [
        (Snapshot(40), 0, "   0.0 s  0/40 done  0 running"),
        (Snapshot(40, running=2), 3, "   3.0 s  0/40 done  2 running"),
        (
            Snapshot(40, done=10, running=2),
            60,
            "1 min 00 s  10/40 done  2 running  10.0/min",
        ),
        (
            Snapshot(40, done=10, running=2, campaign="toy"),
            60,
            "1 min 00 s  10/40 done  2 running  10.0/min  about 3 min left of toy",
        ),
        (Snapshot(40, done=40, campaign="toy"), 120, "2 min 00 s  40/40 done  0 running  20.0/min"),
        (
            Snapshot(40, done=5, exhausted=5, running=1, failures=7),
            60,
            "1 min 00 s  5/40 done  1 running  5 out of retries  7 failed attempts  10.0/min",
        ),
        (Snapshot(40, note="ledger away"), 90, "1 min 30 s  0/40 done  0 running  ledger away"),
    ],
)
def test_lines(clock: Clock, snapshot: Snapshot, seconds: float, line: str) -> None:
    progress = Progress(plain(), clock, estimate=lambda name: f"about 3 min left of {name}")
    progress.update(Snapshot(40))
    clock.now += seconds
    assert progress.line(snapshot) == line


def test_what_earlier_sessions_finished_does_not_raise_the_rate(clock: Clock) -> None:
    progress = Progress(plain(), clock)
    progress.update(Snapshot(100, done=80, exhausted=4))
    clock.now += 60
    assert "/min" not in progress.line(Snapshot(100, done=80, exhausted=4))
    line = progress.line(Snapshot(100, done=82, exhausted=4))
    assert "82/100 done" in line
    assert "2.0/min" in line


def test_outside_a_terminal_a_line_comes_every_five_seconds(clock: Clock) -> None:
    console = plain()
    with Progress(console, clock) as progress:
        for _ in range(100):
            progress.update(Snapshot(40, running=1))
            clock.now += 0.2
    assert len(said(console)) == 4


def test_messages_come_whole_and_as_they_are(clock: Clock) -> None:
    console = plain()
    message = "toy/3 gave up after 2 attempts: [bold]not markup[/bold] " + "x" * 100
    Progress(console, clock).message(message)
    assert said(console) == [message]


def test_what_would_control_a_terminal_is_escaped(clock: Clock) -> None:
    console = plain()
    Progress(console, clock).message("gave up: \x1b[31mred\r\0\u202e\nand more")
    assert said(console) == ["gave up: \\x1b[31mred\\r\\x00\\u202e", "and more"]


@pytest.mark.parametrize(
    ("encoding", "line"),
    [("utf-8", "é漢\\ud800"), ("latin-1", "é\\u6f22\\ud800"), ("ascii", "\\xe9\\u6f22\\ud800")],
)
def test_what_an_output_cannot_print_is_escaped(clock: Clock, encoding: str, line: str) -> None:
    printed = io.BytesIO()
    console = Console(file=io.TextIOWrapper(printed, encoding=encoding, write_through=True))
    Progress(console, clock).message("é漢\ud800")
    assert printed.getvalue().decode(encoding) == f"{line}\n"


def test_a_terminal_gets_a_live_line_and_is_left_tidy(clock: Clock) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with Progress(console, clock) as progress:
        progress.update(Snapshot(40, done=1, running=2))
        progress.message("draining")
    written = "\n".join(said(console))
    assert "1/40 done" in written
    assert "draining" in written
    assert written.count("\x1b[?25l") == written.count("\x1b[?25h") == 1  # the cursor is shown again


def test_a_simulation_has_no_pace(clock: Clock) -> None:
    progress = SimulationProgress(plain(), clock, first_seconds=2.0)
    clock.now += 60
    words = "simulated 391 of 418 instances, of all simulated campaigns"
    assert progress.line(Snapshot(418, done=391, running=1)) == words


def test_silence() -> None:
    silent = NoDisplay()
    assert silent.update(Snapshot(1)) is None  # type: ignore[func-returns-value]


class Broken(io.StringIO):
    """A file that takes so many lines."""

    def __init__(self, error: OSError, lines: int) -> None:
        super().__init__()
        self.error = error
        self.left = lines

    def write(self, text: str) -> int:
        if not self.left:
            raise self.error
        self.left -= 1
        return super().write(text)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EPIPE])
def test_a_campaign_goes_on_where_nobody_can_be_told(
    clock: Clock, number: int, live: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "dup2", lambda *_: None)  # rich would point this process's output elsewhere
    console = Console(file=Broken(OSError(number, os.strerror(number)), 1 + 3 * live), force_terminal=live)
    with Progress(console, clock) as progress:
        for _ in range(3):
            progress.message("a block is queued")
            progress.update(Snapshot(40, running=1))
            clock.now += 10
    assert said(console).count("a block is queued") <= 1
