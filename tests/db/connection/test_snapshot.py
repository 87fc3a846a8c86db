"""Ledgers that a user may read and not write, at rest and while a driver writes them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from db.connection.open_ledger import OpenLedger
from db.connection.snapshot import may_write, snapshot
from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.transfer.backup import back_up
from orchestrator.cli import app
from tests.db import rows

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user reaches, unlike those of pytest."""
    made = Path(tempfile.mkdtemp(prefix="readable-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


@pytest.fixture
def file(folder: Path, sqlite_template: Path) -> Path:
    """A ledger with one campaign."""
    made = folder / "ledger.sqlite"
    shutil.copyfile(sqlite_template, made)
    made.chmod(0o644)
    with Ledger(str(made)) as ledger:
        rows.started(ledger)
    return made


@contextmanager
def only_reading(folder: Path, mode: int = 0o555) -> Iterator[None]:
    """Be a user who may read a folder's files and write none."""
    folder.chmod(mode)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_ledger_at_rest_is_read_and_its_folder_left_alone(
    file: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with only_reading(folder), Reader(str(file)) as reader:
        copy = reader.file
        assert copy != file
        assert [row.name for row in reader.campaigns()] == ["toy"]
        assert isinstance(reader.attempts("toy"), pd.DataFrame)
        assert str(reader) == f"sqlite:///{file}"
    assert not copy.parent.exists()
    assert os.listdir(folder) == ["ledger.sqlite"]
    assert caplog.messages == [f"{file} may not be written by this user: this is a copy of it, made just now"]


def test_a_ledger_that_a_driver_has_open_is_read_with_what_its_log_has(
    file: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Ledger(str(file)) as ledger:
        rows.started(ledger, name="second")
        assert Path(f"{file}-wal").stat().st_size > 0
        for path in folder.iterdir():
            path.chmod(0o644)
        with only_reading(folder), Reader(str(file)) as reader:
            assert [row.name for row in reader.campaigns()] == ["toy", "second"]
    assert caplog.messages[0].endswith("; a driver has it open")


def test_a_reader_that_follows_a_driver_copies_anew(
    file: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Ledger(str(file)) as ledger:
        rows.started(ledger, name="second")
        for path in folder.iterdir():
            path.chmod(0o644)
        with only_reading(folder):
            reader = Reader(str(file))
            former = reader.file
        folder.chmod(0o755)
        rows.started(ledger, name="third")
        with only_reading(folder), reader:
            assert [row.name for row in reader.campaigns()] == ["toy", "second"]
            reader.refresh()
            assert not former.exists()
            assert [row.name for row in reader.campaigns()] == ["toy", "second", "third"]
    assert len(caplog.messages) == 1


def test_a_backup_is_made_of_it(file: Path, folder: Path) -> None:
    with only_reading(folder), tempfile.TemporaryDirectory() as place, Reader(str(file)) as reader:
        backup = Path(place, "mine.sqlite")
        assert back_up(reader, backup) == backup.stat().st_size
        with OpenLedger(str(backup)) as copied:
            assert [row.name for row in copied.campaigns()] == ["toy"]


def test_commands_read_it_and_those_that_write_say_who_may(file: Path, folder: Path) -> None:
    def run(*words: str) -> Result:
        return CliRunner().invoke(app, [*words, "--ledger", str(file)])

    for command in (("status", "toy"), ("instance", "pause", "toy", "toy")):
        run(*command)  # which imports everything: the other user may not read the packages
    with only_reading(folder):
        assert "toy: run by me" in run("status", "toy").output
        refused = run("instance", "pause", "toy", "toy")
    assert refused.exit_code == 1
    assert f"this user may not write {file} or its folder" in str(refused.exception)


@pytest.mark.parametrize("log", [True, False])
def test_a_copy_is_one_moment_though_the_driver_overwrites_its_log(
    log: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ledger.sqlite"
    driver = sqlite3.connect(file, isolation_level=None)
    driver.execute("PRAGMA journal_mode = WAL")
    driver.executescript("CREATE TABLE a (x INTEGER, filler TEXT); CREATE TABLE b (x INTEGER, filler TEXT)")

    def write(number: int) -> None:
        for table in ("a", "b"):
            driver.execute(f"DELETE FROM {table}")
            driver.execute(f"INSERT INTO {table} VALUES (?, ?)", (number, "x" * 100_000))

    write(1)
    if not log:
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    copied: list[str] = []
    copy_file = shutil.copyfile

    def copy_while_it_writes(origin: Path, target: Path) -> None:
        copy_file(origin, target)
        copied.append(origin.name)
        if len(copied) == 1:  # the log is next: by then it has none of the pages that the file lacks
            write(2)
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if log:
                driver.execute("INSERT INTO a VALUES (2, '')")

    monkeypatch.setattr(shutil, "copyfile", copy_while_it_writes)
    with closing(driver), snapshot(file) as place, closing(sqlite3.connect(Path(place, file.name))) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert [copy.execute(f"SELECT max(x) FROM {table}").fetchone() for table in "ab"] == [(2,), (2,)]
    assert copied.count("ledger.sqlite") == 2


def test_a_ledger_that_never_rests_is_given_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.connection.snapshot._PAUSE_SECONDS", 0.0)
    copy_file = shutil.copyfile

    def copy_while_it_changes(origin: Path, target: Path) -> None:
        copy_file(origin, target)
        os.utime(origin)

    monkeypatch.setattr(shutil, "copyfile", copy_while_it_changes)
    with pytest.raises(LedgerError, match="changes faster than it can be copied"):
        snapshot(file)


def test_without_a_place_for_the_copy_it_says_what_to_set(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with only_reading(folder), pytest.raises(LedgerError, match=r"Permission denied; TMPDIR names"):
        OpenLedger(str(file))


def test_a_folder_that_may_not_be_entered_is_named(file: Path, folder: Path) -> None:
    with only_reading(folder, 0o000), pytest.raises(LedgerError, match=rf"may not read {file}"):
        OpenLedger(str(file))


def test_a_ledger_of_which_the_log_may_not_be_read_is_refused(file: Path, folder: Path) -> None:
    with Ledger(str(file)) as ledger:
        rows.started(ledger, name="second")
        Path(f"{file}-wal").chmod(0o600)
        with only_reading(folder), pytest.raises(LedgerError, match=r"-wal: Permission denied"):
            OpenLedger(str(file))


def test_a_log_that_goes_meanwhile_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, log = tmp_path / "l.sqlite", tmp_path / "l.sqlite-wal"
    file.touch()
    log.touch()

    def vanishing(path: Path, *_: object, **__: object) -> bool:
        log.unlink(missing_ok=True)  # another process closes the last connection just now
        return path.exists()

    monkeypatch.setattr(os, "access", vanishing)
    assert may_write(file)
