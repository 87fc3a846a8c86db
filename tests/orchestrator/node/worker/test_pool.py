"""What holds a node ends as its worker pool does, and waits for attempts of a driver that is gone."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from orchestrator.host.processes import SLOT_MARK
from orchestrator.node.ranks.barrier import node_memory
from orchestrator.rundir.signal_files import write_driver_time
from tests.harness import ending_what_starts, wait_for

# A pool that leaves a process of an attempt behind, which ends when a file appears, and exits with 3.
POOL = """
import subprocess, sys
attempt = "import os, sys, time; [time.sleep(0.05) for _ in iter(lambda: os.path.exists(sys.argv[1]), True)]"
subprocess.Popen([sys.executable, "-S", "-c", attempt, sys.argv[1]], start_new_session=True)
sys.exit(3)
"""


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    file = tmp_path / "clock-1"
    write_driver_time(file, 1)
    return file


@pytest.fixture
def holder(tmp_path: Path, clock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A holder whose pool has ended, and left an attempt."""
    words = [sys.executable, "-m", "orchestrator.node.worker.pool", str(clock)]
    process = subprocess.Popen(
        [*words, sys.executable, "-S", "-c", POOL, str(tmp_path / "end")],
        env=os.environ | {SLOT_MARK: "a slot"},
    )
    with ending_what_starts():
        wait_for(lambda: (found := commands(process)) and POOL not in found, "the attempt alone")
        yield process
        (tmp_path / "end").touch()
        process.kill()
        process.wait()


def commands(process: subprocess.Popen[bytes]) -> list[str]:
    found = []
    for child in psutil.Process(process.pid).children():
        try:
            found += child.cmdline()
        except psutil.Error:
            continue
    return found


def test_it_waits_for_the_attempt_and_ends_as_the_pool(
    holder: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert holder.poll() is None  # no driver writes, and it may be gone
    abandoned = node_memory() / f"orchestrator-barrier-{os.getuid()}-{tmp_path.name}"
    abandoned.touch()  # as of an attempt that was killed while it waited for its wave
    (tmp_path / "end").touch()
    assert holder.wait(300) == 3
    assert not abandoned.exists()


def test_it_ends_the_attempt_of_a_driver_that_lives(holder: subprocess.Popen[bytes], clock: Path) -> None:
    (attempt,) = psutil.Process(holder.pid).children()
    times = itertools.count(2)

    def ended() -> bool:
        write_driver_time(clock, next(times))
        return holder.poll() is not None

    wait_for(ended, "its end")
    assert holder.returncode == 3
    assert not attempt.is_running()


def test_it_ends_the_attempt_when_asked(holder: subprocess.Popen[bytes]) -> None:
    (attempt,) = psutil.Process(holder.pid).children()
    holder.send_signal(signal.SIGTERM)
    assert holder.wait(300) == 3
    assert not attempt.is_running()
