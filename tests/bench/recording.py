"""What the ledger's guarantees cost beside bare ``sqlite3`` inserts of the same attempts."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

from db.ledger import Ledger
from db.records import LedgerReport, NewAttempt, NewBenchmark, NewCampaign, NewInstance
from db.states import AttemptState

INSTANCES = 20_000
BATCH = 500
ROUNDS = 3
METRICS = tuple((f"metric_{k}", float(k), "s") for k in range(5))


def main() -> None:
    """Print rows per second of both, and their ratio."""
    ours, theirs, registered = [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            theirs.append(bare(Path(folder)))
            registering, recording = ledger(Path(folder))
            registered.append(registering)
            ours.append(recording)
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(
        f"recording  {INSTANCES} attempts with start, end and 5 metrics on SQLite, median of {ROUNDS}: "
        f"ledger {INSTANCES / mine:.0f}/s, bare sqlite3 {INSTANCES / other:.0f}/s, ratio {mine / other:.1f}; "
        f"registering {INSTANCES / statistics.median(registered):.0f} instances/s"
    )


def ledger(folder: Path) -> tuple[float, float]:
    """Return seconds to register the instances, and to record submission, start and end of each."""
    with Ledger.open(str(folder / "ledger.sqlite")) as book:
        campaign = NewCampaign("bench", "uid", "", "local", "", "coral2", "base", str(folder), str(folder))
        benchmark = NewBenchmark("toy", "toy", INSTANCES, "{}", "{}", None, None, None)
        begin = time.monotonic()
        number = book.register(campaign, [benchmark], (NewInstance(k, "toy", k, k) for k in range(INSTANCES)))
        registering = time.monotonic() - begin
        begin = time.monotonic()
        for start in range(0, INSTANCES, BATCH):
            keys = range(start, start + BATCH)
            book.submit(number, 1, [NewAttempt(k, 1, f"t{k}", "c1", k) for k in keys])
            book.record(number, [LedgerReport(f"t{k}", AttemptState.RUNNING, k) for k in keys])
            book.record(
                number,
                [
                    LedgerReport(
                        f"t{k}", AttemptState.SUCCEEDED, k, {"fom_seconds": 1.0, "accuracy": 0.5}, METRICS
                    )
                    for k in keys
                ],
            )
        return registering, time.monotonic() - begin


def bare(folder: Path) -> float:
    """Return seconds for the same facts as plain inserts and updates, one commit per batch."""
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE attempts (id INTEGER PRIMARY KEY, state TEXT, seconds REAL, accuracy REAL)"
    )
    connection.execute("CREATE TABLE metrics (id INTEGER, name TEXT, value REAL, unit TEXT)")
    begin = time.monotonic()
    for start in range(0, INSTANCES, BATCH):
        keys = [(k,) for k in range(start, start + BATCH)]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO attempts VALUES (?, 'submitted', NULL, NULL)", keys)
        connection.executemany("UPDATE attempts SET state = 'running' WHERE id = ?", keys)
        connection.executemany(
            "UPDATE attempts SET state = 'succeeded', seconds = 1.0, accuracy = 0.5 WHERE id = ?", keys
        )
        connection.executemany(
            "INSERT INTO metrics VALUES (?, ?, ?, ?)", [(k, *metric) for (k,) in keys for metric in METRICS]
        )
        connection.execute("COMMIT")
    connection.close()
    return time.monotonic() - begin
