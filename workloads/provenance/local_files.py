"""Which file systems are this node's own."""

from __future__ import annotations

import functools
import os
from pathlib import Path

_LOCAL = frozenset({"erofs", "ext2", "ext3", "ext4", "f2fs", "iso9660", "squashfs", "tmpfs", "xfs"})
"""Kinds of file systems that no other node changes, so that what they say of a file is its present state."""


@functools.cache
def local_devices() -> frozenset[int]:
    """Return the device numbers (`os.stat`) of mounted local file systems; others may be local, too."""
    found = set()
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
        for line in lines:
            mount, _, source = line.partition(" - ")
            if source.partition(" ")[0] in _LOCAL:
                found.add(os.makedev(*map(int, mount.split()[2].split(":"))))
    except (OSError, ValueError, IndexError):
        return frozenset()  # a sandbox without it: each file is opened
    return frozenset(found)
