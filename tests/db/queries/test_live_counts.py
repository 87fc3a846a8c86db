"""Attempts that have not ended."""

from __future__ import annotations

from db.ledger import Ledger
from db.queries.live_counts import open_since
from db.states import InstanceState
from tests.db import rows
from tests.db.rows import T0, report


def test_attempts_that_run_and_that_wait_for_a_slot(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=4)
        ledger.record(
            number,
            [
                report("toy-t0.1", "running", process_start_us=T0 + 7),
                report("toy-t1.1", "running"),
                report("toy-t2.1", "succeeded", InstanceState.DONE),
            ],
        )
        assert open_since(ledger, number) == {("toy", 0): T0 + 7, ("toy", 1): T0, ("toy", 3): None}
