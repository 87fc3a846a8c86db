"""However many attempts of a node wait for a start, one of them looks at the shared file."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.node import node_gate
from orchestrator.node.node_gate import NodeGate
from orchestrator.rundir.signal_files import announced_start

START_US = 1_700_000_000_000_000


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    found: list[Path] = []

    def counted(file: Path) -> int | None:
        found.append(file)
        return announced_start(file)

    monkeypatch.setattr(node_gate, "announced_start", counted)
    return found


def gates(tmp_path: Path, number: int) -> list[NodeGate]:
    (tmp_path / "memory").mkdir(exist_ok=True)
    return [NodeGate(tmp_path / "gate", "campaign", tmp_path / "memory") for _ in range(number)]


def test_one_attempt_looks_for_all_and_leaves_nothing(tmp_path: Path, looks: list[Path]) -> None:
    waiting = gates(tmp_path, 5)
    assert [one.announced_start() for one in waiting * 3] == [None] * 15
    assert looks == [tmp_path / "gate"] * 3
    (tmp_path / "gate").write_text(str(START_US))
    # Those that look before the leader has learned of the start learn of it the next time.
    assert [one.announced_start() for one in reversed(waiting)] == [None] * 4 + [START_US]
    waiting[0].close()
    assert [one.announced_start() for one in waiting[1:]] == [START_US] * 4
    assert len(looks) == 4
    for one in waiting:
        one.close()
        one.close()
    assert list((tmp_path / "memory").iterdir()) == []


def test_another_takes_over_from_one_that_ends(tmp_path: Path, looks: list[Path]) -> None:
    first, second, third = gates(tmp_path, 3)
    assert [one.announced_start() for one in (first, second, third)] == [None] * 3
    first.close()
    assert [one.announced_start() for one in (second, third)] == [None] * 2
    assert len(looks) == 2
    (tmp_path / "gate").write_text(str(START_US))
    assert [one.announced_start() for one in (second, third)] == [START_US] * 2
    assert len(looks) == 3


def test_one_that_comes_late_looks_for_itself(tmp_path: Path) -> None:
    early, late = gates(tmp_path, 2)
    (tmp_path / "gate").write_text(str(START_US))
    assert early.announced_start() == START_US
    early.close()
    assert late.announced_start() == START_US


def test_another_campaign_in_the_run_directory_finds_no_start_of_a_killed_attempt(tmp_path: Path) -> None:
    (killed,) = gates(tmp_path, 1)
    (tmp_path / "gate").write_text(str(START_US))
    assert killed.announced_start() == START_US  # and it is never closed
    (tmp_path / "gate").write_text("")
    assert NodeGate(tmp_path / "gate", "another", tmp_path / "memory").announced_start() is None


def test_without_memory_of_the_node_each_looks(tmp_path: Path, looks: list[Path]) -> None:
    (tmp_path / "gate").write_text(str(START_US))
    waiting = [NodeGate(tmp_path / "gate", "campaign", tmp_path / "missing") for _ in range(2)]
    assert [one.announced_start() for one in waiting] == [START_US] * 2
    assert len(looks) == 2
