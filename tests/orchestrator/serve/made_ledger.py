"""A ledger with a running campaign, and servers of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from db.ledger import Ledger
from db.records import NewInstance
from db.states import InstanceState
from tests.db import rows
from tests.harness import ROOT

ODD = "<b onload=alert(1)>&amp; Größe"
EACH = 130


def fill(url: str) -> int:
    """Register campaign `toy` with two benchmarks and a running driver; return its number.

    Of each benchmark, the first ten instances are done, the next is out of retries, three run.
    """
    names = ("p1b1", ODD)
    planned = [
        NewInstance(EACH * place + k, name, k, 2017 + EACH * place + k)
        for place, name in enumerate(names)
        for k in range(EACH)
    ]
    with Ledger(url) as ledger:
        number = ledger.register(
            rows.campaign(rulebook="none", site_name=ODD),
            [rows.benchmark(one, EACH) for one in names],
            planned,
        )
        rows.begin(ledger, number, seconds=36_000)
        tried = [one for one in planned if one.benchmark_index < 14]
        ledger.submit(number, 1, [rows.attempt(one.instance_id) for one in tried])
        ledger.record(number, [report_of(one) for one in tried])
    return number


def report_of(one: NewInstance) -> Any:
    values: dict[str, Any] = {"node": "n0<1>", "slot_index": 1, "process_start_us": rows.T0}
    token, index = f"t{one.instance_id}.1", one.benchmark_index
    if index > 10:
        return rows.report(token, "running", **values)
    values |= {"process_stop_us": rows.T0 + 5_000_000, "received_us": rows.T0 + 6_000_000}
    if index == 10:
        values |= {"failure_reason": "timeout", "failure_message": ODD, "stderr_tail": f"Traceback\n{ODD}\n"}
        return rows.report(token, "failed", InstanceState.EXHAUSTED, **values)
    metrics = (("energy_joules", 400.0, "J"),)
    return rows.report(
        token, "succeeded", InstanceState.DONE, fom_seconds=4.0 + index / 10, accuracy=0.9, metrics=metrics,
        **values,
    )  # fmt: skip


def finish(url: str, number: int, instance: int) -> None:
    """Accept the running attempt of an instance, as a driver does."""
    with Ledger(url) as ledger:
        done = rows.report(
            f"t{instance}.1",
            "succeeded",
            InstanceState.DONE,
            fom_seconds=9.5,
            received_us=rows.T0 + 9_000_000,
        )
        ledger.record(number, [done])


@contextmanager
def serving(url: str, folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a process of ``orchestrator serve`` on a free port, and the address that it printed."""
    words = [sys.executable, "-m", "orchestrator", "serve", "--port", "0", "--ledger", url, *options]
    with (folder / "serve.err").open("w") as errors:
        process = subprocess.Popen(
            words, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
            stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert "http://" in line, (folder / "serve.err").read_text()
            yield process, next(word for word in line.split() if word.startswith("http://"))
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            process.wait(60)
            process.stdout.close()
