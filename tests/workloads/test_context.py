from __future__ import annotations

import json
import os
import time

import pytest

from workloads.context import Clock, Context, line_writer


def _context(**changes):
    return Context(**({"seed": 1, "data": None, "cores": (0,)} | changes))


def test_marks_come_in_order_with_times_that_never_fall():
    sent = []
    context = _context(send=sent.append)
    context.start()
    with context.window():
        pass
    context.stop()
    assert [m["mark"] for m in sent] == ["ready", "run_start", "window_start", "window_stop", "run_stop"]
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


def test_lines_are_whole_json_even_with_nan():
    read, write = os.pipe()
    line_writer(write)({"value": float("nan"), "text": "a\nb"})
    os.close(write)
    with os.fdopen(read) as lines:
        (line,) = lines.readlines()
    assert json.loads(line)["text"] == "a\nb"
