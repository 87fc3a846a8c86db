"""Batches of a driver are written in one transaction, which finds rows by their keys."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, select, text

from db.ledger import Ledger
from db.states import InstanceState
from db.tables import attempts, metrics
from db.writing import recording
from tests.db import rows

BATCHES = 8  # PostgreSQL keeps a plan after the fifth
SIZE = 50


def test_postgresql_reads_no_table_from_end_to_end_for_a_batch(postgres_url: str) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.register(ledger, instances=BATCHES * SIZE)
        session = rows.begin(ledger, number)
        for batch in range(BATCHES):
            mine = range(batch * SIZE, (batch + 1) * SIZE)
            with ledger._write() as connection:
                recording.submit(connection, number, session, [rows.attempt(k) for k in mine])
                to_submit = _whole_reads(connection)
            reports = [rows.report(f"t{k}.1", "succeeded", InstanceState.DONE, fom_seconds=1.0) for k in mine]
            with ledger._write() as connection:
                assert recording.record(connection, number, reports) == []
                to_record = _whole_reads(connection)
            assert to_submit == to_record == set()


@pytest.mark.parametrize("message", ["", "NULL", 'a "b" \\ {c, d}', "\\", "é\n\t'%s'", "{}", None])
def test_a_batch_keeps_texts_as_they_are(ledger_url: str, message: str | None) -> None:
    with Ledger.open(ledger_url) as ledger:
        number = rows.register(ledger, instances=2)
        ledger.submit(number, rows.begin(ledger, number), [rows.attempt(k) for k in range(2)])
        texts = [message, "another"]
        reports = [
            rows.report(f"t{k}.1", "failed", InstanceState.PLANNED, failure_message=text, exit_code=k)
            for k, text in enumerate(texts)
        ]
        assert ledger.record(number, reports) == []
        query = select(attempts.c.failure_message, attempts.c.exit_code).order_by(attempts.c.instance_id)
        with ledger._write() as connection:
            assert connection.execute(query).all() == [(text, k) for k, text in enumerate(texts)]


def _whole_reads(connection: Connection) -> set[str]:
    """Return the large tables that this transaction read from end to end."""
    read = connection.execute(text("SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0"))
    return {"attempts", "instances", "events"} & set(read.scalars())


def test_names_and_units_of_metrics_are_one_line(ledger_url: str) -> None:
    with Ledger.open(ledger_url) as ledger:
        number = rows.register(ledger, instances=1)
        ledger.submit(number, rows.begin(ledger, number), [rows.attempt(0)])
        odd = [("loss\npass", 1.0, "s\x1b[2J")]
        ledger.record(number, [rows.report("t0.1", "failed", InstanceState.PLANNED, metrics=odd)])
        with ledger.connection() as connection:
            kept = connection.execute(select(metrics.c.name, metrics.c.unit)).all()
        assert [tuple(one) for one in kept] == [("loss\\npass", "s\\x1b[2J")]
