"""How the logical CPUs of this machine lie, as the kernel states it."""

from __future__ import annotations

import re
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
