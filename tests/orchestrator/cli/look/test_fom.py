"""`fom` of a campaign that is not at its end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from typer.testing import CliRunner

from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.cli import app
from orchestrator.lifecycle.driver_process.identity import this_driver
from tests.db import rows
from tests.db.rows import attempt, report
from tests.harness import ROOT


def shown(url: str) -> list[str]:
    return CliRunner().invoke(app, ["fom", "toy", "--ledger", url]).stdout.splitlines()


def test_one_that_runs_says_so_and_what_was_not_tried_has_one_reason(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger, "toy", 3)
        session = rows.begin(ledger, number, this_driver())
        first, *lines = shown(sqlite_url)
        assert (
            first == "toy is running: 0 of 3 instances are done; these are interim figures, not the verdict"
        )
        assert [line for line in lines if line.startswith("  toy: ")] == ["  toy: no attempt has ended"]
        ledger.submit(number, session, [attempt(0, token="t")])
        ledger.record(number, [report("t", "failed", InstanceState.EXHAUSTED)])
        ledger.end_session(number, session, this_driver(), "drained")
    first, *lines = shown(sqlite_url)
    assert first.startswith("toy is not at its end: 0 of 3 instances are done; ")
    assert f"; `orchestrator resume toy --ledger {sqlite_url}` goes on" in first
    assert "  toy: no attempt has ended" not in lines


def test_benchmarks_share_a_line_where_their_reason_is_the_same(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as ledger:
        ledger.executescript((ROOT / "tests" / "golden" / "ledgers" / "demo.sql").read_text())
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    lines = CliRunner().invoke(app, ["fom", "demo", "--ledger", url]).stdout.splitlines()
    reasons = lines[lines.index("not reportable:") + 1 :]
    assert "  p1b1, p3b1, resnet50: an accepted instance read synthetic data" in reasons
    assert sum("synthetic" in line for line in reasons) == 1
    assert "  group resnet50 has no FOM" in reasons
