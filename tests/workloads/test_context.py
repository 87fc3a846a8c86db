from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from workloads.context import Barrier, Clock, Context, Paths, SlotView


def _context(**changes):
    return Context(seed=1, slot=SlotView(cores=(0,)), **changes)


def test_a_context_has_the_fields_of_its_slot_and_paths():
    slot = SlotView((0, 1), ("GPU-a",), 8, 4, rank=1, size=2)
    paths = Paths(Path("data"), Path("cache"), Path("scratch"))
    context = Context(seed=1, slot=slot, paths=paths)
    for group in (slot, paths):
        assert {one.name: getattr(context, one.name) for one in fields(group)} == asdict(group)


def test_marks_come_in_order_with_times_that_never_fall():
    sent = []
    context = _context(send=sent.append)
    context.start()
    with context.window():
        pass
    context.stop()
    assert [m["mark"] for m in sent] == [
        "ready",
        "run_start",
        "timed_window_start",
        "timed_window_stop",
        "run_stop",
    ]
    assert [m["at_us"] for m in sent] == sorted(m["at_us"] for m in sent)


def test_clock_is_near_the_wall_clock():
    assert abs(Clock().now_us() - time.time_ns() // 1000) < 1_000_000


def test_phases_add_up_and_survive_errors():
    context = _context()
    with context.phase("load"):
        pass
    first = context.phases["load"]
    with pytest.raises(KeyError), context.phase("load"):
        raise KeyError
    assert context.phases["load"] > first


def test_a_timed_part_waits_at_the_barrier(monkeypatch):
    order = []
    monkeypatch.setattr(Barrier, "wait", lambda self: order.append("opened"))
    for part in ("run", "window"):
        one = _context(send=lambda message: order.append(message["mark"]), barrier=Barrier(-1, part))
        one.start()
        with one.window():
            order.append("work")
    assert order == [
        *("ready", "at_barrier", "opened", "run_start", "timed_window_start", "work", "timed_window_stop"),
        *("ready", "run_start", "at_barrier", "opened", "timed_window_start", "work", "timed_window_stop"),
    ]


def test_a_run_that_was_held_starts_without_waiting_again(monkeypatch):
    order = []
    monkeypatch.setattr(Barrier, "wait", lambda self: order.append("opened"))
    one = _context(send=lambda message: order.append(message["mark"]), barrier=Barrier(-1))
    one.hold()
    order.append("loaded")
    one.start()
    assert order == ["ready", "at_barrier", "opened", "loaded", "run_start"]


def test_the_barrier_opens_at_the_announced_instant_or_fails_with_its_driver():
    read, write = os.pipe()
    os.write(write, f"{time.time_ns() // 1000 + 20_000}\n".encode())
    begin = time.monotonic()
    Barrier(read).wait()
    assert time.monotonic() - begin >= 0.015
    os.close(write)
    with pytest.raises(RuntimeError, match="closed before it opened"):
        Barrier(read).wait()
    os.close(read)


def test_a_context_imports_nothing_that_only_measurements_need():
    program = (
        "import sys, workloads.context; print([m for m in sys.modules if 'metrics' in m or m == 'numpy'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
