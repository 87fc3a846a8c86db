"""A driver whose ledger file is removed saves its rows at once, and goes on with them."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from orchestrator.lifecycle.session.ledger_file_watch import LedgerFileWatch
from tests.db import rows
from tests.orchestrator.driver.records.test_own_journal import full_disk

SAVED = f"ledger.saved-{os.getpid()}-1.sqlite"


def started(folder: Path, place: str = ".") -> tuple[Ledger, int]:
    (folder / "runs").mkdir()
    (folder / place).mkdir(exist_ok=True)
    ledger = Ledger.open(str(folder / place / "ledger.sqlite"))
    campaign = rows.campaign(run_directory=str(folder / "runs"))
    number = ledger.register(campaign, [rows.benchmark()], rows.planned(3))
    rows.begin(ledger, number)
    return ledger, number


@pytest.mark.parametrize("how", ["removed", "removed with its log", "replaced"])
def test_a_removed_ledger_is_saved_beside_and_goes_on(
    how: str, tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    ledger, number = started(tmp_path)
    file, saved = tmp_path / "ledger.sqlite", tmp_path / SAVED
    with closing(ledger), closing(LedgerFileWatch(ledger, ledger.campaign("toy"), 1)) as watch:
        ledger.submit(number, 1, [rows.attempt(0)])
        watch.check()
        assert not saved.exists()
        for one in tmp_path.glob("ledger.sqlite*" if how == "removed with its log" else file.name):
            one.unlink()
        if how == "replaced":
            file.write_bytes(b"")
        ledger.submit(number, 1, [rows.attempt(1)])  # before it is noticed
        watch.check()
        watch.check()
        ledger.record(number, [rows.report("t0.1", "succeeded")])
        with Reader(str(saved)) as reader:
            assert reader.attempt_counts(number) == {"submitted": 1, "succeeded": 1}
            [event] = reader.events(number, kinds=[EventKind.LEDGER_REMOVED])
        what = "is another file" if how == "replaced" else "is gone"
        assert event.message.startswith(f"the ledger {file} {what}, although this driver has it open")
        assert [one.message for one in info_log.records] == [event.message]
        assert file.exists() == (how == "replaced")
    if how != "replaced":
        with pytest.raises(LedgerError, match=f"saved their rows as {SAVED}"):
            Reader(str(file))


def test_one_that_goes_with_its_folder_is_saved_in_the_run_directory(tmp_path: Path) -> None:
    ledger, number = started(tmp_path, "place")
    with closing(ledger), closing(LedgerFileWatch(ledger, ledger.campaign("toy"), 1)) as watch:
        shutil.rmtree(tmp_path / "place")
        watch.check()
        ledger.submit(number, 1, [rows.attempt(0)])
    with Reader(str(tmp_path / "runs" / SAVED)) as reader:
        assert reader.attempt_counts(number) == {"submitted": 1}


def test_one_that_cannot_be_saved_is_named_once_and_saved_later(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    ledger, number = started(tmp_path)
    with closing(ledger), closing(LedgerFileWatch(ledger, ledger.campaign("toy"), 1)) as watch:
        (tmp_path / "ledger.sqlite").unlink()
        with full_disk():
            watch.check()
            watch.check()
        assert [("can be saved neither" in one.message) for one in info_log.records] == [True]
        assert list(tmp_path.glob(".ledger.saved*")) == []
        ledger.submit(number, 1, [rows.attempt(0)])
        watch.check()
    with Reader(str(tmp_path / SAVED)) as reader:
        assert reader.attempt_counts(number) == {"submitted": 1}


def test_a_removed_copy_is_saved_again(tmp_path: Path) -> None:
    ledger, number = started(tmp_path)
    with closing(ledger), closing(LedgerFileWatch(ledger, ledger.campaign("toy"), 1)) as watch:
        for name in ("ledger.sqlite", SAVED):
            (tmp_path / name).unlink()
            watch.check()
        ledger.submit(number, 1, [rows.attempt(0)])
    with Reader(str(tmp_path / SAVED)) as reader:
        assert reader.attempt_counts(number) == {"submitted": 1}
        assert len(list(reader.events(number, kinds=[EventKind.LEDGER_REMOVED]))) == 2
