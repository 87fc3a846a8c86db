"""Labels of campaigns: at the launch, and changed afterwards."""

from __future__ import annotations

import getpass

import pytest

from db.ledger import Ledger
from db.queries.labels import Labels, labels
from db.reader import Reader
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import labels as labelling
from orchestrator.lifecycle.labels import label, launch_labels
from tests.db import rows


@pytest.fixture
def url(sqlite_url: str) -> str:
    with Ledger.open(sqlite_url) as book:
        rows.started(book)
    return sqlite_url


def test_the_owner_is_who_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    assert launch_labels(("b", "a", "b"), None) == Labels(getpass.getuser(), ("a", "b"))

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(labelling.getpass, "getuser", nobody)
    assert launch_labels((), "x").owner.isdecimal()


def test_labels_change_and_stay(url: str) -> None:
    assert label("toy", ledger=url) == Labels()
    assert label("toy", ledger=url, owner="ada", add=["a", "b"], note="n") == Labels("ada", ("a", "b"), "n")
    assert label("toy", ledger=url, remove=["a"]) == Labels("ada", ("b",), "n")
    assert label("toy", ledger=url, owner="", note="") == Labels("", ("b",))
    with Reader(url) as reader:
        number = reader.campaign("toy").campaign_id
        assert labels(reader, number)[number] == Labels("", ("b",))
        assert len(list(reader.events(number, kinds=["campaign_labelled"]))) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"add": ["a b"]}, "the tag 'a b' must be up to 64"),
        ({"add": ["a,b"]}, "the tag 'a,b' must be"),
        ({"remove": ["x"]}, "toy has no tag 'x'; its tags are none"),
        ({"note": "two\nlines"}, "the note must be a line"),
        ({"owner": "x" * 1001}, "the owner must be a line of at most 1,000"),
    ],
)
def test_wrong_labels_are_refused(url: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        label("toy", ledger=url, **given)  # type: ignore[arg-type]
