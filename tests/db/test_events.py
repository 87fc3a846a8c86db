"""Events: what is noted is read back, in order, from any point on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from db.events import EventKind
from db.ledger import Ledger
from tests.db import rows


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as opened:
        yield opened


def test_events_are_read_from_where_the_last_question_ended(ledger: Ledger) -> None:
    number = rows.started(ledger)
    other = rows.register(ledger, "other")
    ledger.note(number, EventKind.NODE_EXCLUDED, "3 failures", subject="n1", data={"failures": 3})
    ledger.note(other, EventKind.NODE_EXCLUDED, "not this campaign", subject="n2")
    found = list(ledger.events(number))
    assert [one.kind for one in found] == ["campaign_registered", "session_started", "node_excluded"]
    assert (found[-1].subject, found[-1].message, found[-1].data) == ("n1", "3 failures", {"failures": 3})
    assert found[0].subject == ""
    assert found[0].data is None
    last = found[-1].event_id
    assert list(ledger.events(number, after=last)) == []
    ledger.record(number, [rows.report("unknown", "lost"), rows.report("toy-t1.1", "failed")])
    [late] = ledger.events(number, after=last)
    assert (late.kind, late.to_state, late.subject) == ("late_report", "lost", "")
    [changed] = ledger.events(number, after=last, kinds=[EventKind.TRANSITION])
    assert (changed.subject, changed.from_state, changed.to_state) == ("toy/1", "submitted", "failed")


def test_more_events_than_one_answer_holds_are_all_read(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = rows.register(ledger)
    monkeypatch.setattr("db.reader._EVENTS_AT_ONCE", 2)
    for k in range(5):
        ledger.note(number, EventKind.BLOCK_LOST, f"{k}")
    assert [one.message for one in ledger.events(number, kinds=["block_lost"])] == list("01234")


def test_every_kind_is_a_slug_with_a_sentence() -> None:
    for kind in EventKind:
        assert kind == kind.value == kind.lower().replace(" ", "_")
        assert kind.description.endswith(".")
        assert kind.description[0].isupper()
