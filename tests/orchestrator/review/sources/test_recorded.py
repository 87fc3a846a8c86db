"""Sources are read from the documents of a ledger, each name and hash once."""

from __future__ import annotations

import pytest

from orchestrator.review.readable import as_json
from orchestrator.review.sources.recorded import Listing, Source, is_source, recorded_sources


def test_sources_with_absolute_names_come_last() -> None:
    documents = {
        "1": {"files": {"b.py": "1", "a.py": None}, "elsewhere": {"/x.py": "2"}},
        "4": {"command": {"files": {"/a": "3"}}},
        "2": {"files": {"b.py": "1"}, "start_up": {"/s.pth": "4"}},
        "3": {"variables": {"A": "1"}},
    }  # fmt: skip
    names = [(one.name, one.sha256) for one in recorded_sources(documents)]
    assert names == [("a.py", None), ("b.py", "1"), ("/a", "3"), ("/s.pth", "4"), ("/x.py", "2")]


def test_members_that_are_sources() -> None:
    sources = ["project/a.py", "campaigns/x/code/logs/a.py"]
    others = ["campaigns/x/code", "rows/code/a/b", "campaigns/code/logs/1"]
    assert [name for name in (*sources, *others) if is_source(name)] == sources


def test_a_listing_is_read_as_it_was_written() -> None:
    listing = Listing({"a.py": "campaigns/x/code/a.py"}, {Source("b.py", None): "why"})
    assert Listing.read(as_json(listing.data())) == listing
    for text in (b"", b"[]", b'{"files": []}', b'{"files": {}, "absent": [1]}', b"[" * 100_000):
        with pytest.raises(ValueError, match=r"."):
            Listing.read(text)
