"""Keep a command from what its runner holds: the key of its reports, and the descriptor that they go to."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_PR_SET_DUMPABLE = 4


def forbid_inspection() -> None:
    """Have the kernel refuse other processes this one's memory and descriptors, for good.

    Processes of root may look all the same. A program that this process starts later is as open as any.
    """
    with suppress(OSError, AttributeError):  # no glibc
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0)
