"""Attempts that have not ended."""

from __future__ import annotations

from db.ledger import Ledger
from db.queries.live_counts import Open, any_succeeded, failures_of_open, open_by_instance
from db.states import AttemptState, InstanceState
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
        assert open_by_instance(ledger, number) == {
            ("toy", 0): Open(T0 + 7, "c1"),
            ("toy", 1): Open(T0, "c1"),
            ("toy", 3): Open(None, "c1"),
        }


def test_how_attempts_of_a_session_ended(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=3)
        assert not any_succeeded(ledger, number, 1)
        failed = {"failure_category": "benchmark"}
        ledger.record(
            number,
            [
                report("toy-t0.1", "failed", InstanceState.PLANNED, **failed),
                report("toy-t1.1", "timed_out", InstanceState.EXHAUSTED, **failed),
                report("toy-t2.1", "succeeded", InstanceState.DONE),
            ],
        )
        assert failures_of_open(ledger, number, 1) == [(0, AttemptState.FAILED, "benchmark")]
        assert failures_of_open(ledger, number, 2) == []
        assert any_succeeded(ledger, number, 1)
        assert not any_succeeded(ledger, number, 2)
