"""The log: every line follows the one before it, and the Merkle root is that of RFC 6962."""

from __future__ import annotations

import json

import pytest

from orchestrator.listing.errors import ListingError
from orchestrator.listing.log import Action, Entry, Log, merkle_root
from tests.orchestrator.listing.made_lists import AT, log_of

LEAVES = [
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = {  # of the first leaves, as implementations of Certificate Transparency are tested with
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize(("number", "root"), ROOTS.items())
def test_the_root_is_that_of_rfc_6962(number: int, root: str) -> None:
    assert merkle_root(LEAVES[:number]) == root


A, B, C, D = (letter * 64 for letter in "abcd")


def changed() -> Log:
    """Return a log with each kind of change."""
    return log_of(A, B, C).continued(
        [Entry(AT, Action.SUPERSEDED, A, by=B), Entry(AT, Action.WITHDRAWN, C, because="wrong <site>")]
    )


def test_a_log_is_read_as_it_was_written() -> None:
    log = changed()
    assert Log.parse(log.content) == log
    assert log.added == [A, B, C]
    assert {root: entry.words() for root, entry in log.struck().items()} == {
        A: "superseded on 2026-11-28 by bbbbbbbbbbbb",
        C: "withdrawn on 2026-11-28: wrong <site>",
    }
    longer = log.continued([Entry(AT, Action.ADDED, D)])
    assert longer.content.startswith(log.content)
    assert longer.root != log.root
    assert Log.parse(b"") == Log()


def with_line(number: int, line: bytes) -> bytes:
    lines = changed().content.split(b"\n")
    lines[number - 1] = line
    return b"\n".join(lines)


def as_line(**changes: str) -> bytes:
    last = json.loads(changed().lines[-1])
    return json.dumps({key: value for key, value in (last | changes).items() if value}).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed().content[:-5], "line 5 was cut short"),
        (with_line(2, changed().lines[1].replace(AT[:4].encode(), b"2027")), "line 3 does not follow"),
        (b"".join(one + b"\n" for one in changed().lines[1:]), "line 1 does not follow"),
        (with_line(4, b"{}"), "line 4 is no change"),
        (with_line(1, b"\xff"), "line 1 is no change"),
        (with_line(5, b"[" * 100_000), "line 5 is no change"),
        (with_line(5, b"[]"), "line 5 is no change"),
        (with_line(5, as_line(action="improved")), "line 5 is no change: action"),
        (with_line(5, as_line(more="x")), "line 5 is no change: more"),
        (with_line(5, as_line(root="../../x")), "line 5 has no root hash"),
        (with_line(5, as_line(root=D)), "line 5 has dddddddddddd withdrawn, which was never added"),
        (
            with_line(5, as_line(root=A, action="superseded")),
            "line 5 has aaaaaaaaaaaa superseded a second time",
        ),
        (with_line(5, as_line(root=A, action="added")), "line 5 adds aaaaaaaaaaaa a second time"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_an_edited_log_is_refused_with_the_line(content: bytes, said: str) -> None:
    with pytest.raises(ListingError) as error:
        Log.parse(content)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
