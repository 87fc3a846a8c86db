"""Instructions, cycles, cache misses and floating-point operations of processes, by perf_events of Linux."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.host._linux import open_perf_event, read_perf_event
from orchestrator.host.meters.readings import COUNTERS, FLOP, MeterError, Reading
from orchestrator.host.processes import living_tree

CLOCK = "task_clock"
ENABLED, RUNNING = ".enabled", ".running"
_HARDWARE, _SOFTWARE, _RAW = 0, 1, 4  # types of perf_event_open(2)
_TASK_CLOCK = 1
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_DESCRIPTORS_SHARE = 4
"""Counters take at most the fourth part of the descriptors that this process may open."""


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of count: ``type`` and ``config`` of perf_event_open(2), and the operations of each count."""

    kind: int
    config: int
    weight: int = 1


_GENERAL = {"cpu_cycles": Event(_HARDWARE, 0), "cpu_instructions": Event(_HARDWARE, 1),
            "cpu_cache_misses": Event(_HARDWARE, 3)}  # fmt: skip
# tools/perf/pmu-events/arch/x86 of Linux: FP_ARITH_INST_RETIRED of skylakex, with one bit for each width and
# precision, a fused multiply-add counts twice; those of the same number of operations are one event.
_INTEL_FLOP = {
    f"flop_{weight}": Event(_RAW, mask << 8 | 0xC7, weight)
    for weight, mask in {1: 0x03, 2: 0x04, 4: 0x18, 8: 0x60, 16: 0x80}.items()
}
_INTEL_MODELS = frozenset([
    0x3D, 0x47, 0x4F, 0x56, 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, 0x55,
    0x6A, 0x6C, 0x7D, 0x7E, 0x8C, 0x8D, 0xA7, 0x8F, 0xCF, 0xAD, 0xAE,
])  # fmt: skip
"""Broadwell to Granite Rapids in mapfile.csv of the same folder, without those of two kinds of cores."""
# fp_ret_sse_avx_ops.all of amdzen1 to amdzen5; a multiply-add counts twice.
_AMD_MASKS = {23: 0xFF, 25: 0x1F, 26: 0x0F}
_AMD_LINUX = (5, 6)
"""The first that counts more than 15 of them in a cycle."""


def flop_events(cpuinfo: str, release: str) -> Mapping[str, Event]:
    """Return the events of floating-point operations of a CPU.

    Parameters
    ----------
    cpuinfo
        Text of ``/proc/cpuinfo``.
    release
        Of the kernel, as ``uname -r`` says it.

    Raises
    ------
    MeterError
        If none are known for it.
    """
    facts = dict(_fact(line) for line in cpuinfo.partition("\n\n")[0].splitlines())
    vendor, name = facts.get("vendor_id", ""), facts.get("model name", "this CPU")
    try:
        family, model = int(facts["cpu family"]), int(facts["model"])
        linux = tuple(map(int, release.split(".")[:2]))
    except (KeyError, ValueError):
        raise MeterError("no event for floating-point operations of this CPU is known") from None
    if vendor == "GenuineIntel" and family == 6 and model in _INTEL_MODELS:
        return _INTEL_FLOP
    if vendor == "AuthenticAMD" and family in _AMD_MASKS:
        if linux < _AMD_LINUX:
            raise MeterError(f"Linux {release} counts too few on {name}; 5.6 and later count all")
        return {"flop_1": Event(_RAW, _AMD_MASKS[family] << 8 | 0x03)}
    raise MeterError(f"no event for floating-point operations of {name} is known")


class Descriptors:
    """Open descriptors of events, closed with this object."""

    def __init__(self) -> None:
        self.by_event: dict[str, list[int]] = {}

    def __del__(self) -> None:
        for descriptors in self.by_event.values():
            for descriptor in descriptors:
                os.close(descriptor)

    def drop(self, event: str) -> None:
        """Close the descriptors of an event."""
        for descriptor in self.by_event.pop(event, []):
            os.close(descriptor)

    def counts(self, event: str) -> tuple[int, int, int]:
        """Return the sums of what `read_perf_event` returns."""
        found = [read_perf_event(descriptor) for descriptor in self.by_event[event]]
        count, enabled, running = (sum(column) for column in zip(*found, strict=True))
        return count, enabled, running


