"""Memory and CPU time count for accepted attempts alone."""

from __future__ import annotations

from db.evidence.resources import Resources, resources
from db.ledger import Ledger
from tests.db import rows
from tests.db.rows import attempt, report


def test_only_accepted_attempts_count(ledger_url: str) -> None:
    with Ledger.open(ledger_url) as ledger:
        benchmarks = [rows.benchmark("b", 2), rows.benchmark("a", 1), rows.benchmark("none", 1)]
        planned = [*rows.planned(2, "b"), *rows.planned(1, "a", first=2), *rows.planned(1, "none", first=3)]
        number = ledger.register(rows.campaign(), benchmarks, planned)
        rows.begin(ledger, number)
        orders = [attempt(0), attempt(1), attempt(2)]
        ledger.submit(number, 1, orders)
        reports = [
            report(orders[0].token, "succeeded", peak_memory_bytes=5, cpu_seconds=1.0),
            report(orders[1].token, "succeeded", peak_memory_bytes=9, cpu_seconds=3.0),
            report(orders[2].token, "failed", peak_memory_bytes=99, cpu_seconds=99.0),
        ]
        ledger.record(number, reports)
        assert resources(ledger, number) == [Resources("b", 9, 2.0, 3.0)]
