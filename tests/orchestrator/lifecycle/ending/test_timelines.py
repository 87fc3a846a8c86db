"""Only the timeline of the slowest accepted instance is kept where only that was asked for."""

from __future__ import annotations

from pathlib import Path

from db.ledger import Ledger
from orchestrator.lifecycle.ending.timelines import keep_slowest
from orchestrator.rundir.layout import RunDirectory, recording_name
from tests.db import rows
from tests.db.rows import attempt, report


def test_all_but_the_slowest_accepted_one_are_removed(sqlite_url: str, tmp_path: Path) -> None:
    folder = RunDirectory(tmp_path).slowest_timelines
    folder.mkdir(parents=True)
    with Ledger(sqlite_url) as ledger:
        benchmarks = [rows.benchmark("b-1", 3), rows.benchmark("failed", 1)]
        planned = [*rows.planned(3, "b-1"), *rows.planned(1, "failed", first=3)]
        number = ledger.register(rows.campaign(run_directory=str(tmp_path)), benchmarks, planned)
        rows.begin(ledger, number)
        orders = [attempt(instance) for instance in range(4)]
        ledger.submit(number, 1, orders)
        seconds = (5.0, 9.0, 7.0)
        times = [
            report(order.token, "succeeded", fom_seconds=one)
            for order, one in zip(orders, seconds, strict=False)
        ]
        ledger.record(number, [*times, report(orders[3].token, "failed")])
        kept = recording_name("b-1", 1, 1)
        failed = recording_name("failed", 0, 1)
        others = [recording_name("b-1", 0, 1), recording_name("b-1", 2, 1), recording_name("b-1", 1, 2)]
        for name in (kept, failed, *others, "unknown-0.1.json.gz", "notes.txt"):
            (folder / name).touch()
        keep_slowest(ledger, ledger.campaign("toy"))
    left = {path.name for path in folder.iterdir()}
    assert left == {kept, failed, "unknown-0.1.json.gz", "notes.txt"}
