"""`orchestrator events`: what it prints, as a table and as JSON, and how it follows a running campaign."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.lifecycle.driver_process.identity import this_driver
from tests.db import rows
from tests.db.filled import fill
from tests.orchestrator.cli.test_commands import CommandLine, environment, errs, strict


@pytest.fixture
def place(sqlite_url: str, tmp_path: Path) -> Path:
    """A folder whose ledger has a campaign that ended; a node was excluded and a block lost."""
    number = fill(sqlite_url)
    with Ledger(sqlite_url) as ledger:
        ledger.note(
            number, EventKind.NODE_EXCLUDED, "3 failures in a row", subject="n1", data={"failures": 3}
        )
        ledger.note(number, EventKind.BLOCK_LOST, "job 7 is gone", subject="block 0")
    return tmp_path


def test_a_table_without_transitions(place: Path, run: CommandLine) -> None:
    ended = run("events", "toy", cwd=place)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert lines[0].startswith("time (UTC)")
    assert "transition" not in ended.stdout
    assert any(line.endswith(" node_excluded n1: 3 failures in a row") for line in lines)
    assert any("late_report toy/0" in line for line in lines)
    assert max(map(len, lines)) < 300


def test_a_subject_is_not_repeated_where_a_message_names_it(
    place: Path, sqlite_url: str, run: CommandLine
) -> None:
    with Ledger(sqlite_url) as ledger:
        for subject, message in (
            ("n1", "n12 is slow"),
            ("n1", "node n1 is slow"),
            ("p1b1/1", "p1b1/12 ended"),
        ):
            ledger.note(1, EventKind.NODE_EXCLUDED, message, subject=subject)
    lines = run("events", "toy", "--kind", "node_excluded", cwd=place).stdout.splitlines()
    messages = [line.partition("node_excluded")[2].strip() for line in lines]
    assert messages[-3:] == ["n1: n12 is slow", "node n1 is slow", "p1b1/1: p1b1/12 ended"]


def test_kinds_are_chosen_and_each_line_is_an_object(place: Path, run: CommandLine) -> None:
    ended = run("events", "toy", "--kind", "block_lost", "--kind", "node_excluded", "--json", cwd=place)
    excluded, lost = [strict(line) for line in ended.stdout.splitlines()]
    assert (excluded["kind"], excluded["subject"], excluded["data"]) == (
        "node_excluded",
        "n1",
        {"failures": 3},
    )
    assert (lost["kind"], lost["subject"], lost["message"], lost["data"]) == (
        "block_lost",
        "block 0",
        "job 7 is gone",
        None,
    )
    assert excluded["event"] < lost["event"]
    transitions = run("events", "toy", "--kind", "transition", "--json", cwd=place).stdout.splitlines()
    assert strict(transitions[0])["to"] == "submitted"
    assert "new to submitted" in run("events", "toy", "--kind", "transition", cwd=place).stdout


def test_an_unknown_kind_names_the_nearest(place: Path, run: CommandLine) -> None:
    ended = run("events", "toy", "--kind", "node_exclude", cwd=place)
    assert ended.returncode == 2
    assert "did you mean node_excluded?" in " ".join(ended.stderr.split())
    assert "did you mean toy?" in errs(run, place, "events", "toyy")


def test_every_kind_is_listed_with_its_sentence(place: Path, run: CommandLine) -> None:
    shown = " ".join(run("events", "toy", "--kind", "help", cwd=place).stdout.split())
    for kind in EventKind:
        assert f"{kind} {kind.description}" in shown


def test_following_ends_with_the_driver(sqlite_url: str, tmp_path: Path) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger)
        session = rows.begin(ledger, number, this_driver(), 600)
        with subprocess.Popen(
            [sys.executable, "-m", "orchestrator", "events", "toy", "--follow", "--json"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        ) as command:
            assert command.stdout is not None
            first = [json.loads(command.stdout.readline())["kind"] for _ in range(2)]
            assert first == ["campaign_registered", "session_started"]
            ledger.note(number, EventKind.LEDGER_BACK, "3 reports were written")
            assert json.loads(command.stdout.readline())["kind"] == "ledger_back"
            ledger.end_session(number, session, this_driver(), "drained")
            last = json.loads(command.stdout.readline())
            assert (last["kind"], last["data"]["outcome"]) == ("session_ended", "drained")
            assert command.wait(300) == 0
