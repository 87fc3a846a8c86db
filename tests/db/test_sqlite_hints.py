"""What SQLite says of a ledger comes with what to do, in the same line."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from db.connect import parse_url, translated
from db.errors import LedgerError
from db.reader import Reader


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
