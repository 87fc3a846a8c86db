"""Data files that are replaced after the launch are seen when a session ends, and fail rule `data`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.analysis.verdict.evidence import _data_places
from orchestrator.lifecycle.data.changes import note_changed_data
from orchestrator.lifecycle.data.hashes import data_set_facts, place_facts
from orchestrator.rulebooks.accepted_facts import DataPlace
from orchestrator.rulebooks.coral2.reference import reference
from orchestrator.rulebooks.coral2.rules import real_data
from tests.db import rows
from tests.orchestrator.rulebooks.measured import changed, measured


class Registered:
    """A campaign whose two benchmarks read one folder, as hashed at its launch."""

    def __init__(self, ledger: Ledger, folder: Path) -> None:
        self.ledger, self.folder = ledger, folder
        (folder / "train.csv").write_text("1,2\n")
        names = ("a", "b")
        self.number = ledger.register(
            rows.campaign(),
            [rows.benchmark(name, 1) for name in names],
            [one for k, name in enumerate(names) for one in rows.planned(1, name, first=k)],
        )
        for name in names:
            facts = data_set_facts(folder)
            ledger.note(self.number, EventKind.DATA_READ, "read", subject=name, data=facts)

    def changed(self) -> list[str]:
        note_changed_data(self.ledger, self.ledger.campaign("toy"))
        kinds = (EventKind.DATA_CHANGED,)
        return [event.subject for event in self.ledger.events(self.number, kinds=kinds)]


@pytest.fixture
def toy(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registered]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "data"
    folder.mkdir()
    with Ledger(sqlite_url) as ledger:
        yield Registered(ledger, folder)


def test_the_same_files_change_nothing(toy: Registered) -> None:
    (toy.folder / "train.csv").touch()
    assert toy.changed() == []
    assert not any(place.changed for place in _data_places(toy.ledger, toy.number).values())


@pytest.mark.parametrize("how", ["replaced", "added", "removed"])
def test_other_files_are_noted_once_for_each_benchmark(toy: Registered, how: str) -> None:
    if how == "replaced":
        (toy.folder / "train.csv").write_text("3,4\n")
    elif how == "added":
        (toy.folder / "more.csv").write_text("")
    else:
        (toy.folder / "train.csv").unlink()
    assert toy.changed() == ["a", "b"]
    assert toy.changed() == ["a", "b"]  # the next session finds what the last one had found
    assert all(place.changed for place in _data_places(toy.ledger, toy.number).values())
    (toy.folder / "more.csv").write_text("again")
    assert toy.changed() == ["a", "b", "a", "b"]


def test_sets_that_were_not_hashed_whole_are_left_alone(toy: Registered) -> None:
    for facts in (place_facts(toy.folder), data_set_facts(toy.folder, most_files=0)):
        toy.ledger.note(toy.number, EventKind.DATA_READ, "read", subject="a", data=facts)
        (toy.folder / "train.csv").write_text("5,6\n")
        assert "a" not in toy.changed()


def test_changed_files_fail_the_rule() -> None:
    known = reference().benchmarks["p1b1"]
    place = DataPlace("/data", "lustre")
    found = measured("p1b1", [(0.0, 10.0, 10.0)], data__synthetic=False, data__place=place)
    rule = real_data(changed(found, data__place=replace(place, changed=True)), known)
    assert rule.passed is False
    assert rule.reason == "files in /data were changed after the launch"
    assert "changed" not in real_data(found, known).reason


@pytest.mark.parametrize(
    ("facts", "passed", "reason"),
    [
        ({}, True, "every instance read data of the suite's size that were not made here"),
        (
            {"published": ""},
            True,
            "every instance read data of the suite's size that were not made here; not compared with "
            "published checksums",
        ),
        (
            {"published": "Doe, 2020"},
            True,
            "every instance read the suite's data: checksums published by Doe, 2020",
        ),
        (
            {"published": "Doe, 2020", "unlike_published": "a.csv"},
            False,
            "not the suite's data: a.csv of /data has another checksum than is published: Doe, 2020",
        ),
    ],
)
def test_the_suites_data_are_those_with_published_checksums(
    facts: dict[str, str], passed: bool, reason: str
) -> None:
    found = measured(
        "p1b1", [(0.0, 10.0, 10.0)], data__synthetic=False, data__place=DataPlace("/data", "lustre", **facts)
    )
    rule = real_data(found, reference().benchmarks["p1b1"])
    assert (rule.passed, rule.reason) == (passed, reason)
