"""Host names of virtual nodes: real ones, each in a namespace of its own, where the kernel lets us."""

from __future__ import annotations

import ctypes

NEW_NAMES = 0x04000000  # CLONE_NEWUTS
C = ctypes.CDLL(None)


def take_name(host: str) -> bool:
    """Give this process, and those it will start, a host name; return whether that is allowed."""
    name = host.encode()
    return C.unshare(NEW_NAMES) == 0 and C.sethostname(name, len(name)) == 0
