"""`fom` of a campaign that is not at its end."""

from __future__ import annotations

from typer.testing import CliRunner

from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.cli import app
from orchestrator.lifecycle.driver_process.identity import this_driver
from tests.db import rows
from tests.db.rows import attempt, report


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
