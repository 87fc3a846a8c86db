"""How the logical CPUs of this machine lie, and their nominal clock, as the kernel states it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path


def further_threads(root: Path = Path("/")) -> tuple[int, ...]:
    """Return the logical CPUs that are the second or a later thread of their core."""
    found = []
    for folder in root.glob("sys/devices/system/cpu/cpu[0-9]*"):
        try:
            siblings = (folder / "topology/thread_siblings_list").read_text()
        except OSError:  # a CPU that is off line
            continue
        number = int(folder.name[3:])
        if number > min(map(int, re.findall(r"\d+", siblings)), default=number):
            found.append(number)
    return tuple(sorted(found))


_CLOCKS = {"cpufreq/base_frequency": 1e3, "acpi_cppc/nominal_freq": 1e6}
"""Files of the nominal clock of Intel and AMD, with their unit in Hz."""


def nominal_hertz(root: Path = Path("/")) -> float | None:
    """Return the nominal clock of the first CPU; None if the kernel does not state it."""
    for name, unit in _CLOCKS.items():
        with suppress(OSError, ValueError):
            if number := int((root / "sys/devices/system/cpu/cpu0" / name).read_text()):
                return number * unit
    return None


def read_cpuinfo(root: Path = Path("/")) -> str:
    """Return /proc/cpuinfo; empty where the system has none."""
    try:
        return (root / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
