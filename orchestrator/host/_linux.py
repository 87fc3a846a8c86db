"""Linux process attributes and counters that Python's standard library has no function for."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import signal
import struct
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)  # loaded here, as nothing may be loaded between fork and exec


def signal_when_parent_dies(number: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent dies.

    A parent that died before this call sends none: compare `os.getppid` afterwards.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, number)


def adopt_orphans(*, adopt: bool = True) -> None:
    """Become the parent of every descendant that loses its own ("child subreaper"), or be it no more."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, int(adopt))


def signal_when_closed(descriptor: int, number: signal.Signals) -> None:
    """Have the kernel send this process a signal when the other end of a socket is closed, or sends data.

    An end that was closed before this call sends none: call `is_closed` afterwards.
    """
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, number)
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)


def signal_when_closed_no_more(descriptor: int) -> None:
    """Undo `signal_when_closed`."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags & ~os.O_ASYNC)


def is_closed(descriptor: int) -> bool:
    """Tell whether the other end of a socket is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)  # hang-up is always reported
    return any(events & select.POLLHUP for _, events in poll.poll(0))


def set_initial_variable(placeholder: str, name: str, value: str) -> None:
    """Make a variable part of the environment that others read in this process's ``/proc/PID/environ``.

    The kernel shows the memory that held the environment when the program was started, and a fork copies it.
    The new variable takes the place of the first bytes of another one, and leaves it the rest.

    Raises
    ------
    ValueError
        If the process was started without the placeholder, or its value is too short.
    """
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start = int(fields[47])  # field 50 of proc(5)
    content = Path("/proc/self/environ").read_bytes()
    at = (b"\0" + content).find(f"\0{placeholder}=".encode())
    text = f"{name}={value}\0{placeholder}=".encode()
    if not start or at < 0 or content.find(b"\0", at) - at <= len(text):
        raise ValueError(f"this process was not started with a {placeholder} of {len(text)} bytes or more")
    ctypes.memmove(start + at, text, len(text))


def oom_kill_count() -> int:
    """Return how many processes the kernel's out-of-memory killer has ended on this node since boot."""
    _, _, rest = Path("/proc/vmstat").read_bytes().partition(b"\noom_kill ")
    return int(rest.split(None, 1)[0]) if rest else 0


_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "ppc64le": 319}
"""Number of the system call, which the C library has no function for, by ``uname -m``."""
_PERF_ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
"""The first version of ``struct perf_event_attr``, which every kernel takes."""
_TIMES_ENABLED_AND_RUNNING = 0x3
_INHERIT, _USER_MODE = 1 << 1, 1 << 5 | 1 << 6  # the latter excludes kernel and hypervisor
_CLOSE_ON_EXEC = 1 << 3
_COUNT = struct.Struct("=QQQ")


def open_perf_event(kind: int, config: int, task: int, cpu: int = -1) -> int:
    """Return a descriptor that counts an event of a thread and of all that it starts from now on.

    Parameters
    ----------
    kind, config
        ``type`` and ``config`` of perf_event_open(2).
    task
        Number of the thread, counted in user mode; -1 for all that a CPU does, in any mode.
    cpu
        The CPU; -1 for any.

    Raises
    ------
    OSError
        If this machine does not count the event, or this user may not.
    """
    number = _PERF_EVENT_OPEN.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    flags = 0 if task == -1 else _INHERIT | _USER_MODE
    size = _PERF_ATTRIBUTES.size
    attributes = _PERF_ATTRIBUTES.pack(kind, size, config, 0, 0, _TIMES_ENABLED_AND_RUNNING, flags, 0, 0, 0)
    found = int(_libc.syscall(number, attributes, task, cpu, -1, _CLOSE_ON_EXEC))
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def read_perf_event(descriptor: int) -> tuple[int, int, int]:
    """Return the count, and the nanoseconds in which it was asked for and in which it was counted.

    Raises
    ------
    OSError
        If nothing is counted, as after an event that needs a counter of its own and has none.
    """
    content = os.read(descriptor, _COUNT.size)
    if len(content) < _COUNT.size:
        raise OSError(errno.EBUSY, "the CPU has no counter left")
    count, enabled, running = _COUNT.unpack(content)
    return count, enabled, running
