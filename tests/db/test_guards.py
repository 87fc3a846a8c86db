"""The database itself refuses to change what is final, whoever asks."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db.connection.connect import make_engine, parse_url
from db.ledger import Ledger
from db.records import NewCurve, NewSample
from db.states import FINAL_STATES, InstanceState
from tests.db import rows
from tests.db.rows import report

SAMPLES = (NewSample("gpu_power", "n1", "GPU-a", "W", "nvml", 1, "[[0, 1]]"),)
CURVES = (NewCurve("loss", "epoch", "[[1, 0.5]]"),)


@pytest.fixture
def filled_url(ledger_url: str) -> str:
    """A ledger with one attempt per final state (instances 0 to 4), and one open attempt (5)."""
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=6)
        ledger.record(
            number,
            [
                report(
                    f"toy-t{k}.1",
                    state,
                    InstanceState.PLANNED,
                    fom_seconds=1.0,
                    metrics=(("m", 1.0, ""),),
                    samples=SAMPLES,
                    curves=CURVES,
                )
                for k, state in enumerate(FINAL_STATES)
            ],
        )
    return ledger_url


def refused(url: str, because: str, statements: Iterable[str]) -> None:
    """Check that each statement fails for a reason, and that all of them together change nothing."""
    before = rows.everything(url)
    engine = make_engine(parse_url(url), read_only=False)
    try:
        for statement in statements:
            with pytest.raises(DBAPIError, match=because), engine.begin() as connection:
                connection.execute(text(statement))
    finally:
        engine.dispose()
    assert rows.everything(url) == before


def test_a_final_attempt_never_changes(filled_url: str) -> None:
    changes = ("fom_seconds = 0.001", "state = 'running'", "state = 'succeeded'", "token = 'x'")
    refused(
        filled_url,
        "a final attempt never changes",
        [
            f"UPDATE attempts SET {change} WHERE instance_id = {instance}"
            for instance in range(len(FINAL_STATES))
            for change in changes
        ],
    )


def test_one_final_attempt_protects_the_whole_statement(filled_url: str) -> None:
    refused(filled_url, "never changes", ["UPDATE attempts SET fom_seconds = 0"])


def test_an_open_attempt_may_still_change(filled_url: str) -> None:
    with rows.raw(filled_url) as connection:
        changed = connection.execute(text("UPDATE attempts SET node = 'n' WHERE instance_id = 5"))
    assert changed.rowcount == 1


def test_attempts_are_never_deleted(filled_url: str) -> None:
    deletes = [f"DELETE FROM attempts WHERE instance_id = {instance}" for instance in range(6)]
    refused(filled_url, "attempts are never deleted", deletes)


def test_events_never_change(filled_url: str) -> None:
    changes = ["UPDATE events SET message = 'x'", "UPDATE events SET at_us = 0", "DELETE FROM events"]
    refused(filled_url, "events are never", changes)


def test_metrics_never_change(filled_url: str) -> None:
    refused(filled_url, "metrics are never", ["UPDATE metrics SET value = 0", "DELETE FROM metrics"])


def test_samples_never_change(filled_url: str) -> None:
    refused(filled_url, "samples are never", ["UPDATE samples SET points = '[]'", "DELETE FROM samples"])


def test_curves_never_change(filled_url: str) -> None:
    refused(filled_url, "curves are never", ["UPDATE curves SET points = '[]'", "DELETE FROM curves"])


def test_an_accepted_instance_never_changes(filled_url: str) -> None:
    changes = ("accepted_attempt = 2", "accepted_attempt = NULL", "state = 'planned'")
    refused(
        filled_url,
        "accepted once",
        [f"UPDATE instances SET {change} WHERE accepted_attempt = 1" for change in changes],
    )


def test_an_instance_with_attempts_is_not_deleted(filled_url: str) -> None:
    refused(filled_url, "(?i)foreign key", ["DELETE FROM instances WHERE instance_id = 0"])


def test_no_row_is_replaced(filled_url: str) -> None:
    """SQLite's REPLACE deletes the old row without asking its triggers, unless told otherwise."""
    verb = "INSERT OR REPLACE" if filled_url.startswith("sqlite") else "INSERT"
    attempts = (
        "attempts (campaign_id, instance_id, attempt_number, token, session_number, state, submitted_us)"
    )
    instances = "instances (campaign_id, instance_id, benchmark, benchmark_index, seed, state)"
    rows_there_already = (
        f"{attempts} VALUES (1, 1, 1, 'forged', 1, 'succeeded', 1)",
        f"{attempts} VALUES (1, 1, 2, 'toy-t1.1', 1, 'succeeded', 1)",
        f"{instances} VALUES (1, 0, 'toy', 77, 77, 'planned')",
        f"{instances} VALUES (1, 77, 'toy', 77, 2017, 'planned')",
        f"{instances} VALUES (1, 77, 'toy', 0, 77, 'planned')",
        "metrics VALUES (1, 0, 1, 'm', 0, '')",
        "samples VALUES (1, 0, 1, 'gpu_power', 'n1', 'GPU-a', 'W', 'nvml', 1, '[]')",
        "curves VALUES (1, 0, 1, 'loss', 'epoch', '[]')",
        "events (event_id, campaign_id, at_us, kind) VALUES (1, 1, 1, 'forged')",
    )
    refused(filled_url, "already", [f"{verb} INTO {into}" for into in rows_there_already])


def test_tables_are_not_emptied(postgres_url: str) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.started(ledger)
        ledger.record(
            number,
            [report("toy-t0.1", "failed", InstanceState.PLANNED, metrics=(("m", 1.0, ""),), samples=SAMPLES)],
        )
    tables = ("attempts", "metrics", "samples", "events", "instances", "campaigns")
    refused(postgres_url, "never deleted", [f"TRUNCATE {table} CASCADE" for table in tables])
