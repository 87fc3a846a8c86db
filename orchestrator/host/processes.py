"""Find and end processes by marks in their environment.

Every process of a campaign inherits ``ORCHESTRATOR_CAMPAIGN`` and ``ORCHESTRATOR_SESSION`` (the
launch or resume), every process of an attempt also ``ORCHESTRATOR_SLOT``. A mark is not affected by
reused process ids and needs no files.
"""

from __future__ import annotations

import functools
import os
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

CAMPAIGN_MARK = "ORCHESTRATOR_CAMPAIGN"
SESSION_MARK = "ORCHESTRATOR_SESSION"
SLOT_MARK = "ORCHESTRATOR_SLOT"
CORES_MARK = "ORCHESTRATOR_CORES"
UNKILLABLE_SECONDS = 20.0
"""When to give up on a process that SIGKILL does not end: it waits in the kernel, as for a file server."""
_ZOMBIE_SECONDS = 0.2  # between two looks for processes that have exited without being reaped
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def with_mark(name: str, value: str) -> list[psutil.Process]:
    """Return this host's processes with the mark ``name=value``, without the caller."""
    mark = f"{name}={value}".encode()
    found = []
    for pid, variables in _environments():
        if mark in variables and pid != os.getpid():
            with suppress(psutil.Error):  # ended meanwhile
                found.append(psutil.Process(pid))
    return found


def by_mark(name: str) -> dict[str, list[psutil.Process]]:
    """Return this user's processes on this host that have a mark, by its value.

    The caller and its ancestors are left out.
    """
    above = {process.pid for process in psutil.Process().parents()} | {os.getpid()}
    found: dict[str, list[psutil.Process]] = {}
    for pid, variables in _environments():
        value = _marks(variables).get(name)
        if value is None or pid in above:
            continue
        with suppress(psutil.Error):  # ended meanwhile
            process = psutil.Process(pid)
            if process.uids().effective == os.getuid():
                found.setdefault(value, []).append(process)
    return found


def campaigns_on_cores(cores: Iterable[int], campaign: str) -> set[str]:
    """Return the marks of other campaigns with processes on this host that may use some of these cores."""
    wanted, found = set(cores), set()
    for _, variables in _environments():
        marks = _marks(variables)
        theirs = {int(core) for core in marks.get(CORES_MARK, "").split(",") if core.isdecimal()}
        if marks.get(CAMPAIGN_MARK, campaign) != campaign and theirs & wanted:
            found.add(marks[CAMPAIGN_MARK])
    return found


def terminate(processes: list[psutil.Process], grace_seconds: float) -> int:
    """End processes: SIGTERM, wait, SIGKILL, wait. Return how many there were.

    psutil compares start times, so a process id that was reused meanwhile is not touched.
    """
    for process in processes:
        _signal(process.terminate)
    alive = wait_ended(processes, grace_seconds)
    for process in alive:
        _signal(process.kill)
    wait_ended(alive, grace_seconds)
    return len(processes)


