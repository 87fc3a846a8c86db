"""A training process that runs one order after another: ``python -m workloads.reused DESCRIPTOR``.

The descriptor is a stream socket. An order comes as one byte with three or four descriptors (standard
output, standard error, reports, start barrier), then as the line of JSON that `workloads.run` takes. The
process answers all but the first with a line: ``{"ready": true, "cpu_seconds", "resets_peak"}`` before it
runs the order, or ``{"refused": reason}`` where a new process must run it, and ends. Its last report of an
order is ``done`` where it takes another one. It ends without that after an error, and when it is no more
what a new process is: it has left processes or threads, has grown, has changed what cannot be set again, or
has run many orders.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import resource
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from workloads.context import line_writer
from workloads.metrics.node_counters import earlier_peak_bytes, forget_peak_memory, peak_memory_bytes
from workloads.provenance.lasting import LastingProvenance
from workloads.run import exit_fast, report_order
from workloads.runtime import backends, host_facts

MOST_ORDERS = 500
"""Orders that one process runs at most."""
_GREATEST_SHARE = 0.5
"""Share of the slot's memory above which a process takes no further order."""
_libc = ctypes.CDLL(None)


def main(descriptor: int) -> int:
    """Run orders until the other end is closed; return the exit code of the last one."""
    sys.path.append(str(Path.cwd()))  # a user's own workloads, after everything that is installed
    host_facts.host_facts()  # Python's `platform` starts a process for some of them, once
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    state = ProcessState()
    code, number = 0, 0
    while code == 0 and (order := _next_order(control)) is not None:
        number += 1
        if number > 1:
            host_facts.begin_anew()
            state.restore(order["cores"])
        code = _run(control, order, number, state)
    return code


def _run(control: socket.socket, order: Mapping[str, Any], number: int, state: ProcessState) -> int:
    """Run an order; return its exit code, or 0 where the process takes another one."""
    if number > 1 and (file := state.provenance.changed_file()) is not None:
        control.sendall(json.dumps({"refused": f"{file} has changed since it was imported"}).encode() + b"\n")
        exit_fast(0)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    if number > 1:
        ready = {"ready": True, "cpu_seconds": cpu_seconds(), "resets_peak": forget_peak_memory()}
        control.sendall(json.dumps(ready).encode() + b"\n")
    send = line_writer(order["report_fd"])
    code = report_order(order, send, state.provenance)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    _libc.fflush(None)
    if code or number >= MOST_ORDERS or _has_left_something() or not state.can_be_restored():
        exit_fast(code)
    if not _reset_frameworks() or _private_bytes() > _GREATEST_SHARE * _memory_bytes(order):
        exit_fast(0)
    if number == 1:
        gc.freeze()  # what it has imported is not looked through again
    _leave_logs()
    send({"done": {"cpu_seconds": cpu_seconds(), "peak_bytes": _peak_bytes(children)}})
    for name in ("report_fd", "barrier_fd"):
        if order.get(name) is not None:
            os.close(order[name])
    return 0


def _next_order(control: socket.socket) -> dict[str, Any] | None:
    """Return the next order with its descriptors; None when the other end is closed."""
    try:
        begin, descriptors, _, _ = socket.recv_fds(control, 1, 4)
        text = bytearray()
        while begin and not text.endswith(b"\n"):
            if not (chunk := control.recv(1 << 16)):
                return None
            text += chunk
    except ConnectionError:
        return None
    if not begin:
        return None
    order: dict[str, Any] = json.loads(text)
    for target, source in enumerate(descriptors[:2], 1):
        os.dup2(source, target)
        os.close(source)
    for name, descriptor in zip(("report_fd", "barrier_fd"), descriptors[2:], strict=False):
        os.set_inheritable(descriptor, False)
        order[name] = descriptor
    return order


class ProcessState:
    """State of a process that a run may change, as it was before the first one.

    Attributes
    ----------
    provenance
        Variables that the process was given, and the code that it has run.
    """

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._folder = Path.cwd()
        self._path, self._arguments = list(sys.path), list(sys.argv)
        self._streams = sys.stdout, sys.stderr
        self._niceness = os.nice(0)
        self._collects, self._recursion = gc.isenabled(), sys.getrecursionlimit()
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        self._handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        self._limits = {
            number: resource.getrlimit(number)
            for name, number in vars(resource).items()
            if name.startswith("RLIMIT_")
        }
        self.provenance = LastingProvenance()

    def can_be_restored(self) -> bool:
        """Return whether the priority is as before, and half of the descriptors that may be open are free."""
        most, _ = self._limits[resource.RLIMIT_NOFILE]
        are_open = len(list(Path("/proc/self/fd").iterdir()))
        return os.nice(0) == self._niceness and (most == resource.RLIM_INFINITY or 2 * are_open < most)

    def restore(self, cores: list[int]) -> None:
        """Set again what is part of a new process: variables, folder, cores, signals, limits, seeds."""
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        os.chdir(self._folder)
        os.umask(self._umask)
        sys.path[:], sys.argv[:] = self._path, self._arguments
        self._restore_interpreter()
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)
        for number, limits in self._limits.items():
            if resource.getrlimit(number) != limits:
                resource.setrlimit(number, limits)
        if cores:
            os.sched_setaffinity(0, cores)
        random.seed()
        if (numbers := sys.modules.get("numpy.random")) is not None:
            numbers.seed()

    def _restore_interpreter(self) -> None:
        sys.stdout, sys.stderr = self._streams
        sys.excepthook = sys.__excepthook__
        sys.setrecursionlimit(self._recursion)
        sys.settrace(None)
        sys.setprofile(None)
        (gc.enable if self._collects else gc.disable)()
        if (numpy := sys.modules.get("numpy")) is not None:
            numpy.seterr(divide="warn", over="warn", under="ignore", invalid="warn")


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the children that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _has_left_something() -> bool:
    """Tell whether a run has left processes or threads, which would take time from the next one."""
    with suppress(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    return threading.active_count() > 1


def _reset_frameworks() -> bool:
    """Undo what a run has set in frameworks; return False if that needs a new process."""
    if (keras := sys.modules.get("keras")) is not None:
        keras.utils.clear_session(free_memory=False)
    gc.collect()
    return all(backends.load(name).reset() for name in backends.NAMES if name in sys.modules)


def _leave_logs() -> None:
    """Let standard output and error go, which belong to the run that has ended."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    if silent > 2:  # else the run has closed its own
        os.close(silent)


def _peak_bytes(children: resource.struct_rusage) -> int:
    """Return the most resident memory of one process since the last reset; 0 where that is not known.

    Of children that have ended, the kernel keeps the most of all times.

    Parameters
    ----------
    children
        What those that had ended before had used.
    """
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    of_children = now.ru_maxrss << 10 if now.ru_maxrss > children.ru_maxrss else 0
    if now != children and not of_children:
        return 0
    return max(peak_memory_bytes(), earlier_peak_bytes(), of_children)


def _private_bytes() -> int:
    _, resident, shared, *_ = Path("/proc/self/statm").read_text().split()
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _memory_bytes(order: Mapping[str, Any]) -> float:
    """Return the memory of the slot; where it has no limit, its cores' share of the node's."""
    if order.get("memory_bytes"):
        return float(order["memory_bytes"])
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return whole * len(os.sched_getaffinity(0)) / (os.cpu_count() or 1)


if __name__ == "__main__":
    exit_fast(main(int(sys.argv[1])))
