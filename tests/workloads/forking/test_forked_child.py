"""A forked process has random numbers of its own, and ends as an interpreter does."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from workloads.forking import forked_child
exec(sys.argv[1])
for _ in range(2):
    pid = forked_child.fork(lambda: exec(sys.argv[2]) or 0)
    _, status = os.waitpid(pid, 0)
    print("ended", os.waitstatus_to_exitcode(status), flush=True)
"""


def lines_of(before: str, inside: str) -> list[str]:
    """Return what two forked processes print, and how they end."""
    command = [sys.executable, "-c", SCRIPT, before, inside]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return ended.stdout.splitlines()


@pytest.mark.parametrize(
    ("module", "draw"),
    [
        ("random", "random.random()"),
        ("numpy.random", "numpy.random.random()"),
        ("torch", "float(torch.rand(1, dtype=torch.float64))"),
    ],
)
def test_random_numbers_differ(module: str, draw: str) -> None:
    one, end, other, _ = lines_of(f"import {module}", f"forked_child.seed_anew(); print({draw}, flush=True)")
    assert one != other
    assert end == "ended 0"


@pytest.mark.parametrize("kind", ["Thread", "Process"])
def test_executors_that_are_left_open_end_with_it(kind: str) -> None:
    inside = f"""
import atexit, sys, threading
from concurrent.futures import {kind}PoolExecutor
global pool
pool = {kind}PoolExecutor(2)
print(list(pool.map(abs, [-1])), flush=True)
atexit.register(lambda: print("at exit", flush=True))
threading.Timer(0.1, lambda: print("timer", flush=True)).start()
sys.exit(3)
"""
    assert lines_of("", inside) == ["[1]", "timer", "at exit", "ended 3"] * 2
