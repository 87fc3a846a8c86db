"""What nodes wrote of their ends becomes events, each once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.lifecycle.ending.node_hooks import note_earlier_node_hooks, note_node_hooks
from orchestrator.rundir.layout import RunDirectory
from tests.db import rows


class Ended:
    """A session whose nodes have ended."""

    def __init__(self, folder: Path, url: str) -> None:
        self.ledger = Ledger(url)
        self.number = rows.register(self.ledger)
        self.row = replace(self.ledger.campaign("toy"), run_directory=str(folder / "runs"))
        self.folder = RunDirectory(Path(self.row.run_directory)).node_hooks(1)
        self.folder.mkdir(parents=True)

    def write(self, node: str, **outcome: object) -> None:
        (self.folder / f"{node}-1.json").write_text(json.dumps({"node": node, **outcome}))

    def events(self) -> list[tuple[str, str]]:
        kinds = [EventKind.HOOK_RAN, EventKind.HOOK_FAILED]
        return [(one.kind, str(one.message)) for one in self.ledger.events(self.number, kinds=kinds)]


@pytest.fixture
def ended(tmp_path: Path, sqlite_url: str) -> Ended:
    return Ended(tmp_path, sqlite_url)


def test_each_outcome_is_an_event(ended: Ended) -> None:
    ended.write("n1", problem="", seconds=0.25, output="swept")
    ended.write("n2", problem="it ended with exit code 3", seconds=1.0, output="")
    ended.write("n3")
    note_node_hooks(ended.ledger, ended.row, 1)
    assert sorted(ended.events()) == [
        ("hook_failed", "node_teardown on n2: it ended with exit code 3"),
        ("hook_failed", "node_teardown on n3: its end was not seen: its node died, or was ended first"),
        ("hook_ran", "node_teardown on n1: it ended after 0.2 s; it printed: swept"),
    ]
    note_node_hooks(ended.ledger, ended.row, 1)
    note_earlier_node_hooks(ended.ledger, ended.row, 0.0)
    assert len(ended.events()) == 3


def test_a_node_that_may_still_run_its_lines_is_left_alone(ended: Ended) -> None:
    ended.write("n1", problem="", seconds=0.25, output="")
    ended.write("n2")
    note_earlier_node_hooks(ended.ledger, ended.row, 3600.0)
    assert [kind for kind, _ in ended.events()] == ["hook_ran"]
    ended.write("n2", problem="", seconds=1.0, output="")
    note_earlier_node_hooks(ended.ledger, ended.row, 3600.0)
    assert [kind for kind, _ in ended.events()] == ["hook_ran", "hook_ran"]


def test_a_damaged_file_stops_nothing(ended: Ended) -> None:
    (ended.folder / "n1-1.json").write_text("{")
    (ended.folder / "n2-1.json").write_text("[1]")
    ended.write("n\u00e4\u0007", problem="\x1b[31m", output="a\x00b", seconds=0)
    note_earlier_node_hooks(ended.ledger, ended.row, 0.0)
    assert len(ended.events()) == 3


def test_nothing_was_written(ended: Ended) -> None:
    ended.folder.rmdir()
    note_node_hooks(ended.ledger, ended.row, 1, 60.0)
    note_earlier_node_hooks(ended.ledger, ended.row, 0.0)
    assert ended.events() == []
