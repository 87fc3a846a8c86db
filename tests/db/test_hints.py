"""What a database says of a ledger comes with what to do, in the same line."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from db.connection.connect import parse_url, translated
from db.errors import LedgerError
from db.reader import Reader
from tests.conftest import Postgres


def said(file: Path, message: str) -> str:
    with pytest.raises(LedgerError) as caught, translated(parse_url(str(file))):
        raise sqlite3.OperationalError(message)
    told = str(caught.value)
    assert told.startswith(f"ledger sqlite:///{file}: {message}; ")
    assert "\n" not in told
    return told


@pytest.mark.parametrize(
    ("message", "todo"),
    [
        ("unable to open database file", "`ls -ld`"),
        ("disk I/O error", "local disk"),
        ("database or disk is full", "free some space (`df -h {folder}`)"),
        ("database is locked", "`fuser {folder}/ledger.sqlite`"),
        ("database disk image is malformed", "backup"),
    ],
)
def test_it_says_what_to_do(message: str, todo: str, tmp_path: Path) -> None:
    assert todo.format(folder=tmp_path) in said(tmp_path / "ledger.sqlite", message)


@pytest.mark.parametrize("forbidden", ["ledger.sqlite", ""])
def test_a_file_or_folder_of_another_user(
    forbidden: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ledger.sqlite"
    monkeypatch.setattr(os, "access", lambda path, *_, **__: Path(path) != tmp_path / forbidden)
    told = said(file, "attempt to write a readonly database")
    assert f"may not write {file} or its folder" in told
    assert "only read work" in told


def test_a_question_that_would_write_is_told_so(sqlite_url: str) -> None:
    with Reader(sqlite_url) as reader, pytest.raises(LedgerError, match=r"readonly database; .* one SELECT"):
        reader.query("DELETE FROM attempts")


def test_what_is_not_known_has_no_advice(sqlite_url: str) -> None:
    with Reader(sqlite_url) as reader, pytest.raises(LedgerError, match=r"no such column: nonsense$"):
        reader.query("SELECT nonsense")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "postgresql://u:secret@127.0.0.1:1/x",
            "Connection refused; no server listens there: check the host",
        ),
        ("postgresql://u:secret@nowhere.invalid/x", "check the host's name in the URL"),
        ("postgresql://u:secret@/x?host=/nowhere", "no server has its socket there: check that it runs"),
    ],
)
def test_a_server_that_is_not_there(url: str, told: str) -> None:
    with pytest.raises(LedgerError) as caught:
        Reader(url)
    text = str(caught.value)
    assert told in text
    assert "secret" not in text
    assert "\n" not in text


def test_a_database_that_is_not_there(postgres: Postgres) -> None:
    url = parse_url(postgres.template).set(database="ours").render_as_string(hide_password=False)
    with pytest.raises(LedgerError, match=r"does not exist; make it with `createdb ours`$"):
        Reader(url)


@pytest.mark.parametrize(
    ("message", "todo"),
    [
        ("FATAL:  sorry, too many clients already", "max_connections"),
        ("FATAL:  remaining connection slots are reserved for roles", "max_connections"),
        ('FATAL:  password authentication failed for user "u"', "~/.pgpass"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.7", user "u"', "has to allow this user"),
        ("connection timeout expired", "firewall"),
        ('could not extend file "base/5/2619": No space left on device', "resume afterwards"),
    ],
)
def test_what_a_server_says_comes_with_what_to_do(message: str, todo: str) -> None:
    with pytest.raises(LedgerError) as caught, translated(parse_url("postgresql://u@h/x")):
        raise OperationalError("SELECT 1", {}, Exception(message))
    assert str(caught.value).startswith(f"ledger postgresql://u@h/x: {message}; ")
    assert todo in str(caught.value).rpartition(message)[2]
