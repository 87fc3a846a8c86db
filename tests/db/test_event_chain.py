"""The chain of a campaign's events names what was deleted, edited or added, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from db.event_chain import EventChain, check_events
from db.events import EventKind
from db.evidence.content_hash import ends_sha256, row_parts, rows_sha256
from db.ledger import Ledger
from db.records import BlockRecord, NewInstance
from db.states import InstanceState
from db.transfer.importer import import_campaigns
from db.transfer.snapshot import Snapshot
from db.verification import check, quick_check
from orchestrator.diagnostics.ledger_verification import changed_rows
from tests.db import rows

WORDS = 'Ω "quoted", \\back\x7f, a line\nand another 🐍'


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    """Return a ledger with campaign `toy`: two links while it runs, and one at its end."""
    with Ledger.open(ledger_url) as book:
        number = rows.register(book)
        session = rows.begin(book, number)
        for heads in range(2):
            book.note(number, EventKind.CORES_SHARED, WORDS, subject="x", data={"campaign": "u", "n": heads})
            book.note(number, EventKind.JOURNAL_HEADS, "heads", subject="session 1", data={"session": 1})
        book.note(number, EventKind.CORES_FREE, "free", data={"campaign": "u"})
        book.end_session(number, session, "me", "complete")
        yield book


def chain(ledger: Ledger) -> EventChain:
    with ledger.moment() as moment:
        return check_events(moment, 1)


def whole(ledger: Ledger) -> tuple[int, list[str], dict[str, int]]:
    found = chain(ledger)
    return found.links, found.problems, found.unlinked


def unguard(connection: Connection) -> None:
    """Remove what keeps rows from being changed."""
    if connection.dialect.name == "postgresql":
        for table in ("attempts", "events", "instances", "metrics", "samples", "curves"):
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        return
    for name in (
        connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars().all()
    ):
        connection.exec_driver_sql(f"DROP TRIGGER {name}")


def changed(ledger: Ledger, statement: str) -> list[str]:
    """Return what is found after a statement by a user who removed the triggers."""
    with rows.raw(url(ledger)) as connection:
        unguard(connection)
        connection.exec_driver_sql(statement)
    problems = chain(ledger).problems
    for found in (check(ledger), quick_check(ledger, ["toy"])):
        assert [one.message for one in found if one.message in problems] == problems
    return problems


def url(ledger: Ledger) -> str:
    return str(ledger.url.render_as_string(hide_password=False))


def test_events_as_they_were_written(ledger: Ledger) -> None:
    assert whole(ledger) == (3, [], {})
    assert [one for one in check(ledger) if "events before" in one.message] == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM events WHERE kind = 'cores_free'", "some were removed or added"),
        ("DELETE FROM events WHERE kind = 'session_started'", "some were removed or added"),
        ("UPDATE events SET data = '{}' WHERE kind = 'cores_free'", "some were changed, removed or added"),
        ("UPDATE events SET at_us = at_us + 1 WHERE kind = 'cores_shared'", "of session 1"),
        ("UPDATE events SET kind = 'hook_ran' WHERE kind = 'cores_shared'", "changed, removed or added"),
        ("UPDATE events SET subject = NULL WHERE kind = 'cores_shared'", "changed, removed or added"),
    ],
)
def test_a_changed_event_is_named(ledger: Ledger, statement: str, words: str) -> None:
    found = changed(ledger, statement)
    assert found
    assert all(words in one for one in found)


def test_a_deleted_record_of_heads_is_named(ledger: Ledger) -> None:
    first = "(SELECT min(event_id) FROM events WHERE kind = 'journal_heads')"
    assert len(changed(ledger, f"DELETE FROM events WHERE event_id = {first}")) == 1


def test_exchanged_events_are_named(ledger: Ledger) -> None:
    swap = "CASE message WHEN 'free' THEN 'heads' WHEN 'heads' THEN 'free' ELSE message END"
    assert changed(ledger, f"UPDATE events SET message = {swap} WHERE kind <> 'transition'")


def test_verdicts_and_packages_are_no_part_of_it(ledger: Ledger) -> None:
    ledger.note(1, EventKind.VERDICT_STATED, "a verdict")
    ledger.note(1, EventKind.EVIDENCE_PACKAGED, "a package")
    session = rows.begin(ledger, 1)
    ledger.end_session(1, session, "me", "complete")
    assert whole(ledger) == (4, [], {})
    assert changed(ledger, "DELETE FROM events WHERE kind IN ('verdict_stated', 'evidence_packaged')") == []


def test_events_that_rules_read_after_the_last_link_are_listed(ledger: Ledger) -> None:
    ledger.note(1, EventKind.CORES_FREE, "added", data={"campaign": "u", "until_us": 1})
    ledger.note(1, EventKind.HOOK_RAN, "no rule reads it")
    assert chain(ledger).unlinked == {"cores_free": 1}


def test_a_chain_begins_with_the_first_link_of_a_ledger_of_an_earlier_version(ledger: Ledger) -> None:
    older = "UPDATE events SET data = '{\"session\": 1}' WHERE kind IN ('journal_heads', 'session_ended')"
    assert changed(ledger, older) == []
    assert chain(ledger).links == 0
    session = rows.begin(ledger, 1)
    ledger.end_session(1, session, "me", "complete")
    assert whole(ledger) == (1, [], {})
    with rows.raw(url(ledger)) as connection:
        connection.exec_driver_sql("DELETE FROM events WHERE kind = 'cores_free'")
    assert len(chain(ledger).problems) == 1


def test_writers_at_once_break_no_chain(ledger: Ledger) -> None:
    """Several processes note, while a driver writes links."""

    def note(kind: EventKind) -> None:
        with Ledger(url(ledger)) as book:
            for number in range(20):
                book.note(1, kind, f"number {number}", data={"session": 1})

    kinds = (EventKind.INSTANCES_REQUESTED, EventKind.CORES_SHARED, EventKind.JOURNAL_HEADS)
    writers = [threading.Thread(target=note, args=(kind,)) for kind in kinds]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert chain(ledger).problems == []
    assert chain(ledger).links == 23


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE benchmarks SET quality_target = 0.1",
        "UPDATE instances SET seed = seed + 5",
        "UPDATE sessions SET started_us = started_us - 1",
        "UPDATE attempts SET submitted_us = submitted_us + 1",
        "UPDATE metrics SET value = 2 WHERE value = 1",
        "UPDATE blocks SET pool = 'narrow'",
        "UPDATE blocks SET pool = NULL",
    ],
)
def test_the_end_of_a_session_keeps_a_hash_of_the_rows(ledger: Ledger, statement: str) -> None:
    session = rows.begin(ledger, 1)
    ledger.submit(1, session, [rows.attempt(0)])
    block = BlockRecord("wide.c1", "0", "7", "released", rows.T0, rows.T0, rows.T0 + 9, 2, None, "wide")
    ledger.record_blocks(1, session, [block])
    ledger.record(1, [rows.report("t0.1", "failed", received_us=rows.T0, metrics=[("loss", 1.0, "")])])
    ledger.end_session(1, session, "me", "exhausted")
    kept = chain(ledger)

    def present() -> str:
        with ledger.moment() as moment:
            return rows_sha256(row_parts(moment, 1))

    assert (kept.session, kept.rows_sha256) == (session, present())
    ledger.note(1, EventKind.HOOK_RAN, "changes no row")
    assert kept.rows_sha256 == present()
    with rows.raw(url(ledger)) as connection:
        unguard(connection)
        connection.exec_driver_sql(statement)
    assert kept.rows_sha256 != present()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blocks SET ended_us = ended_us + 1 WHERE block_id = '0'",
        "UPDATE blocks SET ended_us = NULL WHERE block_id = '0'",
        "UPDATE blocks SET message = 'é' WHERE block_id = '0'",
        "DELETE FROM blocks WHERE block_id = '0'",
    ],
)
def test_the_end_of_a_session_keeps_a_hash_of_ends_of_blocks(ledger: Ledger, statement: str) -> None:
    session = rows.begin(ledger, 1)
    ended = BlockRecord("c1", "0", "7", "released", rows.T0, rows.T0, rows.T0 + 9, 2, None)
    lost = BlockRecord("c1", "1", "8", "running", rows.T0, rows.T0, None, 2, None)
    ledger.record_blocks(1, session, [ended, lost])
    ledger.end_session(1, session, "me", "driver_died")
    kept = chain(ledger)
    assert kept.open_blocks == [[session, "c1", "1"]]

    def present() -> str:
        with ledger.moment() as moment:
            return ends_sha256(moment, 1, kept.open_blocks)

    assert kept.ends_sha256 == present()
    assert ledger.end_blocks(1) == 1  # as a resume or `node leftovers` does
    assert kept.ends_sha256 == present()
    assert "ends of its blocks" not in str(list(changed_rows(ledger, ledger.campaign("toy"), kept)))
    with rows.raw(url(ledger)) as connection:
        unguard(connection)
        connection.exec_driver_sql(statement)
    assert kept.ends_sha256 != present()
    assert "ends of its blocks are not those" in str(list(changed_rows(ledger, ledger.campaign("toy"), kept)))


def test_a_session_of_an_earlier_version_has_no_hash_of_ends(ledger: Ledger) -> None:
    session = rows.begin(ledger, 1)
    ledger.end_session(1, session, "me", "complete")
    kept = replace(chain(ledger), ends_sha256=None, open_blocks=[])
    assert list(changed_rows(ledger, ledger.campaign("toy"), kept)) == []


def test_a_gap_in_the_numbers_of_sessions_is_named(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.end_session(1, rows.begin(ledger, 1), "me", "complete")
    assert [one.message for one in check(ledger) if "sessions are numbered" in one.message] == []
    with rows.raw(url(ledger)) as connection:
        connection.exec_driver_sql("DELETE FROM sessions WHERE session_number = 2")
    for found in (check(ledger), quick_check(ledger, ["toy"])):
        assert "its sessions are numbered 1 to 3, and 2 are there" in [one.message for one in found]


def test_a_copy_on_another_database_keeps_chain_and_hash(ledger: Ledger, tmp_path: Path) -> None:
    ledger.register(
        rows.campaign("many"),
        [rows.benchmark(name, 1) for name in ("b", "a_b", "aB", "A", "é")],
        [NewInstance(k, name, 0, 2017 + k) for k, name in enumerate(("b", "a_b", "aB", "A", "é"))],
    )
    session = rows.begin(ledger, 2, "other")
    ledger.submit(2, session, [rows.attempt(k) for k in range(5)])
    values = {"received_us": rows.T0, "cpu_seconds": -0.0, "peak_memory_bytes": 1 << 40, "stderr_tail": WORDS}
    ledger.record(
        2,
        [
            rows.report(f"t{k}.1", "failed", InstanceState.EXHAUSTED, metrics=[("é", 0.1, "")], **values)
            for k in range(5)
        ],
    )
    ledger.note(2, EventKind.CORES_SHARED, WORDS, subject="", data={"text": WORDS})
    ledger.end_session(2, session, "other", "exhausted")
    copy = f"sqlite:///{tmp_path / 'copy.sqlite'}"
    with Snapshot(ledger) as source:
        import_campaigns(copy, source, lambda *_: None)
    with Ledger(copy) as other:
        for name in ("toy", "many"):
            number = other.campaign(name).campaign_id
            with other.moment() as moment:
                found = check_events(moment, number)
                assert (found.problems, found.unlinked) == ([], {})
                assert found.rows_sha256 == rows_sha256(row_parts(moment, number))
