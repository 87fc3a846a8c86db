"""Facts of the host and of the limits that this process runs under."""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def signal_name(number: int) -> str:
    """Return a signal's name; a real-time signal has only its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def host_facts() -> dict[str, Any]:
    """Return host, process, CPU set, thread variables, CPU model and memory as JSON-ready data.

    GPUs are left empty: only a framework knows which ones it opened.
    """
    return {
        "host": os.uname().nodename,
        "pid": os.getpid(),
        "python_version": sys.version.split()[0],
        "platform": _platform(),
        "cpuset": sorted(os.sched_getaffinity(0)),
        "cpu_model": _cpu_model(),
        "memory_bytes": memory_of(None),
        "thread_variables": {name: os.environ[name] for name in THREAD_VARIABLES if name in os.environ},
        "gpus": [],
    }


def _platform() -> str:
    """Return kernel, machine and C library as `platform.platform` does, which starts a process for them."""
    system, libc = os.uname(), ""
    with suppress(ValueError):  # a C library that has no such name
        libc = (os.confstr("CS_GNU_LIBC_VERSION") or "").replace(" ", "")
    return "-".join([system.sysname, system.release, system.machine, *(["with", libc] if libc else [])])


@functools.cache
def _cpu_model() -> str:
    return _field(Path("/proc/cpuinfo"), "model name") or os.uname().machine


def memory_of(slot_bytes: int | None) -> int:
    """Return the memory of a slot, or of this node where its slots have no limit, in bytes."""
    return slot_bytes or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def thread_count() -> int:
    """Return how many threads this process has now."""
    return int(_field(Path("/proc/self/status"), "Threads") or 0)


def _field(path: Path, name: str) -> str | None:
    """Return the value after the colon of the first line that starts with `name`."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, colon, value = line.partition(":")
            if colon and key.strip() == name:
                return value.strip()
    return None


def process_age_seconds() -> float:
    """Return the seconds since this process was started, to about 10 ms; 0 where /proc does not say."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # field 22 of proc(5), after boot
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
