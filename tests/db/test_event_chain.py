"""The chain of a campaign's events names what was deleted, edited or added, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from db.event_chain import EventChain, check_events
from db.events import EventKind
from db.ledger import Ledger
from db.verification import check, quick_check
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
    with ledger.connection() as connection, connection.begin():
        return check_events(connection, 1)


def changed(ledger: Ledger, statement: str) -> list[str]:
    """Return what is found after a statement of somebody who removed the triggers."""
    with rows.raw(url(ledger)) as connection:
        if connection.dialect.name == "sqlite":
            for trigger in ("events_kept", "events_unchanged"):
                connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        else:
            connection.exec_driver_sql("ALTER TABLE events DISABLE TRIGGER USER")
        connection.exec_driver_sql(statement)
    problems = chain(ledger).problems
    for found in (check(ledger), quick_check(ledger, ["toy"])):
        assert [one.message for one in found if one.message in problems] == problems
    return problems


def url(ledger: Ledger) -> str:
    return str(ledger.url.render_as_string(hide_password=False))


def test_events_as_they_were_written(ledger: Ledger) -> None:
    assert chain(ledger) == EventChain(links=3)
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
    assert chain(ledger) == EventChain(links=4)
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
    assert chain(ledger) == EventChain(links=1)
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
