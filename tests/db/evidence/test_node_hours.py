"""Node-hours of campaigns that have ended, and of those that run."""

from __future__ import annotations

from db.evidence.node_hours import node_hours
from db.ledger import Ledger
from db.records import BlockRecord
from tests.db import rows

HOUR_US = 3_600_000_000


def block(number: int, began: float | None, ended: float | None = None, nodes: int = 4) -> BlockRecord:
    """Return a block that began and ended so many hours after it was requested."""
    times = [None if one is None else rows.T0 + round(one * HOUR_US) for one in (began, ended)]
    return BlockRecord("c1", str(number), str(number), "running", rows.T0, times[0], times[1], nodes, None)


def test_jobs_count_from_start_to_end_or_until_now(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        session = rows.begin(ledger, number)
        assert node_hours(ledger, number) is None
        ledger.record_blocks(number, session, [block(0, 1.0, 3.0), block(1, 2.0), block(2, None)])
        assert node_hours(ledger, number) == 8.0
        assert node_hours(ledger, number, rows.T0 + 4 * HOUR_US) == 16.0


def test_without_jobs_the_host_of_the_driver_counts(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        rows.begin(ledger, number)
        [session] = ledger.sessions_of(number)
        assert node_hours(ledger, number) is None
        assert node_hours(ledger, number, session.started_us + HOUR_US) == 1.0
