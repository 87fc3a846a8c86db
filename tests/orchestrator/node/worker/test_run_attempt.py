"""What a worker does with its supervisor, and what an order carries."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from orchestrator.node.worker.run_attempt import _death
from orchestrator.protocol.block_environment import SHORTEN_TMPDIR_COMMAND, restored_tmpdir
from orchestrator.protocol.order import RankResources, pack_slots, unpack_slots
from orchestrator.protocol.report import SUPERVISOR_FAILED
from orchestrator.protocol.time_budget import supervisor_timeout
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import stop_requested
from tests.messages import order


def test_a_supervisor_has_longer_than_all_it_waits_for() -> None:
    assert supervisor_timeout(timeout=100.0, barrier=600.0, grace=30.0) > 100.0 + 600.0 + 2 * 30.0


def test_a_dead_supervisor_is_reported_with_what_it_wrote() -> None:
    assert _death(-9, "") == ("supervisor died", "its supervisor died: SIGKILL")
    words = "Traceback (most recent call last): | ImportError: no module"
    assert _death(1, words) == (SUPERVISOR_FAILED, f"its supervisor died: exit code 1; it wrote: {words}")


@pytest.mark.parametrize("folder", ["", "/tmp/mine", "/scratch/" + "deep/" * 20])
def test_a_pool_gets_a_short_tmpdir_and_trainings_their_own(folder: str) -> None:
    told = subprocess.run(
        ["bash", "-c", f"{SHORTEN_TMPDIR_COMMAND} env -0"], env={"TMPDIR": folder, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    pool = dict(line.split("=", 1) for line in told.split("\0") if line)
    assert len(pool["TMPDIR"]) < 60
    training = restored_tmpdir(pool)
    assert training["TMPDIR"] == folder
    assert "ORCHESTRATOR_TMPDIR" not in training


def test_the_slots_of_a_big_node_are_few_bytes() -> None:
    slots = [(RankResources((k, k + 128), (k // 16,)),) for k in range(128)]
    packed = pack_slots(slots)
    assert unpack_slots(packed) == slots
    assert len(packed) < len(msgspec.json.encode(slots)) / 3


def test_a_file_system_that_fails_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = order(directory=str(tmp_path))
    assert not stop_requested(ordered)
    RunDirectory(tmp_path).stop_file(1).touch()
    assert stop_requested(ordered)

    def stale(*_: object, **__: object) -> None:
        raise OSError(116, "Stale file handle")

    with monkeypatch.context() as context:
        context.setattr("os.stat", stale)
        stopped = stop_requested(ordered)
    assert not stopped
