"""Counters of the kernel around a measured part: peak memory, and bytes through network interfaces."""

from __future__ import annotations

from pathlib import Path

_PROC = Path("/proc")
_highest_before_reset = 0


def reset_peak_memory() -> bool:
    """Let the process's peak of resident memory begin at what it has now; return whether the kernel does.

    It lowers the peak that ``getrusage`` reports too: `earlier_peak_bytes` has the former one.
    """
    global _highest_before_reset
    _highest_before_reset = max(_highest_before_reset, peak_memory_bytes())
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def earlier_peak_bytes() -> int:
    """Return the highest peak of resident memory of this run before the last reset; 0 if there was none."""
    return _highest_before_reset


def peak_memory_bytes() -> int:
    """Return the peak of resident memory of this process since the last reset; children do not count."""
    for line in (_PROC / "self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def interface_bytes() -> dict[str, tuple[int, int]]:
    """Return bytes received and sent by each network interface of this node, or network namespace.

    They are those of all processes. What ranks of one node send each other passes the loopback interface
    ``lo``, which counts it as sent and as received.
    """
    found = {}
    for line in (_PROC / "net/dev").read_text().splitlines()[2:]:
        name, _, counts = line.partition(":")
        columns = counts.split()
        found[name.strip()] = int(columns[0]), int(columns[8])
    return found
