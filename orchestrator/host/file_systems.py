"""Where a path lies: the type of its file system."""

from __future__ import annotations

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that holds a path, such as ``lustre``, or ``unknown``.

    Parameters
    ----------
    mounts
        Table of mounts, in the format of ``/proc/self/mountinfo``.
    """
    place = path.resolve()
    found, depth = "unknown", 0
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        before, _, after = line.partition(" - ")
        if not after or len(fields := before.split()) < 5:
            continue
        point = Path(fields[4].replace("\\040", " "))
        if place.is_relative_to(point) and len(point.parts) >= depth:  # a later mount hides an earlier one
            found, depth = after.split()[0], len(point.parts)
    return found
