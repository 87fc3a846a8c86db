"""A ledger with something in every table and every column, and texts that files trip over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from db.ledger import Ledger
from db.records import BlockRecord, NewPoint, NewSample
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
    environment = {"host": ODD[k // 2], "version": "1"}
    state, becomes = ("failed", InstanceState.PLANNED) if k == 0 else ("succeeded", InstanceState.DONE)
    given = {"metrics": metrics, "samples": samples, "environment": environment}
    return report(f"{name}-{k}.1", state, becomes, **given, **values)
