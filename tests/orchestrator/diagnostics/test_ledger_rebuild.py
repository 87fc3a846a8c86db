"""A lost ledger is rebuilt from its run directory, with every row that a verdict reads."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.transfer.backup import back_up
from db.transfer.saved_rows import RowSaver, read_saved
from db.transfer.snapshot import Snapshot
from db.transfer.source import TABLES
from db.verification import check
from orchestrator.diagnostics.ledger_rebuild import Rebuilt, rebuild
from orchestrator.diagnostics.ledger_verification import audit
from orchestrator.diagnostics.stated_verdicts import fom
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.saved_rows import refuse_older_ledger
from orchestrator.review.verification import verify
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from tests import messages
from tests.db import rows
from tests.harness import wait_for
from tests.orchestrator.review.packages import packaged, simulated

RUN: dict[str, Any] = {
    "result": {"fom_seconds": 1.0, "observed": {}},
    "run_start_us": rows.T0 + 1,
    "run_stop_us": rows.T0 + 2,
}


def content(url: str) -> dict[str, list[object]]:
    """Return all rows by table, without the numbers that a ledger gives and the note of the rebuilding."""
    found: dict[str, list[object]] = {}
    with Reader(url) as reader, Snapshot(reader) as source:
        for table in TABLES:
            names = [str(one.name) for one in table.columns]
            rows = [dict(zip(names, row, strict=True)) for part in source.chunks(table) for row in part]
            own = {"event_id": None, "lease_expires_us": None}
            found[table.name] = [row | own for row in rows if row.get("kind") != "ledger_rebuilt"]
    return found


def save(url: str, folder: Path) -> None:
    with Ledger(url) as book:
        RowSaver(book, book.campaign("toy"), RunDirectory(folder).saved_rows).save_last()


def rebuilt(folder: Path) -> tuple[str, Rebuilt]:
    url = str(folder / "rebuilt.sqlite")
    return url, rebuild(folder, url, lambda *_: None)


def warned(file: Path) -> list[str]:
    """Return what the verification of a package notes; it finds nothing."""
    done = verify(file)
    assert done.findings == []
    return done.notes


def test_an_ended_campaign_has_all_of_its_rows_again(tmp_path: Path) -> None:
    url = simulated(tmp_path, crash_at=9)
    save(url, tmp_path)
    verdict = fom("toy", url).to_dict()
    new, done = rebuilt(tmp_path)
    assert (done.problems, done.without_report, done.from_journals) == ([], 0, 0)
    assert done.message.endswith("all rows are those that its last session left")
    assert content(new) == content(url)
    assert fom("toy", new).to_dict() == verdict
    assert audit(new, ["toy"]).findings == []
    known = list(packaged(url, tmp_path / "toy.zip").warnings)
    assert warned(tmp_path / "toy.zip") == known
    expected = [f"toy: {done.message}", *known]
    assert list(packaged(new, tmp_path / "rebuilt.zip").warnings) == expected
    assert warned(tmp_path / "rebuilt.zip") == expected
    with pytest.raises(LedgerError, match="has campaign 'toy' with other rows"):
        rebuild(tmp_path, url, lambda *_: None)


def begun(folder: Path) -> tuple[Ledger, int]:
    """Register a campaign in a run directory, open a session, and submit attempts of two instances."""
    ledger = Ledger.open(str(folder / "ledger.sqlite"))
    number = ledger.register(rows.campaign(run_directory=str(folder)), [rows.benchmark()], rows.planned(3))
    rows.begin(ledger, number, "other pid 1 started 1")
    ledger.submit(number, 1, [rows.attempt(0), rows.attempt(1)])
    return ledger, number


def test_what_came_after_the_last_save_is_taken_from_journals(tmp_path: Path) -> None:
    ledger, _ = begun(tmp_path)
    ledger.close()
    save(str(tmp_path / "ledger.sqlite"), tmp_path)
    journal_file = RunDirectory(tmp_path).journal(1, "n1", "c1-0-n1-0-77")
    journal_file.parent.mkdir(parents=True)
    for report in (
        messages.report("t0.1", label="toy/0", **RUN),  # submitted before the save
        messages.report("t1.2", "running", label="toy/1", block_id="0", node="n1", at_us=rows.T0 + 5),
        messages.report("t1.2", "failed", label="toy/1", block_id="0", node="n1", at_us=rows.T0 + 6),
        messages.report("t9.1", label="toy/9", **RUN),  # of no instance
    ):
        journal.append(journal_file, report)
    new, done = rebuilt(tmp_path)
    assert (done.attempts, done.from_journals) == (2, 1)
    with Reader(new) as reader:
        assert reader.instance_counts(1) == {"done": 1, "planned": 2}
        first, second = reader.attempts_of(1, 1)
        assert (first.state, first.failure_reason) == ("lost", "ledger lost")
        assert (second.token, second.state, second.slot_shape) == ("t1.2", "failed", "c1")
        assert check(reader) == []


def test_a_part_that_was_cut_short_counts_for_nothing(tmp_path: Path) -> None:
    ledger, number = begun(tmp_path)
    folder = RunDirectory(tmp_path).saved_rows
    with ledger:
        saver = RowSaver(ledger, ledger.campaign("toy"), folder)
        saver.save()
        whole = (folder / "rows-1.gz").stat().st_size
        ledger.submit(number, 1, [rows.attempt(2)])
        saver.save()
        with (folder / "rows-1.gz").open("r+b") as stream:
            stream.truncate(whole + 40)
        assert len(read_saved(folder).rows["attempts"]) == 2
        RowSaver(ledger, ledger.campaign("toy"), folder).save()  # all anew
        assert len(read_saved(folder).rows["attempts"]) == 3
        assert [file.name for file in folder.glob("rows-*")] == ["rows-2.gz"]


def test_a_command_saves_after_the_driver_that_saves(tmp_path: Path) -> None:
    """A command may save while the last driver still packs, as its lease is returned."""
    ledger, _ = begun(tmp_path)
    folder = RunDirectory(tmp_path).saved_rows
    folder.mkdir(parents=True)
    with ledger:
        command = Thread(target=RowSaver(ledger, ledger.campaign("toy"), folder).save)
        driver = os.open(folder, os.O_RDONLY)
        fcntl.flock(driver, fcntl.LOCK_EX)
        command.start()
        wait_for(lambda: waits_for_a_lock() or not command.is_alive(), "the command to wait")
        assert not list(folder.iterdir())
        os.close(driver)
        command.join()
    assert [file.name for file in folder.glob("rows-*")] == ["rows-1.gz"]


def waits_for_a_lock() -> bool:
    """Return whether this process waits for a lock of a file."""
    lines = Path("/proc/locks").read_text().splitlines()
    return any("-> FLOCK" in line and f" {os.getpid()} " in line for line in lines)


def test_an_older_copy_of_the_ledger_does_not_go_on(tmp_path: Path) -> None:
    ledger, number = begun(tmp_path)
    folder = RunDirectory(tmp_path).saved_rows
    with ledger:
        RowSaver(ledger, ledger.campaign("toy"), folder).save()
        for name in ("fork", "older"):
            back_up(ledger, tmp_path / f"{name}.sqlite")
        ledger.note(number, "cores_free", "went on")
        RowSaver(ledger, ledger.campaign("toy"), folder).save()
    for name, words in (("older", "fewer than those"), ("fork", "other ones than those")):
        with Ledger(str(tmp_path / f"{name}.sqlite")) as other:
            if name == "fork":
                other.note(number, "cores_free", "went on elsewhere")
            with pytest.raises(CampaignError, match=words):
                refuse_older_ledger(other, other.campaign("toy"))
    with Ledger(str(tmp_path / "ledger.sqlite")) as own:
        refuse_older_ledger(own, own.campaign("toy"))


def test_an_event_that_got_its_number_before_the_saved_ones_is_saved_with_all_others(tmp_path: Path) -> None:
    """PostgreSQL numbers an event before its transaction ends, and a driver may save later ones meanwhile."""
    ledger, _ = begun(tmp_path)
    folder = RunDirectory(tmp_path).saved_rows

    def add(number: int) -> None:
        with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as other, other:
            other.execute(
                "INSERT INTO events (event_id, campaign_id, at_us, kind) VALUES (?, 1, ?, 'old')",
                [number] * 2,
            )

    with ledger:
        add(100)
        RowSaver(ledger, ledger.campaign("toy"), folder).save()
        saved = len(read_saved(folder).rows["events"])
        add(50)
        refuse_older_ledger(ledger, ledger.campaign("toy"))
        RowSaver(ledger, ledger.campaign("toy"), folder).save()
        assert len(read_saved(folder).rows["events"]) == saved + 1


def test_a_driver_that_may_run_keeps_its_ledger(tmp_path: Path) -> None:
    ledger, _ = begun(tmp_path)
    ledger.close()
    save(str(tmp_path / "ledger.sqlite"), tmp_path)
    RunDirectory(tmp_path).clock_file(1).write_text("0")
    with pytest.raises(CampaignError, match="driver other pid 1 may still run campaign toy"):
        rebuilt(tmp_path)
    assert not (tmp_path / "rebuilt.sqlite").exists()
