"""Keeping and moving ledgers from the command line: what is printed, and the exit codes."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
from pathlib import Path

import pytest

from db.ledger import Ledger
from tests.db import rows
from tests.db.filled import fill
from tests.db.test_verification import force
from tests.orchestrator.cli.test_commands import CommandLine, errs, strict


@pytest.fixture
def place(sqlite_url: str, tmp_path: Path) -> Path:
    """A folder whose default ledger has two campaigns that ended."""
    fill(sqlite_url, "first", tmp_path / "runs" / "first")
    fill(sqlite_url, "second", tmp_path / "runs" / "second")
    return tmp_path


def test_export_and_import(place: Path, run: CommandLine) -> None:
    ended = run("ledger", "export", "second", "--output", "exported", cwd=place)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("exported: 1 campaign, ")
    ended = run("ledger", "import", "exported", "--ledger", "new.sqlite", cwd=place)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith(" rows: second\n")
    ended = run("ledger", "import", "exported", "--ledger", "new.sqlite", cwd=place)
    assert ended.stdout.splitlines()[0] == "second: already there, row for row"
    assert "not empty" in errs(run, place, "ledger", "export", "--output", "exported")
    facts = strict(
        run("ledger", "import", "exported", "--ledger", "other.sqlite", "--json", cwd=place).stdout
    )
    assert (facts["campaigns"], facts["skipped"], facts["rows"]["campaigns"]) == (["second"], [], 1)


def test_an_upgrade_makes_no_ledger(tmp_path: Path, run: CommandLine) -> None:
    foreign = tmp_path / "foreign.sqlite"
    with contextlib.closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = foreign.read_bytes()
    for name in ("missing.sqlite", "foreign.sqlite"):
        ended = run("ledger", "upgrade", "--ledger", name, cwd=tmp_path)
        assert ended.returncode == 1
        assert "is no ledger; `orchestrator ledger init` makes one" in ended.stderr
    assert foreign.read_bytes() == before
    assert not (tmp_path / "missing.sqlite").exists()


def test_export_as_json(place: Path, run: CommandLine) -> None:
    facts = strict(run("ledger", "export", "--output", "exported", "--json", cwd=place).stdout)
    assert [one["name"] for one in facts["campaigns"]] == ["first", "second"]
    assert facts["tables"]["attempts"]["rows"] == 26


def test_copy(place: Path, run: CommandLine, postgres_url: str) -> None:
    ended = run("ledger", "copy", "--from", "ledger.sqlite", cwd=place, ORCHESTRATOR_LEDGER=postgres_url)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("2 campaigns imported, ")
    with Ledger(postgres_url) as ledger:
        assert [row.name for row in ledger.campaigns()] == ["first", "second"]


def test_a_password_is_wrong_usage(place: Path, run: CommandLine) -> None:
    ended = run("ledger", "copy", "--from", "postgresql://me:hunter2@127.0.0.1/x", cwd=place)
    assert ended.returncode == 2
    assert "hunter2" not in ended.stdout + ended.stderr


def test_what_was_running_is_said(sqlite_url: str, tmp_path: Path, run: CommandLine) -> None:
    with Ledger(sqlite_url) as ledger:
        rows.started(ledger)
    run("ledger", "export", "--output", "exported", cwd=tmp_path)
    ended = run("ledger", "import", "exported", "--ledger", "new.sqlite", cwd=tmp_path)
    assert "toy: a driver ran it when it was exported" in ended.stdout
    said = errs(run, tmp_path, "ledger", "copy", "--from", "ledger.sqlite", "--ledger", "copy.sqlite")
    assert "orchestrator stop toy" in said


def test_check(place: Path, run: CommandLine) -> None:
    (place / "runs" / "first" / "journals").mkdir(parents=True)
    ended = run("ledger", "verify", cwd=place)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        f"note: second: its journals, {place}/runs/second/journals, cannot be seen from here",
        "2 campaigns, 0 final reports in journals: the rows are consistent, and no journal was read",
    ]
    force(
        f"sqlite:///{place}/ledger.sqlite", ["UPDATE attempts SET fom_seconds = NULL WHERE instance_id = 1"]
    )
    ended = run("ledger", "verify", "first", cwd=place)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.splitlines()[0].startswith("first: toy/1 attempt 1 is succeeded and lacks its FOM")
    ended = run("ledger", "verify", "--json", cwd=place)
    assert ended.returncode == 1
    found = [one["campaign"] for one in strict(ended.stdout)["findings"]]
    assert list(dict.fromkeys(found)) == ["first", "second"]  # the row, and the hash of all rows


def test_pack(place: Path, run: CommandLine) -> None:
    ended = run("ledger", "compact", "first", cwd=place)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.splitlines() == [
        f"not packed: {place}/runs/first: No such file or directory",
        "first: 0 files, now 0",
    ]
    (place / "runs" / "first").mkdir(parents=True)
    ended = run("ledger", "compact", "first", cwd=place)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "first: 0 files, now 0\n", "")
    facts = strict(run("ledger", "compact", "first", "--json", cwd=place).stdout)
    assert facts == {"before": 0, "after": 0, "problems": []}
    with Ledger(f"sqlite:///{place}/ledger.sqlite") as ledger:
        rows.begin(ledger, rows.register(ledger, "third"), "me", 3600)
    assert "third is being run by me; " in errs(run, place, "ledger", "compact", "third")


def test_backup(place: Path, run: CommandLine) -> None:
    ended = run("ledger", "backup", "b.sqlite", cwd=place)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert rows.everything(str(place / "b.sqlite")) == rows.everything(str(place / "ledger.sqlite"))
    assert "b.sqlite is there already" in errs(run, place, "ledger", "backup", "b.sqlite")


def test_doctor(sqlite_url: str, tmp_path: Path, run: CommandLine) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger)
        rows.begin(ledger, number, f"{socket.gethostname()} pid {os.getpid()} started 1.00")
    ended = run("node", "leftovers", "toy", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("toy: left behind: lease of ")
    assert ended.stdout.endswith("to end it: orchestrator node leftovers toy --fix\n")
    ended = run("node", "leftovers", "toy", "--fix", "--json", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [one["ended"] for one in strict(ended.stdout)["leftovers"]] == [True]
    ended = run("node", "leftovers", "toy", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "nothing is left behind\n")
