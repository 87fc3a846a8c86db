"""One reading of the time left for everybody, and the reason where nothing runs."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from db.ledger import Ledger
from db.records import BlockRecord
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.monitoring.estimate import LedgerEstimate, expected_runtimes
from orchestrator.monitoring.outlook import holdup
from tests.db import rows
from tests.db.rows import T0

_FILE = """
campaign: toy
benchmarks:
  - {workload: p1b1, instances: 3, timeout: 1 h, expected_runtime: 10 min}
  - {workload: lstm, instances: 3, timeout: 1 h}
"""


def registered(book: Ledger, folder: Path) -> int:
    """Register a campaign that this process runs; return its number."""
    row = replace(rows.campaign(), campaign_yaml=_FILE, run_directory=str(folder))
    number = book.register(row, [rows.benchmark("p1b1", 3)], rows.planned(3, "p1b1"))
    rows.begin(book, number, this_driver())
    return number


def test_launch_and_status_say_the_same(sqlite_url: str, tmp_path: Path) -> None:
    with Ledger(sqlite_url) as book:
        registered(book, tmp_path)
        row = book.campaign("toy")
        said = str(CampaignStatus.read(book, row).progress.time_left)
        assert expected_runtimes(row) == {"p1b1": 600.0}
        assert expected_runtimes(replace(row, campaign_yaml="campaign: [")) == {}
        estimate, until = LedgerEstimate(sqlite_url), time.monotonic() + 60
        while not (words := estimate("toy")) and time.monotonic() < until:
            pass
    assert said == "about 20 min 00 s left, by expected_runtime of p1b1"
    assert words == f"{said}  the engine starts; no block has been requested yet"


def test_why_nothing_runs(sqlite_url: str, tmp_path: Path) -> None:
    with Ledger(sqlite_url) as book:
        number, row = registered(book, tmp_path), book.campaign("toy")
        block = BlockRecord("c1", "1", "76", "queued", T0, None, None, 2, "PENDING (Priority)")
        book.record_blocks(number, 1, [block])
        assert holdup(book, row, T0) == "block 1 (job 76) of 2 nodes is queued: PENDING (Priority)"
        book.record_blocks(number, 1, [replace(block, state="running", started_us=T0)])
        assert holdup(book, row, T0) == "workers and trainings start"
