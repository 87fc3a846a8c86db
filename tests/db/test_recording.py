"""Batches of a driver are written in one transaction, which finds rows by their keys."""

from __future__ import annotations

from sqlalchemy import Connection, text

from db import recording
from db.ledger import Ledger
from db.states import InstanceState
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


def _whole_reads(connection: Connection) -> set[str]:
    """Return the large tables that this transaction read from end to end."""
    read = connection.execute(text("SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0"))
    return {"attempts", "instances", "events"} & set(read.scalars())