class CpuCounters:
    """Counts of processes, of their threads, and of all that these start from now on, in user mode.

    The counts stay readable when the processes have ended, and none outlives this object's process.

    Parameters
    ----------
    pids
        The processes; of this process, those that descend from it.
    flop
        Events of floating-point operations.
    open_event
        Returns a descriptor; see `open_perf_event`.

    Attributes
    ----------
    absent
        Why some quantity is not counted, by its name.

    Raises
    ------
    MeterError
        If the kernel counts none of the general events for this user.
    """

    part, device, source, share = COUNTERS, "slot", "perf_events", 1.0

    def __init__(
        self,
        pids: Iterable[int],
        flop: Mapping[str, Event],
        open_event: Callable[[int, int, int], int] = open_perf_event,
    ) -> None:
        self.absent: dict[str, str] = {}
        self._events = Descriptors()
        tasks = _threads(pids)
        events = {CLOCK: Event(_SOFTWARE, _TASK_CLOCK), **_GENERAL, **flop}
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _DESCRIPTORS_SHARE
        if not tasks:
            raise MeterError("the processes had ended before counting began")
        if len(tasks) * len(events) > most:
            raise MeterError("the threads need more than a fourth of the files that `ulimit -n` allows")
        refused: dict[str, str] = {}
        for name, event in events.items():
            try:
                self._open(name, event, tasks, open_event)
            except OSError as error:
                self._events.drop(name)
                refused[name] = refusal(error)
        general = [refused[name] for name in _GENERAL if name in refused]
        if CLOCK in refused or len(general) == len(_GENERAL):
            raise MeterError(refused.get(CLOCK) or general[0])
        self.absent |= {name: refused[name] for name in _GENERAL if name in refused}
        if why := next((refused[name] for name in flop if name in refused), None):
            self.absent[FLOP] = why
            for name in flop:
                self._events.drop(name)

    def _open(
        self, name: str, event: Event, tasks: Sequence[int], open_event: Callable[[int, int, int], int]
    ) -> None:
        """Open an event of all threads that have not ended meanwhile."""
        found = self._events.by_event.setdefault(name, [])
        for task in tasks:
            with suppress(ProcessLookupError):
                found.append(open_event(event.kind, event.config, task))
        if not found:
            raise ProcessLookupError(errno.ESRCH, "the processes had ended before counting began")

    def read(self, seconds: float) -> Reading:  # noqa: ARG002
        """Return counts since counting began, and nanoseconds in which each was asked for and counted."""
        counters: dict[str, float] = {}
        for name in self._events.by_event:
            try:
                counted, enabled, running = self._events.counts(name)
            except OSError as error:
                raise MeterError(f"{name}: {error.strerror or error}") from None
            counters |= {name: counted, f"{name}{ENABLED}": enabled, f"{name}{RUNNING}": running}
        return Reading(counters=counters)


def _threads(pids: Iterable[int]) -> list[int]:
    """Return the threads of processes and their descendants, without those of this process.

    All are listed before the first is counted: a thread that starts later counts with the one that started
    it, and must not count twice.
    """
    processes = {one for pid in pids for one in (pid, *living_tree(pid))} - {os.getpid()}
    threads: list[int] = []
    for process in sorted(processes):
        with suppress(OSError):  # ended meanwhile
            threads += (int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir())
    return threads


def refusal(error: OSError) -> str:
    """Return why the kernel does not count."""
    if error.errno in (errno.EACCES, errno.EPERM):
        try:
            level = f"; kernel.perf_event_paranoid is {_PARANOID.read_text().strip()}"
        except OSError:
            level = ""
        return f"this user may not count{level}"
    if error.errno in (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.EINVAL):
        return "not supported by this CPU, or hidden by its virtual machine"
    return f"perf_event_open: {error.strerror or error}"


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()
