"""A block whose end no driver saw ends at its last sign of life, not when somebody asks."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from db.ledger import Ledger
from db.queries.blocks import unended_blocks
from db.records import BlockRecord
from db.states import UNSEEN_END
from orchestrator.lifecycle.recovery.unseen_ends import unseen_ends
from orchestrator.rundir.layout import RunDirectory, journal_name
from tests.db import rows
from tests.db.rows import T0, attempt

SECOND = 1_000_000


def changed(file: Path, at_us: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    os.utime(file, ns=(at_us * 1000, at_us * 1000))


def registered(ledger: Ledger, folder: Path) -> int:
    campaign = replace(rows.campaign(), run_directory=str(folder))
    number = ledger.register(campaign, [rows.benchmark(instances=2)], rows.planned(2))
    rows.begin(ledger, number)
    kept = [
        BlockRecord("c1", block, str(70 + int(block)), "running", T0, T0 + SECOND, None, 2, None)
        for block in ("0", "1", "10")
    ]
    ledger.record_blocks(number, 1, kept)
    return number


def test_files_of_pools_and_jobs_and_attempts_are_signs_of_life(ledger_url: str, tmp_path: Path) -> None:
    with Ledger(ledger_url) as ledger:
        number = registered(ledger, tmp_path)
        ledger.submit(number, 1, [attempt(0)])
        last = T0 + 90 * SECOND
        ledger.record(
            number, [rows.report("t0.1", "running", block_id="10", process_start_us=last, slot_shape="c1")]
        )
        parsl = RunDirectory(tmp_path).parsl(1)
        changed(parsl / "000" / "c1" / "block-0" / "a" / "manager.log", T0 + 20 * SECOND)
        changed(parsl / "000" / "c1" / "block-0" / "b" / "manager.log", T0 + 30 * SECOND)
        changed(parsl / "000" / "other.c1" / "block-1" / "b" / "manager.log", T0 + 99 * SECOND)
        changed(parsl / "blocks" / "c1.block-1.123.4.out", T0 + 40 * SECOND)
        changed(parsl / "000" / "submit_scripts" / "parsl.c1.block-1.123.4.sh.ec", T0 + 50 * SECOND)
        row = ledger.campaign("toy")
        assert unseen_ends(ledger, row, alive=()) == {
            (1, "c1", "0"): T0 + 30 * SECOND,
            (1, "c1", "1"): T0 + 50 * SECOND,
            (1, "c1", "10"): last,
        }
        assert unseen_ends(ledger, row, alive={"70", "71"}).keys() == {(1, "c1", "10")}


def test_the_sessions_driver_and_the_blocks_workers_are_signs_of_life_and_the_future_is_none(
    ledger_url: str, tmp_path: Path
) -> None:
    """The driver that lived then would have seen the end of a block."""
    with Ledger(ledger_url) as ledger:
        registered(ledger, tmp_path)
        directory, row = RunDirectory(tmp_path), ledger.campaign("toy")
        changed(directory.clock_file(1), T0 + 60 * SECOND)
        changed(directory.clock_file(2), T0 + 99 * SECOND)
        assert set(unseen_ends(ledger, row, ()).values()) == {T0 + 60 * SECOND}
        changed(directory.journal(1, "n1", f"{journal_name('c1', '10')}n1-0-7"), T0 + 70 * SECOND)
        changed(directory.parsl(1) / "blocks" / "c1.block-0.1.2.out", T0 + 80 * SECOND)
        changed(directory.parsl(1) / "blocks" / "c1.block-1.1.2.out", 2 * time.time_ns() // 1000)
        assert unseen_ends(ledger, row, ()) == {
            (1, "c1", "0"): T0 + 80 * SECOND,
            (1, "c1", "1"): T0 + 60 * SECOND,
            (1, "c1", "10"): T0 + 70 * SECOND,
        }


def test_blocks_that_ran_until_now_end_now_and_the_others_before(ledger_url: str, tmp_path: Path) -> None:
    with Ledger(ledger_url) as ledger:
        number = registered(ledger, tmp_path)
        ledger.end_session(number, 1, "me", "driver_died")
        unseen = {(1, "c1", "0"): T0 + 5 * SECOND, (1, "c1", "1"): 2**60}
        assert ledger.end_blocks(number, unseen) == 3
        assert unended_blocks(ledger, number) == []
    with rows.raw(ledger_url) as connection:
        every = connection.exec_driver_sql("SELECT block_id, ended_us, message FROM blocks").fetchall()
    found = {block: (ended, message) for block, ended, message in every}
    assert found["0"] == (T0 + 5 * SECOND, UNSEEN_END)
    assert found["1"] == (found["10"][0], UNSEEN_END)  # never later than now
    assert found["10"][1] is None
