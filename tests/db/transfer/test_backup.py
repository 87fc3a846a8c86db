"""A backup is the ledger of one moment, made while others write."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest

from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.transfer.backup import back_up
from db.verification import check
from tests.db import rows
from tests.db.filled import fill


def test_a_backup_is_a_ledger_with_the_same_rows(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    file = tmp_path / "odd name?#%20.sqlite"
    with Reader(sqlite_url) as reader:
        assert back_up(reader, file) == file.stat().st_size
    assert rows.everything(str(file)) == rows.everything(sqlite_url)
    with Ledger(str(file)) as ledger:
        assert check(ledger) == []
        assert rows.register(ledger, "next") == 2
    assert not [one for one in tmp_path.iterdir() if "part" in one.name]


def test_a_backup_while_a_driver_writes_is_one_moment(sqlite_url: str, tmp_path: Path) -> None:
    with Ledger(sqlite_url) as ledger, Reader(sqlite_url) as reader:
        number = rows.register(ledger)
        enough = threading.Event()

        def write() -> None:
            for k in itertools.count():
                if enough.is_set():
                    return
                ledger.note(number, "late_report", f"{k}")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for k in range(5):
                back_up(reader, tmp_path / f"{k}.sqlite")
        finally:
            enough.set()
            writer.join()
        whole = [one.message for one in reader.events(number, kinds=["late_report"])]
    sizes = []
    for k in range(5):
        with Reader(str(tmp_path / f"{k}.sqlite")) as copy:
            kept = [one.message for one in copy.events(number, kinds=["late_report"])]
            assert check(copy) == []
        assert kept == whole[: len(kept)]
        sizes.append(len(kept))
    assert sizes == sorted(sizes)


def test_what_cannot_be_backed_up_says_what_to_do(sqlite_url: str, postgres_url: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with Reader(sqlite_url) as reader:
        with pytest.raises(LedgerError, match="there is there already"):
            back_up(reader, tmp_path / "there")
        with pytest.raises(LedgerError, match="nowhere does not exist"):
            back_up(reader, tmp_path / "nowhere" / "b.sqlite")
    with Reader(postgres_url) as reader, pytest.raises(LedgerError, match="pg_dump"):
        back_up(reader, tmp_path / "b.sqlite")
    assert (tmp_path / "there").read_text() == "mine"
    assert not (tmp_path / "b.sqlite").exists()
