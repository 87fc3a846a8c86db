"""Linux process attributes and counters that Python's standard library has no function for."""

from __future__ import annotations

import ctypes
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)  # loaded here, as nothing may be loaded between fork and exec


def signal_when_parent_dies(number: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent dies.

    A parent that died before this call sends none: compare `os.getppid` afterwards.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, number)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own ("child subreaper")."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def oom_kill_count() -> int:
    """Return how many processes the kernel's out-of-memory killer has ended on this node since boot."""
    for line in Path("/proc/vmstat").read_text().splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0
