"""The end of a launch or resume, as people read it."""

from __future__ import annotations

from pathlib import Path

from db.events import EventKind
from db.ledger import Ledger
from db.states import RunOutcome
from orchestrator.cli.run.campaign import _next_commands
from orchestrator.lifecycle.session.run_session import RunResult
from tests.db import rows


def test_one_that_is_out_of_retries_is_pointed_to_the_logs_of_its_last_failure(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger)
        for label in ("lstm/0", "lstm/7"):
            ledger.note(number, EventKind.INSTANCE_EXHAUSTED, "gave up", subject=label)
    ended = RunResult("toy", RunOutcome.EXHAUSTED, 2, 0, 2, Path("runs"), sqlite_url)
    commands = _next_commands(ended, sqlite_url, None)
    assert commands[0] == f"orchestrator logs toy lstm/7 --ledger {sqlite_url}"
    assert commands[1] == f"orchestrator resume toy --ledger {sqlite_url} --retry-exhausted"
