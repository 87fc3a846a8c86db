"""CPU time of cores is the kernel's, and that of a process includes all that it started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.host.cpu_time import busy_seconds, tree_seconds
from tests.harness import wait_for

STAT = """cpu  1000 10 100 5000 50 5 5 7 0 0
cpu0 400 4 40 2500 25 2 2 3 100 0
cpu1 600 6 60 2500 25 3 3 4 0 0
intr 12345
"""
BURN = "import time\nwhile time.process_time() < 0.5: pass\n"


def test_busy_time_leaves_out_waiting_interrupts_and_stolen_time(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(STAT)
    ticks = os.sysconf("SC_CLK_TCK")
    assert busy_seconds([0], tmp_path) == 444 / ticks
    assert busy_seconds([0, 1], tmp_path) == (444 + 666) / ticks


@pytest.mark.parametrize(
    ("text", "problem"), [(STAT, "has no cpu7"), ("cpu 0 0 0 0\ncpu0 0 0 0 0\n", "counts no CPU time")]
)
def test_a_kernel_that_hides_cores_is_not_believed(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "stat").write_text(text)
    with pytest.raises(OSError, match=problem):
        busy_seconds([7], tmp_path)


def test_without_the_file_nothing_is_known(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="stat"):
        busy_seconds([0], tmp_path)


def test_a_child_counts_while_it_runs_and_after_it_has_ended() -> None:
    before = tree_seconds(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", BURN])
    wait_for(lambda: tree_seconds(os.getpid()) - before > 0.2, "the child's CPU time")
    child.wait()
    assert tree_seconds(os.getpid()) - before >= 0.45


def test_a_tree_never_uses_more_than_its_cores_are_busy() -> None:
    """A process on one core cannot look as if others had used that core too, beyond what they did."""
    core = min(os.sched_getaffinity(0))
    begin, busy, own = time.monotonic(), busy_seconds([core]), tree_seconds(os.getpid())
    subprocess.run(
        [sys.executable, "-c", BURN], check=True, preexec_fn=lambda: os.sched_setaffinity(0, {core})
    )
    used = tree_seconds(os.getpid()) - own
    foreign = busy_seconds([core]) - busy - used
    # The core was busy for the time that passed at the most, and the child had its part of that.
    assert foreign <= time.monotonic() - begin - used + 0.1
