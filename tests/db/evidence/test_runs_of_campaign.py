"""The accepted runs of a whole campaign, and why the others are none, on both databases."""

from __future__ import annotations

from db.evidence.runs_of_campaign import accepted_metrics, accepted_runs, unaccepted
from db.ledger import Ledger
from db.states import InstanceState
from db.writing.superseding import Missed
from tests.db import rows


def test_runs_metrics_and_reasons_are_those_of_the_campaign(ledger_url: str) -> None:
    with Ledger.open(ledger_url) as book:
        rows.started(book, 2, "other")
        number = rows.started(book, 7)
        ends = [
            ("failed", None, {"failure_reason": "crashed"}),
            ("succeeded", InstanceState.DONE, {"fom_seconds": 2.0, "accuracy": 0.5}),
            ("failed", InstanceState.EXHAUSTED, {"failure_reason": "out of memory"}),
            ("failed", InstanceState.EXHAUSTED, {}),
            ("failed", InstanceState.PLANNED, {"failure_reason": "crashed"}),
            ("succeeded", InstanceState.DONE, {"fom_seconds": 3.0, "accuracy": 0.1}),
        ]
        book.record(
            number,
            [
                rows.report(
                    f"toy-t{k}.1", state, becomes, metrics=(("load_seconds", 1.0 + k, "s"),), **values
                )
                for k, (state, becomes, values) in enumerate(ends)
            ],
        )
        book.supersede(number, "toy", [Missed(5, "toy/5", 0.1)], book.campaign("toy").lease_owner)
        [run] = accepted_runs(book, number)
        assert (run.instance_id, run.benchmark, run.fom_seconds, run.accuracy) == (1, "toy", 2.0, 0.5)
        metrics = [tuple(one) for one in accepted_metrics(book, number)]
        assert metrics == [(1, "load_seconds", 2.0, "s"), (5, "load_seconds", 6.0, "s")]
        assert unaccepted(book, number) == {
            "toy": {"out of memory": 1, "exhausted": 1, "running": 2, "not run yet": 2}
        }
