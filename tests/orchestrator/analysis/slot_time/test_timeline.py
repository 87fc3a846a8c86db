"""What slots did over time, in cells: worked by hand, and against sums over attempts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.analysis.slot_time.timeline import (
    DISCARDED,
    OTHERS,
    concurrent_runs,
    natural,
    slot_timeline,
)
from tests.orchestrator.analysis.slot_time.test_parts import attempts, session


def one(start: int, stop: int, **facts: Any) -> dict[str, Any]:
    """Return an attempt whose process and run have the same times."""
    return {"at": (1, start, start, start, stop, stop, stop + 1), **facts}


def test_cells_hold_the_share_of_time_with_a_process() -> None:
    times = attempts(
        one(100, 150, node="n2"), one(100, 140, node="n10"), one(160, 200, node="n10", benchmark="c")
    )
    found = slot_timeline(times, rows=10, columns=4, benchmarks=8)
    assert found is not None
    assert (found.slots, found.nodes, found.begin_us, found.end_us) == (2, 2, 100, 200)
    assert found.names == ("b", "c")
    assert found.busy.tolist() == [[1, 1, 0, 0], pytest.approx([1, 0.6, 0.6, 1])]
    assert found.owner.tolist() == [[0, 0, -1, -1], [0, 0, 1, 1]]


def test_slots_share_rows_where_there_are_more() -> None:
    times = attempts(*(one(0 + 1, 101, slot=k) for k in range(4)), one(101, 201, slot=0))
    found = slot_timeline(times, rows=2, columns=2, benchmarks=8)
    assert found is not None
    assert found.busy.tolist() == [[1, 0.5], [1, 0]]


def test_attempts_that_did_not_count_and_benchmarks_without_a_colour() -> None:
    times = attempts(
        one(1, 50, benchmark="small"), one(50, 80, benchmark="large", state="failed"),
        one(80, 300, benchmark="large"), one(300, 340, benchmark="tiny"),
    )  # fmt: skip
    found = slot_timeline(times, rows=1, columns=200, benchmarks=1)
    assert found is not None
    assert found.names == ("large", OTHERS, DISCARDED)
    assert [found.names[k] for k in dict.fromkeys(found.owner[0].tolist())] == [OTHERS, DISCARDED, "large"]


def test_an_attempt_that_still_runs_goes_on_to_the_end() -> None:
    running = {"at": (1, 10, 0, 0, 0, 0, 0), "state": "running", "slot": 1}
    found = slot_timeline(attempts(one(10, 110), running), rows=2, columns=2, benchmarks=8)
    assert found is not None
    assert found.busy.tolist() == [[1, 1], [1, 1]]
    assert found.names == ("b",)


def test_what_a_dead_driver_left_ended_with_it() -> None:
    ran = [one(10, 50), {"at": (805, 810, 810, 810, 1010, 1010, 1011), "session": 2}]
    left = {"at": (1, 10, 0, 0, 0, 0, 800), "state": "lost", "slot": 1}
    sessions = [session(1, "driver_died"), session(2, started=700)]
    found = slot_timeline(attempts(*ran, left), rows=2, columns=10, benchmarks=8, sessions=sessions)
    assert found is not None
    assert found.names == ("b", DISCARDED)
    assert found.busy.tolist()[1] == pytest.approx([0.41] + [0.0] * 9)  # to 51, the receipt of a result
    assert found.owner.tolist()[1] == [1] + [-1] * 9


def test_without_a_process_there_is_nothing_to_draw() -> None:
    waiting = {"at": (1, 0, 0, 0, 0, 0, 0), "state": "submitted"}
    assert slot_timeline(attempts(waiting), rows=2, columns=2, benchmarks=8) is None
    assert concurrent_runs(attempts(waiting), spans=3) is None


@given(
    st.lists(
        st.tuples(st.integers(1, 500), st.integers(1, 400), st.integers(0, 6), st.sampled_from("abcd")),
        min_size=1, max_size=40,
    ),
    st.integers(1, 9), st.integers(1, 30),
)  # fmt: skip
def test_the_picture_holds_exactly_the_time_of_all_processes(
    drawn: list[tuple[int, int, int, str]], rows: int, columns: int
) -> None:
    free: dict[int, int] = {}
    given_attempts = []
    for gap, length, slot, name in drawn:  # one after the other on each slot
        start = free.get(slot, 0) + gap
        free[slot] = start + length
        given_attempts.append(one(start, start + length, slot=slot, benchmark=name))
    found = slot_timeline(attempts(*given_attempts), rows=rows, columns=columns, benchmarks=2)
    assert found is not None
    height = found.busy.shape[0]
    slots_of_row = np.bincount(np.arange(found.slots) * height // found.slots, minlength=height)[:, None]
    cell = (found.end_us - found.begin_us) / columns
    assert (found.busy * slots_of_row * cell).sum() == pytest.approx(sum(one[1] for one in drawn), rel=1e-4)
    assert found.busy.max() <= 1
    assert ((found.owner >= 0) == (found.busy > 0)).all()


@given(
    st.lists(st.tuples(st.integers(1, 300), st.integers(1, 200)), min_size=1, max_size=30), st.integers(1, 12)
)
def test_runs_at_once_are_the_largest_number_within_each_span(
    drawn: list[tuple[int, int]], spans: int
) -> None:
    given_attempts = [one(start, start + length, slot=k) for k, (start, length) in enumerate(drawn)]
    found = concurrent_runs(attempts(*given_attempts), spans=spans)
    assert found is not None
    for number, most in enumerate(found.most["b"].tolist()):
        low, high = found.edges_us[number], found.edges_us[number + 1]
        last = number == spans - 1
        moments = range(low, high + last)
        at_once = [sum(start <= t < start + length for start, length in drawn) for t in moments]
        assert most == max(at_once, default=most)


def test_nodes_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["n10", "n2", "m1", "n2b", ""], key=natural) == ["", "m1", "n2", "n2b", "n10"]
