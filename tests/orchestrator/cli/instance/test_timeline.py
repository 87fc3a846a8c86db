"""`instance show NAME INSTANCE --timeline`: drawn from a file, and what is missing in a line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from db.ledger import Ledger
from orchestrator.cli.instance.timeline import drawn
from orchestrator.rundir.layout import RunDirectory, recording_name
from tests.db import rows
from tests.db.rows import attempt, report
from tests.orchestrator.cli.command_line import CommandLine
from tests.workloads.runtime.test_horovod_timeline import TWO_TENSORS


def test_blocks_are_as_high_as_the_share_of_time() -> None:
    line = drawn([(0, 60), (90, 120), (590, 600)], 0, 600)
    assert line == "█" * 6 + " " * 3 + "█" * 3 + " " * 47 + "█"
    assert drawn([(0, 5)], 0, 600)[:2] == "▄ "
    assert drawn([], 3, 3) == " " * 60


def test_it_is_drawn_and_what_is_missing_is_said(run: CommandLine, sqlite_url: str, tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    with Ledger(sqlite_url) as ledger:
        number = ledger.register(
            rows.campaign(run_directory=str(tmp_path)), [rows.benchmark()], rows.planned(3)
        )
        rows.begin(ledger, number)
        order = attempt(0)
        ledger.submit(number, 1, [order])
        ledger.record(number, [report(order.token, "succeeded", fom_seconds=1.0)])

    def show(*words: str) -> str:
        done = run(
            "instance", "show", "toy", "toy/0", "--timeline", *words, "--ledger", sqlite_url, cwd=tmp_path
        )
        return done.stdout + done.stderr

    assert f"no timeline of toy/0, attempt 1, is in {directory.timelines}; `timeline: true`" in show()
    directory.slowest_timelines.mkdir(parents=True)
    file = directory.slowest_timelines / recording_name("toy", 0, 1)
    file.write_bytes(b"not a gzip file")
    assert f"error: {file} cannot be read as a timeline" in show()
    file.write_bytes(gzip.compress(json.dumps(TWO_TENSORS).encode()))
    shown = show()
    assert "negotiate allreduce" in shown
    assert "rank 1: 100% of the operations" in shown
    facts = json.loads(show("--json"))
    assert facts["activities"]["ALLREDUCE"]["bytes"] == 2402
    assert facts["last_ranks"] == {"1": 2}
