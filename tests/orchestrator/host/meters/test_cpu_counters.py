"""Counters of processes: by this machine's kernel where it counts time, by made-up answers else."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.host._linux import open_perf_event, read_perf_event
from orchestrator.host.meters import cpu_counters
from orchestrator.host.meters.cpu_counters import CpuCounters, Event, flop_events
from orchestrator.host.meters.readings import MeterError
from tests.requirements import needs_counting

FLOP = {"flop_1": Event(4, 0x1F03)}
BURN = """
import subprocess, sys, threading, time

def burn(seconds):
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        pass

def thread(seconds):
    found = threading.Thread(target=burn, args=(seconds,))
    found.start()
    return found

early = threading.Thread(target=lambda: (sys.stdin.readline(), burn(0.2)))
early.start()
print("ready", flush=True)
early.join()
thread(0.2).join()
subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.2: pass"])
print("done", flush=True)
sys.stdin.readline()
"""


def time_of(kind: int, config: int, task: int) -> int:
    """Count CPU time, in nanoseconds, in place of an event that this machine may lack."""
    assert kind in (0, 1, 4)
    assert config >= 0
    return open_perf_event(1, 1, task)


def refusing(number: int, *kinds: int) -> Callable[[int, int, int], int]:
    def opened(kind: int, config: int, task: int) -> int:
        assert task > 0
        if kind in kinds and (kind, config) != (0, 0):  # cycles stay
            raise OSError(number, os.strerror(number))
        return os.open(os.devnull, os.O_RDONLY)

    return opened


def cpu(vendor: str, family: int, model: int) -> str:
    return (
        f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        "model name\t: A CPU\n\nprocessor\t: 1\nvendor_id\t: Other\n"
    )


@pytest.mark.parametrize(
    ("cpuinfo", "release", "configs"),
    [
        (
            cpu("GenuineIntel", 6, 0x55),
            "4.18.0-553.el8",
            {0x03C7: 1, 0x04C7: 2, 0x18C7: 4, 0x60C7: 8, 0x80C7: 16},
        ),
        (cpu("AuthenticAMD", 23, 49), "5.14.21-150500", {0xFF03: 1}),
        (cpu("AuthenticAMD", 25, 17), "6.18.44-fc-v595", {0x1F03: 1}),
        (cpu("AuthenticAMD", 26, 2), "6.12.0", {0x0F03: 1}),
    ],
)
def test_each_cpu_has_its_events(cpuinfo: str, release: str, configs: Mapping[int, int]) -> None:
    found = flop_events(cpuinfo, release)
    assert {event.config: event.weight for event in found.values()} == configs
    assert {name: int(name.partition("_")[2]) for name in found} == {
        name: event.weight for name, event in found.items()
    }


@pytest.mark.parametrize(
    ("cpuinfo", "release", "why"),
    [
        (cpu("GenuineIntel", 6, 0x97), "6.1.0", "no event for floating-point operations of A CPU is known"),
        (cpu("AuthenticAMD", 21, 2), "6.1.0", "of A CPU is known"),
        (cpu("AuthenticAMD", 25, 1), "5.4.0", "Linux 5.4.0 counts too few on A CPU; 5.6 and later count all"),
        ("CPU implementer\t: 0x41\n", "6.1.0", "of this CPU is known"),
        ("", "6.1.0", "of this CPU is known"),
    ],
)
def test_other_cpus_have_a_reason(cpuinfo: str, release: str, why: str) -> None:
    with pytest.raises(MeterError, match=why):
        flop_events(cpuinfo, release)


@pytest.mark.slow
def test_threads_and_children_count_once_and_stay_readable_after_the_end() -> None:
    needs_counting()
    with subprocess.Popen(
        [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        counters = CpuCounters([child.pid, os.getpid()], FLOP, time_of)
        before = counters.read(0.0).counters
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "done\n"
        during = counters.read(1.0).counters
        child.communicate("\n")
    after = counters.read(2.0).counters
    for name in ("task_clock", "cpu_instructions", "flop_1"):
        assert 0.6e9 < during[name] - before[name] < 3e9  # with what starting an interpreter takes
        assert after[name] >= during[name]
        assert after[f"{name}.enabled"] == after[f"{name}.running"]
    assert counters.absent == {}


@pytest.mark.slow
def test_descriptors_are_closed_with_the_meter() -> None:
    needs_counting()
    before = os.listdir("/proc/self/fd")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        counters = CpuCounters([child.pid], FLOP, time_of)
        assert len(os.listdir("/proc/self/fd")) > len(before) + len(FLOP)
        del counters
        child.communicate(b"\n")
    assert os.listdir("/proc/self/fd") == before


@pytest.fixture
def pid() -> Iterator[int]:
    """Start a process that waits, and return its number."""
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield child.pid
        child.communicate(b"\n")


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENOENT, "not supported by this CPU, or hidden by its virtual machine"),
        (errno.EOPNOTSUPP, "not supported by this CPU, or hidden by its virtual machine"),
        (errno.EACCES, "this user may not count; kernel.perf_event_paranoid is 4"),
        (errno.EMFILE, "perf_event_open: Too many open files"),
    ],
)
def test_a_refusal_has_its_reason(
    number: int, why: str, pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "paranoid").write_text("4\n")
    monkeypatch.setattr(cpu_counters, "_PARANOID", tmp_path / "paranoid")
    before = os.listdir("/proc/self/fd")
    assert CpuCounters([pid], FLOP, refusing(number, 4)).absent == {"flop": why}
    general = {"cpu_instructions": why, "cpu_cache_misses": why}
    assert CpuCounters([pid], FLOP, refusing(number, 0)).absent == general
    with pytest.raises(MeterError, match=why):
        CpuCounters([pid], {}, refusing(number, 1))
    assert os.listdir("/proc/self/fd") == before


def test_counters_leave_files_to_the_attempt(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (16, 16))
    with pytest.raises(MeterError, match="need more than a fourth of the files"):
        CpuCounters([pid], FLOP, time_of)


def test_processes_that_have_ended_cannot_be_counted() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    with pytest.raises(MeterError, match="the processes had ended before counting began"):
        CpuCounters([child.pid], {}, time_of)


def test_an_event_without_a_counter_says_so(pid: int) -> None:
    counters = CpuCounters([pid], {}, refusing(0))
    with pytest.raises(MeterError, match="task_clock: the CPU has no counter left"):
        counters.read(0.0)
    with pytest.raises(OSError, match="no counter left"), open(os.devnull, "rb") as empty:
        read_perf_event(empty.fileno())
