"""CPU time of cores, and of a process with its descendants, as the kernel accounts for it.

Cores are read from ``/proc/stat`` and not from a list of processes, so that processes count that this
process cannot see: those outside its PID namespace, and those that ended meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from orchestrator.host.processes import content_of, living_tree

_BUSY_FIELDS = 3
"""User (guests included), nice and system. Interrupts, I/O waits and stolen time belong to no process."""
_TIMES = slice(11, 15)
"""After the name, fields 14 to 17 of proc(5): user and system, its own and of what it has waited for."""


def busy_seconds(cores: Iterable[int], root: Path = Path("/proc")) -> float:
    """Return the seconds since boot that logical CPUs ran processes, summed over the CPUs.

    Raises
    ------
    OSError
        If ``/proc/stat`` cannot be read, lacks one of the CPUs, or counts nothing, as in some sandboxes.
    """
    with (root / "stat").open() as lines:  # those of cores come first, that of interrupts is long
        rows = [line.split() for line in lines if line.startswith("cpu")]
    ticks = {row[0]: sum(map(int, row[1 : 1 + _BUSY_FIELDS])) for row in rows}
    if not ticks.get("cpu"):
        raise OSError(f"{root}/stat counts no CPU time")
    wanted = [f"cpu{core}" for core in cores]
    missing = [name for name in wanted if name not in ticks]
    if missing:
        raise OSError(f"{root}/stat has no {', '.join(missing)}")
    return float(sum(ticks[name] for name in wanted)) / os.sysconf("SC_CLK_TCK")


def tree_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, its living descendants, and all that these have waited for."""
    ticks = 0
    for one in (*living_tree(pid), pid):
        with suppress(OSError):  # it ended just now, and counts with its parent
            fields = content_of(f"/proc/{one}/stat").rpartition(b")")[2].split()
            ticks += sum(map(int, fields[_TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")
