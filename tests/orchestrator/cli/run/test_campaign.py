"""The end of a launch or resume, as people read it."""

from __future__ import annotations

from pathlib import Path

from db.ledger import Ledger
from db.states import InstanceState, RunOutcome
from orchestrator.cli.run.campaign import _next_commands
from orchestrator.lifecycle.session.run_session import RunResult
from tests.db import rows


def test_one_that_is_out_of_retries_now_is_pointed_to_its_logs(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger)
        ledger.record(number, [rows.report("toy-t0.1", "failed", InstanceState.EXHAUSTED)])
        ledger.reopen_exhausted(number)
        ledger.record(number, [rows.report("toy-t1.1", "failed", InstanceState.EXHAUSTED)])
    ended = RunResult("toy", RunOutcome.EXHAUSTED, 3, 0, 1, Path("runs"), sqlite_url)
    commands = _next_commands(ended, sqlite_url, None)
    assert commands[0] == f"orchestrator logs toy toy/1 --ledger {sqlite_url}"
    assert commands[1] == f"orchestrator resume toy --ledger {sqlite_url} --retry-exhausted"
