"""A campaign with one accepted instance, whose recordings tests put into its run directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db.ledger import Ledger
from tests.db import rows
from tests.db.rows import attempt, report
from tests.orchestrator.cli.command_line import CommandLine


@pytest.fixture
def shown(run: CommandLine, sqlite_url: str, tmp_path: Path) -> Callable[..., str]:
    """Return all that `instance show toy ...` prints; the run directory is the test's own folder."""
    with Ledger(sqlite_url) as ledger:
        number = ledger.register(
            rows.campaign(run_directory=str(tmp_path)), [rows.benchmark()], rows.planned(3)
        )
        rows.begin(ledger, number)
        order = attempt(0)
        ledger.submit(number, 1, [order])
        ledger.record(number, [report(order.token, "succeeded", fom_seconds=1.0)])

    def show(*words: str) -> str:
        done = run("instance", "show", "toy", *words, "--ledger", sqlite_url, cwd=tmp_path)
        return done.stdout + done.stderr

    return show
