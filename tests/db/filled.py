"""A ledger with something in every table and every column, and texts that files trip over.

``python -m tests.db.filled`` keeps such a ledger of this schema in ``tests/db/schemas``.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from db.columns import SCHEMA
from db.ledger import Ledger
from db.records import BlockRecord, NewCurve, NewPoint, NewSample
from db.states import InstanceState
from tests.db import rows
from tests.db.rows import T0, attempt, report

ODD = [
    "",
    "\\",
    "\\N",
    '"quoted", and, commas',
    "lines\nof\r\nall\rkinds",
    "tab\there",
    " spaces ",
    "NULL",
    "½ µs – 時間 🕰",
    "\\\\server",
    "=1+1",
    "'single'",
]
NUMBERS = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 12345678901234567.0]
LIVED: dict[str, Any] = {
    "failure_category": "benchmark",
    "failure_message": "",
    "block_id": "0",
    "node": "n1",
    "slot_index": 0,
    "cores": "0,1",
    "devices": "GPU-a",
    "process_start_us": T0 + 1,
    "ready_us": T0 + 2,
    "run_start_us": T0 + 3,
    "timed_window_start_us": T0 + 4,
    "timed_window_stop_us": T0 + 5,
    "run_stop_us": T0 + 6,
    "process_stop_us": T0 + 7,
    "received_us": T0 + 8,
    "clock_offset_max_us": 250_000,
    "run_start_arrived_us": T0 + 3,
    "timed_window_start_arrived_us": T0 + 4,
    "timed_window_stop_arrived_us": T0 + 5,
    "run_stop_arrived_us": T0 + 6,
    "run_start_cpu_seconds": 0.25,
    "timed_window_stop_cpu_seconds": 0.4,
    "run_stop_cpu_seconds": 0.45,
    "clock_offset_min_us": -250_000,
    "exit_code": 0,
    "signal": "SIGTERM",
    "peak_memory_bytes": 2**40 + 1,
    "cpu_seconds": 0.5,
    "observed": {"cpuset": [0, 1]},
    "data_facts": {"synthetic": True},
    "stdout_path": "/runs/a.out",
    "stderr_path": "/runs/a.err",
}


def fill(url: str, name: str = "toy", directory: Path | None = None) -> int:
    """Register a campaign and run it, by hand, to its end; return its number."""
    count = len(ODD)
    with Ledger(url) as ledger:
        spec = f"campaign: {name}  # {ODD[8]}\n"
        where = str(directory or f"/runs/{name}")
        number = ledger.register(
            replace(rows.campaign(name), campaign_yaml=spec, run_directory=where),
            [
                rows.benchmark(instances=count),
                rows.benchmark("other", 2, timeout_seconds=None, quality_metric="m", quality_target=0.5),
            ],
            [*rows.planned(count), *rows.planned(2, "other", first=count)],
            [
                NewPoint("toy", "batch_size", 0, "toys", "64", 64.0),
                NewPoint("other", "gpus", 0, "swept", "1/4", 0.25),
                NewPoint("other", "loader", 1, "swept", ODD[8], None),
                NewPoint("other", "empty", 2, "swept", "", None),
            ],
        )
        session = rows.begin(ledger, number)
        ledger.record_blocks(
            number,
            session,
            [BlockRecord("c1", "0", "job 7", "released", T0, T0 + 1, T0 + 9, 2, None, "fast")],
        )
        ledger.submit(number, session, [attempt(k, token=f"{name}-{k}.1") for k in range(count)])
        ledger.record(number, [report(f"{name}-0.1", "running", node="n1")])
        ledger.record(number, [_end(name, k) for k in range(count)])
        ledger.submit(number, session, [attempt(0, 2, f"{name}-0.2")])
        ledger.record(number, [report(f"{name}-0.2", "lost", InstanceState.EXHAUSTED, received_us=T0 + 9)])
        ledger.record(number, [report(f"{name}-0.2", "succeeded", fom_seconds=1.0)])  # evidence
        ledger.end_session(number, session, "me", "exhausted")
    return number


def _end(name: str, k: int) -> Any:
    values = LIVED | {"failure_reason": ODD[k], "stderr_tail": ODD[k], "accuracy": NUMBERS[k % len(NUMBERS)]}
    values["fom_seconds"] = NUMBERS[k % len(NUMBERS)]
    metrics = (
        ("energy_joules", 3.6e6, "J"),
        ("loss", NUMBERS[k % len(NUMBERS)], ""),
        (f"odd {ODD[k]}", float("nan"), "1/s"),
    )
    samples = (
        NewSample("gpu_power", "n1", "GPU-a", "W", "nvml", T0 + 3, "[[0.0, 250.5, 200, 301.2], [2.5, 90]]"),
        NewSample("odd", ODD[k], ODD[8], "", ODD[k], T0, "[]"),
    )
    curves = (
        NewCurve("loss", "epoch", "[[1, 0.5], [2, 0.25]]"),
        NewCurve(f"odd {ODD[k]}", "step", "[[1, null]]"),
    )
    environment = {"host": ODD[k // 2], "version": "1"}
    state, becomes = ("failed", InstanceState.PLANNED) if k == 0 else ("succeeded", InstanceState.DONE)
    given = {"metrics": metrics, "samples": samples, "curves": curves, "environment": environment}
    return report(f"{name}-{k}.1", state, becomes, **given, **values)


def main() -> None:
    """Write a filled ledger of this schema unless one is kept."""
    kept = Path(__file__).parent / "schemas" / f"{SCHEMA}.sql"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.sqlite"
        Ledger.open(f"sqlite:///{file}").close()
        fill(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection, kept.open("x", newline="") as text:
            text.writelines(f"{line}\n" for line in connection.iterdump())
    print(kept)


if __name__ == "__main__":
    main()
