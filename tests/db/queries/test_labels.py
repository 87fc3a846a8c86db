"""Owner, tags and note of campaigns, of which the newest event counts."""

from __future__ import annotations

from db.events import EventKind
from db.ledger import Ledger
from db.queries.labels import NO_LABELS, Labels, labelled, labels
from db.reader import Reader
from tests.db import rows

ADA = Labels("ada", ("a", "b"), "first")


def test_the_newest_labels_count(ledger_url: str) -> None:
    with Ledger.open(ledger_url) as book:
        numbers = [rows.started(book, name=name) for name in ("one", "two", "three")]
        for number, given in (
            (numbers[0], Labels("bob")),
            (numbers[0], ADA),
            (numbers[1], Labels("bob", ("a",))),
        ):
            event = given.event()
            book.note(number, event.kind, event.message, data=event.data)
    with Reader(ledger_url) as reader:
        assert labels(reader) == {numbers[0]: ADA, numbers[1]: Labels("bob", ("a",))}
        assert labels(reader, numbers[2]) == {}
        for wanted, names in (
            (NO_LABELS, ["one", "two", "three"]),
            (Labels("ada"), ["one"]),
            (Labels(tags=("a",)), ["one", "two"]),
            (Labels("bob", ("a", "b")), []),
        ):
            assert [row.name for row in labelled(reader, wanted)] == names


def test_words_leave_out_what_is_empty() -> None:
    assert ADA.words() == {"owner": "ada", "tags": "a, b", "note": "first"}
    assert NO_LABELS.to_dict() == {}
    assert ADA.event().message == "owner ada; tags a, b; note first"
    assert (NO_LABELS.event().kind, NO_LABELS.event().message) == (EventKind.CAMPAIGN_LABELLED, "no labels")
