"""What agents told of their ranks is read through a file system that stumbles."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.node.agents import remote
from orchestrator.node.agents.agent import report_file
from orchestrator.node.agents.remote import LauncherProcess, start_launcher, write_order
from tests.harness import wait_for
from tests.messages import order, slot_order

ORDER = slot_order(order(nodes=2, ranks_per_node=1))
AT_BARRIER = {"at_barrier": True}
NOW_US = 5


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "orders" / "t.json"


def launched(file: Path, monkeypatch: pytest.MonkeyPatch) -> LauncherProcess:
    """Return a placement on two nodes whose launcher has ended well."""
    monkeypatch.setattr(remote, "launcher_command", lambda *_: ["true"])
    write_order(ORDER, file)
    with Path(os.devnull).open("wb") as null:
        launcher = start_launcher(ORDER, file, null.fileno(), null.fileno())
    one = LauncherProcess(ORDER, file, launcher, lambda: NOW_US)
    wait_for(one.poll, "the launcher's end")
    return one


@pytest.fixture
def placed(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LauncherProcess]:
    one = launched(file, monkeypatch)
    yield one
    one.close()


def tell(file: Path, number: int, *facts: dict[str, Any]) -> None:
    report_file(file, number).write_text("".join(json.dumps(fact) + "\n" for fact in facts))


def ended(rank: int) -> dict[str, Any]:
    facts: dict[str, Any] = {"marks": {}, "arrivals": {}, "mark_cpu_seconds": {}, "result": None}
    facts |= {"error": None, "exit_code": 0, "at_us": 5}
    return {"rank": rank, **facts, "cpu_seconds": 1.5, "peak_bytes": 7}


def stumbling(monkeypatch: pytest.MonkeyPatch, times: int) -> Callable[[], list[float]]:
    """Let reading fail some times; return what tells the seconds that were waited."""
    read, waited, left = Path.read_text, list[float](), [errno.ESTALE, errno.EIO] * times

    def stumble(file: Path, **options: Any) -> str:
        if left:
            number = left.pop()
            raise OSError(number, os.strerror(number))
        return read(file, **options)

    del left[times:]
    monkeypatch.setattr(Path, "read_text", stumble)
    monkeypatch.setattr(remote.time, "sleep", waited.append)
    return lambda: waited


def test_who_waits_at_the_gate_is_asked_again(
    placed: LauncherProcess, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not placed.at_barrier
    tell(file, 0, AT_BARRIER)
    assert not placed.at_barrier
    tell(file, 1, {"node": "b"}, AT_BARRIER)
    stumbling(monkeypatch, 2)
    assert [placed.at_barrier for _ in range(3)] == [False, False, True]


def test_how_ranks_ended_is_read_again(
    placed: LauncherProcess, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        tell(file, number, {"node": "ab"[number], "devices": [["g"]]}, ended(number))
    waited = stumbling(monkeypatch, 3)
    ranks, memory_exceeded = placed.ranks()
    assert [(rank.node, rank.exit_code, rank.cpu_seconds) for rank in ranks] == [("a", 0, 1.5), ("b", 0, 1.5)]
    assert not memory_exceeded
    assert len(waited()) == 3


def test_what_can_never_be_read_is_an_error_and_no_death(
    placed: LauncherProcess, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(file, 0, ended(0))
    report_file(file, 1).mkdir()
    monkeypatch.setattr(remote.time, "sleep", lambda _: None)
    assert not placed.at_barrier
    with pytest.raises(IsADirectoryError):
        placed.ranks()


def test_a_file_that_cannot_be_removed_spoils_no_attempt(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = launched(file, monkeypatch)
    tell(file, 1, ended(1))
    report_file(file, 0).mkdir()  # as good as a stale handle
    placed.close()
    assert [left.name for left in file.parent.iterdir()] == [report_file(file, 0).name]


def test_times_of_a_clock_that_is_off_are_told_in_the_supervisors(
    placed: LauncherProcess, file: Path
) -> None:
    marks = {"run_start": 1_000_100, "run_stop": 1_000_300}
    tell(file, 0, {"node": "a", "devices": [[]], "at_us": 5}, ended(0) | {"marks": {"run_start": 3}})
    began = {"node": "b", "devices": [[]], "at_us": 1_000_005}
    dated = {"marks": marks, "arrivals": marks, "mark_cpu_seconds": {"run_stop": 2.5}, "at_us": 1_000_005}
    tell(file, 1, began, ended(1) | dated)
    right, ahead = placed.ranks()[0]
    assert right.marks == {"run_start": 3}
    assert ahead.marks == ahead.arrivals == {"run_start": 100, "run_stop": 300}
    assert ahead.mark_cpu_seconds == {"run_stop": 2.5}
    assert (right.ended_us, ahead.ended_us) == (5, 5)


def test_sampling_of_all_nodes_becomes_one(placed: LauncherProcess, file: Path) -> None:
    sampled = {"interval": "run", "metrics": {"energy_joules": 5.0}, "sources": {"cpu": "rapl"}}
    tell(file, 0, {"sampling": {"version": 1, **sampled}})
    assert placed.sampling().absent["sampling"] == "the agent of a node did not report it"
    tell(file, 1, {"sampling": {"version": 2, **sampled, "later": 1}})
    found = placed.sampling()
    assert (found.metrics, found.interval, found.sources) == ({"energy_joules": 10.0}, "run", {"cpu": "rapl"})
    tell(file, 1, {"sampling": {"metrics": "nonsense"}})
    assert placed.sampling().metrics == {}