def wait_ended(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Wait for the end of processes, for so long at most, and return those that still run.

    One that has exited has ended, whether or not its parent, such as the first process of a container, ever
    asks for its exit code.
    """
    deadline, pause = time.monotonic() + seconds, 0.0
    while True:
        _, alive = psutil.wait_procs(processes, timeout=pause)
        processes = list(filter(runs, alive))
        left = deadline - time.monotonic()
        if not processes or left <= 0:
            return processes
        pause = min(left, _ZOMBIE_SECONDS)


def runs(process: psutil.Process) -> bool:
    """Tell whether a process has not exited; see `is_alive` for one that is known by its number."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def boot_time_of(pid: int) -> float:
    """Return when a process started, in seconds since boot, which setting the clock does not change.

    Raises
    ------
    OSError
        If there is no such process.
    """
    ticks = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    return int(ticks) / os.sysconf("SC_CLK_TCK")


def is_alive(pid: int, started: float) -> bool:
    """Tell whether the process `pid` that started at `started`, in seconds since boot, still runs."""
    try:
        status = psutil.Process(pid).status()
        return abs(boot_time_of(pid) - started) < 1.0 and status != psutil.STATUS_ZOMBIE
    except (OSError, psutil.Error):
        return False


def descendants(pid: int) -> list[psutil.Process]:
    """Return the living descendants of a process."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def living_tree(pid: int) -> list[int]:
    """Return the ids of the living descendants of a process, without a look at all processes.

    The kernel may leave one out while another of its parent's children is reaped, and an id may be another
    process's soon: use this to measure, and `descendants` to end processes.
    """
    if not _lists_children():
        return [child.pid for child in descendants(pid)]
    found: list[int] = []
    parents = [pid]
    while parents:
        children = _children(parents.pop())
        parents += children
        found += children
    return found


def child_ids(pid: int) -> set[int]:
    """Return the children of a process, also those that have exited and were not waited for.

    As in `living_tree`, one may be missing while another one is reaped.
    """
    if _lists_children():
        return set(_children(pid))
    return {child.pid for child in psutil.Process(pid).children()}


@functools.cache
def _lists_children() -> bool:
    """Tell whether this kernel has ``/proc/PID/task/TID/children``."""
    return Path("/proc/thread-self/children").exists()


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as threads:  # ended meanwhile
        for thread in threads:
            with suppress(OSError):
                found += map(int, content_of(f"{thread.path}/children").split())
    return found


def content_of(path: str) -> bytes:
    """Return the content of a file of ``/proc``; raises `OSError`."""
    with open(path, "rb", 0) as stream:  # noqa: PTH123  a third of the time of Path.open, for each process
        return stream.read()


def kill_child(process: subprocess.Popen[Any], seconds: float = UNKILLABLE_SECONDS) -> bool:
    """Kill a child of this process; return whether it ended within some seconds."""
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def kill_descendants(
    seconds: float, pause: Callable[[float], object] = time.sleep, kept: Collection[int] = ()
) -> list[int]:
    """Kill and reap all descendants of this process, which adopts orphans; return those that did not end.

    Where orphans are adopted, a process without children has no descendants, and the kernel tells that in
    one call.

    Parameters
    ----------
    seconds
        When to give up on processes that SIGKILL does not end.
    pause
        Waits the seconds it is given, or until a child has exited.
    kept
        Children that are left alone, with all of their descendants.
    """
    deadline = time.monotonic() + seconds
    while reap() and time.monotonic() < deadline:
        others = descendants_beside(kept)
        if kept and not others:
            return []
        for process in others:
            _signal(process.kill)
        if reap():
            pause(0.1)
    return [process.pid for process in descendants_beside(kept) if runs(process)] if reap() else []


def descendants_beside(kept: Collection[int]) -> list[psutil.Process]:
    """Return the living descendants of this process, without some children and what descends from them."""
    if not kept:
        return descendants(os.getpid())
    found = []
    for pid in child_ids(os.getpid()).difference(kept):  # mostly none, which a look at all processes costs
        with suppress(psutil.Error):
            found += [psutil.Process(pid), *descendants(pid)]
    return found


def reap() -> bool:
    """Reap all children that have exited; return whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def signal_to(process: psutil.Process, number: int) -> None:
    """Send a process a signal, unless it has ended."""
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def memory_of(processes: Iterable[int]) -> tuple[int, int]:
    """Return the sums of resident and private bytes of processes; those that have ended count nothing.

    Files that several processes map count in the resident size of each, and in no private size.
    """
    resident = private = 0
    for pid in processes:
        with suppress(OSError):
            _, whole, shared, *_ = map(int, content_of(f"/proc/{pid}/statm").split())
            resident += whole
            private += whole - shared
    return resident * _PAGE_BYTES, private * _PAGE_BYTES


def _signal(send: Callable[[], object]) -> None:
    with suppress(psutil.NoSuchProcess):
        send()


def _environments() -> Iterator[tuple[int, list[bytes]]]:
    """Yield process id and ``NAME=value`` variables of all processes whose environment may be read."""
    with os.scandir("/proc") as entries:
        for name in (entry.name for entry in entries if entry.name.isdecimal()):
            with suppress(OSError):  # ended meanwhile, or another user's
                yield int(name), content_of(f"/proc/{name}/environ").split(b"\0")


def _marks(variables: Iterable[bytes]) -> dict[str, str]:
    texts = (one.decode(errors="replace") for one in variables if one.startswith(b"ORCHESTRATOR_"))
    return dict(text.split("=", 1) for text in texts if "=" in text)
