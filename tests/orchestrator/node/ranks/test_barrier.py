"""However many attempts of a node wait for a start, one of them looks at the shared file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.node.ranks import barrier
from orchestrator.node.ranks.barrier import NodeBarrier, remove_abandoned
from orchestrator.rundir.signal_files import announced_start

START_US = 1_700_000_000_000_000


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    found: list[Path] = []

    def counted(file: Path) -> int | None:
        found.append(file)
        return announced_start(file)

    monkeypatch.setattr(barrier, "announced_start", counted)
    return found


def barriers(tmp_path: Path, number: int) -> list[NodeBarrier]:
    (tmp_path / "memory").mkdir(exist_ok=True)
    return [NodeBarrier(tmp_path / "barrier", "campaign", tmp_path / "memory") for _ in range(number)]


def test_one_attempt_looks_for_all_and_leaves_nothing(tmp_path: Path, looks: list[Path]) -> None:
    waiting = barriers(tmp_path, 5)
    assert [one.announced_start() for one in waiting * 3] == [None] * 15
    assert looks == [tmp_path / "barrier"] * 3
    (tmp_path / "barrier").write_text(str(START_US))
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
    first, second, third = barriers(tmp_path, 3)
    assert [one.announced_start() for one in (first, second, third)] == [None] * 3
    first.close()
    assert [one.announced_start() for one in (second, third)] == [None] * 2
    assert len(looks) == 2
    (tmp_path / "barrier").write_text(str(START_US))
    assert [one.announced_start() for one in (second, third)] == [START_US] * 2
    assert len(looks) == 3


def test_one_that_comes_late_looks_for_itself(tmp_path: Path) -> None:
    early, late = barriers(tmp_path, 2)
    (tmp_path / "barrier").write_text(str(START_US))
    assert early.announced_start() == START_US
    early.close()
    assert late.announced_start() == START_US


def test_another_campaign_in_the_run_directory_finds_no_start_of_a_killed_attempt(tmp_path: Path) -> None:
    (killed,) = barriers(tmp_path, 1)
    (tmp_path / "barrier").write_text(str(START_US))
    assert killed.announced_start() == START_US  # and it is never closed
    (tmp_path / "barrier").write_text("")
    assert NodeBarrier(tmp_path / "barrier", "another", tmp_path / "memory").announced_start() is None


def test_without_memory_of_the_node_each_looks(tmp_path: Path, looks: list[Path]) -> None:
    (tmp_path / "barrier").write_text(str(START_US))
    waiting = [NodeBarrier(tmp_path / "barrier", "campaign", tmp_path / "missing") for _ in range(2)]
    assert [one.announced_start() for one in waiting] == [START_US] * 2
    assert len(looks) == 2


LEADER = """
import sys, time
from pathlib import Path
from orchestrator.node.ranks.barrier import NodeBarrier
barrier = NodeBarrier(Path(sys.argv[1]), "campaign", Path(sys.argv[2]))
print(barrier.announced_start(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def killed_leader(tmp_path: Path) -> Path:
    """Return the folder in which an attempt that was killed while it led left its file."""
    memory = tmp_path / "memory"
    memory.mkdir()
    words = [sys.executable, "-c", LEADER, str(tmp_path / "barrier"), str(memory)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "None\n"
        remove_abandoned(memory)
        (left,) = memory.iterdir()  # it still leads
        process.send_signal(signal.SIGKILL)
    assert left.exists()
    return memory


def test_the_file_of_a_killed_attempt_goes_with_the_next_one_that_closes(
    tmp_path: Path, killed_leader: Path
) -> None:
    (tmp_path / "barrier").write_text(str(START_US))
    first, second = barriers(tmp_path, 2)
    assert [one.announced_start() for one in (first, second)] == [START_US] * 2
    second.close()  # the first leads
    assert len(list(killed_leader.iterdir())) == 1
    first.close()
    assert list(killed_leader.iterdir()) == []


def test_a_start_that_a_killed_attempt_wrote_does_not_stay(tmp_path: Path, killed_leader: Path) -> None:
    (left,) = killed_leader.iterdir()
    left.write_bytes(b"%d\n" % START_US)
    (reader,) = barriers(tmp_path, 1)
    assert reader.announced_start() == START_US  # without leading
    reader.close()
    assert list(killed_leader.iterdir()) == []


def test_the_file_of_a_killed_attempt_goes_when_another_wave_waits(
    tmp_path: Path, killed_leader: Path
) -> None:
    other = NodeBarrier(tmp_path / "next", "campaign", killed_leader)
    assert other.announced_start() is None
    assert len(list(killed_leader.iterdir())) == 1
    other.close()
    assert list(killed_leader.iterdir()) == []


def test_only_files_of_this_user_that_are_not_locked_are_removed(tmp_path: Path) -> None:
    own = tmp_path / f"orchestrator-barrier-{os.getuid()}-0123456789abcdef"
    others = [tmp_path / f"orchestrator-barrier-{os.getuid() + 1}-0123456789abcdef", tmp_path / "something"]
    link = tmp_path / f"orchestrator-barrier-{os.getuid()}-link"
    for file in (own, *others):
        file.touch()
    link.symlink_to(tmp_path / "something")
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([*others, link])
    remove_abandoned(tmp_path / "missing")
