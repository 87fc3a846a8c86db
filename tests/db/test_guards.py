"""The database itself refuses to change what is final, whoever asks."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db.ledger import Ledger
from db.states import FINAL_STATES, InstanceState
from tests.db import rows
from tests.db.rows import report


@pytest.fixture
def filled_url(ledger_url: str) -> str:
    """A ledger with one attempt per final state (instances 0 to 4), and one open attempt (5)."""
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=6)
        ledger.record(
            number,
            [
                report(
                    f"toy-t{k}.1", state, InstanceState.PLANNED, fom_seconds=1.0, metrics=(("m", 1.0, ""),)
                )
                for k, state in enumerate(FINAL_STATES)
            ],
        )
    return ledger_url


def refused(url: str, statement: str) -> str:
    """Execute a statement that must fail and change nothing; return the database's words."""
    before = rows.everything(url)
    with pytest.raises(DBAPIError) as caught, rows.raw(url) as connection:
        connection.execute(text(statement))
    assert rows.everything(url) == before
    return str(caught.value.orig)


def test_a_final_attempt_never_changes(filled_url: str) -> None:
    for instance in range(len(FINAL_STATES)):
        for change in ("fom_seconds = 0.001", "state = 'running'", "state = 'succeeded'", "token = 'x'"):
            said = refused(filled_url, f"UPDATE attempts SET {change} WHERE instance = {instance}")
            assert "a final attempt never changes" in said


def test_one_final_attempt_protects_the_whole_statement(filled_url: str) -> None:
    assert "never changes" in refused(filled_url, "UPDATE attempts SET fom_seconds = 0")


def test_an_open_attempt_may_still_change(filled_url: str) -> None:
    with rows.raw(filled_url) as connection:
        changed = connection.execute(text("UPDATE attempts SET node = 'n' WHERE instance = 5"))
    assert changed.rowcount == 1


def test_attempts_are_never_deleted(filled_url: str) -> None:
    for instance in range(6):
        said = refused(filled_url, f"DELETE FROM attempts WHERE instance = {instance}")
        assert "attempts are never deleted" in said


def test_events_never_change(filled_url: str) -> None:
    for statement in ("UPDATE events SET detail = 'x'", "UPDATE events SET at_us = 0", "DELETE FROM events"):
        assert "events are never" in refused(filled_url, statement)


def test_metrics_never_change(filled_url: str) -> None:
    for statement in ("UPDATE metrics SET value = 0", "DELETE FROM metrics"):
        assert "metrics are never" in refused(filled_url, statement)


def test_an_accepted_instance_never_changes(filled_url: str) -> None:
    for change in ("accepted_attempt = 2", "accepted_attempt = NULL", "state = 'planned'"):
        said = refused(filled_url, f"UPDATE instances SET {change} WHERE accepted_attempt = 1")
        assert "accepted once" in said


def test_an_instance_with_attempts_is_not_deleted(filled_url: str) -> None:
    assert "foreign key" in refused(filled_url, "DELETE FROM instances WHERE instance = 0").lower()


def test_no_row_is_replaced(filled_url: str) -> None:
    """SQLite's REPLACE deletes the old row without asking its triggers, unless told otherwise."""
    verb = "INSERT OR REPLACE" if filled_url.startswith("sqlite") else "INSERT"
    attempts = "attempts (campaign, instance, attempt, token, session, state, submitted_us)"
    instances = "instances (campaign, instance, benchmark, number, seed, state)"
    for into in (
        f"{attempts} VALUES (1, 1, 1, 'forged', 1, 'succeeded', 1)",
        f"{attempts} VALUES (1, 1, 2, 'toy-t1.1', 1, 'succeeded', 1)",
        f"{instances} VALUES (1, 0, 'toy', 77, 77, 'planned')",
        f"{instances} VALUES (1, 77, 'toy', 77, 2017, 'planned')",
        f"{instances} VALUES (1, 77, 'toy', 0, 77, 'planned')",
        "metrics VALUES (1, 0, 1, 'm', 0, '')",
        "events (event, campaign, at_us, kind) VALUES (1, 1, 1, 'forged')",
    ):
        refused(filled_url, f"{verb} INTO {into}")


def test_tables_are_not_emptied(postgres_url: str) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.started(ledger)
        ledger.record(
            number, [report("toy-t0.1", "failed", InstanceState.PLANNED, metrics=(("m", 1.0, ""),))]
        )
    for table in ("attempts", "metrics", "events", "instances", "campaigns"):
        assert "never deleted" in refused(postgres_url, f"TRUNCATE {table} CASCADE")
