"""Run a command to the end of all it starts: ``python -m tests.bench.peers.measured SECONDS FILE COMMAND``.

Writes JSON to the file: exit code, wall time and CPU time in seconds, and the most memory that the command
and its descendants held together in any of the samples (proportional set size, bytes: pages that several
processes share count once). It adopts descendants that leave their parents, and kills what is left after
the command's end, the time limit, SIGTERM, or the end of the process that started it.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from orchestrator.host._linux import adopt_orphans, signal_when_parent_dies
from orchestrator.host.processes import descendants, kill_descendants

SAMPLE_SECONDS = 3.0  # a sample takes up to 0.1 s of processor time, and stops each process meanwhile
_LEFTOVER_SECONDS = 10.0


def run(command: list[str], limit_seconds: float) -> dict[str, Any]:
    """Run a command and return what it took."""
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal_when_parent_dies(signal.SIGTERM)
    done, peak = threading.Event(), [0]
    sampler = threading.Thread(target=_sample, args=(done, peak))
    begin = time.monotonic()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        sampler.start()
        code = _exit_code(process, limit_seconds)
        seconds = time.monotonic() - begin
    finally:
        done.set()
        kill_descendants(_LEFTOVER_SECONDS)
    sampler.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "code": code,
        "wall_seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": peak[0],
    }


def _exit_code(process: subprocess.Popen[bytes], limit_seconds: float) -> int | None:
    """Wait for a process; return None if it takes longer than allowed."""
    try:
        return process.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        return None


def _sample(done: threading.Event, peak: list[int]) -> None:
    while not done.wait(SAMPLE_SECONDS):
        peak[0] = max(peak[0], sum(map(_share, descendants(psutil.Process().pid))))


def _share(process: psutil.Process) -> int:
    """Return a process's proportional set size in bytes; 0 if it has ended."""
    try:
        return int(process.memory_full_info().pss)
    except (psutil.Error, OSError):
        return 0


if __name__ == "__main__":
    limit, file, *words = sys.argv[1:]
    Path(file).write_text(json.dumps(run(words, float(limit))))
