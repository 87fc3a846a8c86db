"""Find and end processes by marks in their environment.

Every process of a campaign inherits ``ORCHESTRATOR_CAMPAIGN`` and ``ORCHESTRATOR_SESSION`` (the
launch or resume), every process of an attempt also ``ORCHESTRATOR_SLOT``. A mark is not affected by
reused process ids and needs no files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

CAMPAIGN_MARK = "ORCHESTRATOR_CAMPAIGN"
SESSION_MARK = "ORCHESTRATOR_SESSION"
SLOT_MARK = "ORCHESTRATOR_SLOT"
CORES_MARK = "ORCHESTRATOR_CORES"
_LONGEST_UPTIME_SECONDS = 1e8


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
    _, alive = psutil.wait_procs(processes, timeout=grace_seconds)
    for process in alive:
        _signal(process.kill)
    psutil.wait_procs(alive, timeout=grace_seconds)
    return len(processes)


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
    """Tell whether the process `pid` that started at `started` still runs.

    Parameters
    ----------
    started
        Seconds since boot; or since the Unix epoch, as earlier versions recorded it.
    """
    try:
        process = psutil.Process(pid)
        since = process.create_time() if started > _LONGEST_UPTIME_SECONDS else boot_time_of(pid)
        return abs(since - started) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, psutil.Error):
        return False


def descendants(pid: int) -> list[psutil.Process]:
    """Return the living descendants of a process."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def kill_descendants(seconds: float, pause: Callable[[float], object] = time.sleep) -> None:
    """Kill and reap all descendants of this process; stop trying after some seconds.

    Parameters
    ----------
    seconds
        When to give up on processes that SIGKILL does not end.
    pause
        Waits the seconds it is given, or until a child has exited.
    """
    deadline = time.monotonic() + seconds
    while (left := descendants(os.getpid())) and time.monotonic() < deadline:
        for process in left:
            _signal(process.kill)
        reap()
        pause(0.1)
    reap()


def reap() -> None:
    """Reap all children that have exited."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def signal_to(process: psutil.Process, number: int) -> None:
    """Send a process a signal, unless it has ended."""
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def memory_of(processes: list[psutil.Process]) -> tuple[int, int]:
    """Return the sums of resident and private bytes of processes.

    Files that several processes map count in the resident size of each, and in no private size.
    """
    resident = private = 0
    for process in processes:
        try:
            memory = process.memory_info()
        except psutil.Error:
            continue
        resident += memory.rss
        private += memory.rss - memory.shared
    return resident, private


def _signal(send: Callable[[], object]) -> None:
    with suppress(psutil.NoSuchProcess):
        send()


def _environments() -> Iterator[tuple[int, list[bytes]]]:
    """Yield process id and ``NAME=value`` variables of all processes whose environment may be read."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):  # ended meanwhile, or another user's
                yield int(entry.name), (entry / "environ").read_bytes().split(b"\0")


def _marks(variables: Iterable[bytes]) -> dict[str, str]:
    texts = (one.decode(errors="replace") for one in variables if one.startswith(b"ORCHESTRATOR_"))
    return dict(text.split("=", 1) for text in texts if "=" in text)
