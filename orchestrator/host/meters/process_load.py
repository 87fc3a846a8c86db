"""CPU time and I/O bytes of the processes of an attempt, and the share of CPU packages that a slot holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator.host.meters.readings import LOAD, Reading

_TICKS = os.sysconf("SC_CLK_TCK")
_FILE_BYTES = 4096
_CPU = "cpu_seconds"
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
        """Return ``cpu_seconds`` and bytes since the processes began.

        When a process has ended that no other waited for, its bytes still count, and ``cpu_seconds`` is
        absent until the others have used more: what it used at its end is not known.
        """
        totals: dict[str, float] = {}
        for pid in self._pids():
            with suppress(OSError, ValueError, IndexError):  # it has ended, or its I/O is hidden
                fields = _content(f"{self._root}/{pid}/stat").rpartition(b")")[2].split()
                totals[_CPU] = totals.get(_CPU, 0.0) + sum(map(int, fields[11:15])) / _TICKS
                for line in _content(f"{self._root}/{pid}/io").splitlines():
                    name, _, count = line.decode().partition(": ")
                    if name in _IO:
                        totals[_IO[name]] = totals.get(_IO[name], 0.0) + int(count)
        known = totals.get(_CPU, -1.0) >= self._highest.get(_CPU, 0.0)
        self._highest |= {name: max(total, self._highest.get(name, 0.0)) for name, total in totals.items()}
        return Reading(
            counters={name: total for name, total in self._highest.items() if known or name != _CPU}
        )


def _content(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _FILE_BYTES)
    finally:
        os.close(descriptor)


_SYS = Path("/sys")


def package_shares(held: Sequence[int], used: Sequence[int], root: Path = _SYS) -> dict[int, float]:
    """Return the share of each package's cores that a slot holds, by the package's number.

    Threads of a core share it with those that other slots use: where slots use one thread of each core, a
    thread holds the whole core.

    Parameters
    ----------
    held, used
        Logical CPUs of the slot, and of all slots of the node.

    Raises
    ------
    OSError, ValueError
        If the kernel does not describe the CPUs.
    """
    shares: dict[int, float] = {}
    sizes: dict[int, int] = {}
    using = set(used) | set(held)
    for core in held:
        folder = root / "devices/system/cpu" / f"cpu{core}" / "topology"
        package = max(0, int((folder / "physical_package_id").read_text()))  # -1 in some virtual machines
        threads = cpu_list((folder / "thread_siblings_list").read_text())
        if package not in sizes:
            members = folder / "package_cpus_list"
            file = members if members.exists() else folder / "core_siblings_list"  # before Linux 5.3
            sizes[package] = len(cpu_list(file.read_text()))
        part = len(threads) / sizes[package] / max(1, len(using.intersection(threads)))
        shares[package] = shares.get(package, 0.0) + part
    return {package: min(1.0, share) for package, share in shares.items()}


def node_share(shares: dict[int, float], packages: int) -> float:
    """Return the share of a node of some packages."""
    return min(1.0, sum(shares.values()) / max(packages, len(shares), 1))


def package_count(root: Path = _SYS) -> int:
    """Return the number of CPU packages of the node; 0 if the kernel does not describe its CPUs."""
    folders = (root / "devices/system/cpu").glob("cpu[0-9]*/topology/physical_package_id")
    return len({file.read_text().strip() for file in folders})


def cpu_list(text: str) -> list[int]:
    """Return the numbers in a kernel's list such as ``0-3,8``."""
    numbers: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first:
            numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
