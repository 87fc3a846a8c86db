"""CPU time and I/O bytes of the processes of an attempt, as the kernel counts them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator.host.meters.readings import LOAD, Reading

_TICKS = os.sysconf("SC_CLK_TCK")
_FILE_BYTES = 4096
_IO = {
    "rchar": "read_bytes",
    "wchar": "written_bytes",
    "read_bytes": "storage_read_bytes",
    "write_bytes": "storage_written_bytes",
}
"""Names in ``/proc/PID/io``: bytes that passed through reads and writes, and those of storage among them."""


class ProcessLoad:
    """Counts of a process tree; children that were waited for count with their parent.

    Parameters
    ----------
    pids
        Returns the processes.
    """

    part, device, source, share = LOAD, "slot", "proc", 1.0

    def __init__(self, pids: Callable[[], Sequence[int]], root: Path = Path("/proc")) -> None:
        self._pids = pids
        self._root = root
        self._highest: dict[str, float] = {}

    def read(self, seconds: float) -> Reading:  # noqa: ARG002
        """Return ``cpu_seconds`` and bytes since the processes began; counts never fall when one ends."""
        totals: dict[str, float] = {}
        for pid in self._pids():
            with suppress(OSError, ValueError, IndexError):  # it has ended, or its I/O is hidden
                fields = _content(f"{self._root}/{pid}/stat").rpartition(b")")[2].split()
                totals["cpu_seconds"] = totals.get("cpu_seconds", 0.0) + sum(map(int, fields[11:15])) / _TICKS
                for line in _content(f"{self._root}/{pid}/io").splitlines():
                    name, _, count = line.decode().partition(": ")
                    if name in _IO:
                        totals[_IO[name]] = totals.get(_IO[name], 0.0) + int(count)
        self._highest |= {name: max(total, self._highest.get(name, 0.0)) for name, total in totals.items()}
        return Reading(counters=dict(self._highest))


def _content(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _FILE_BYTES)
    finally:
        os.close(descriptor)
