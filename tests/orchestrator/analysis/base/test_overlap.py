"""Overlap and makespan against hand-made schedules, brute force and an event-by-event count."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.analysis.base.makespan import makespan_breakdown
from orchestrator.analysis.base.overlap import peak_overlap

SECOND = 1_000_000
intervals = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=30)


def columns(runs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return starts and stops of (start, length) pairs."""
    return [start for start, _ in runs], [start + length for start, length in runs]


@pytest.mark.parametrize(
    ("runs", "peak"),
    [
        ([], 0),
        ([(5, 0)], 0),  # no length, no instant
        ([(5, 1)], 1),
        ([(0, 5), (5, 5)], 1),  # back to back on one slot
        ([(0, 5), (4, 5)], 2),  # [4, 5) is shared
        ([(0, 10), (5, 0), (5, 0)], 1),  # runs of no length inside a run
        ([(0, 5), (0, 5), (0, 5)], 3),
        ([(0, 2), (1, 2), (2, 2), (3, 2)], 2),
        ([(1_760_000_000_000_000, 1), (1_760_000_000_000_000, 2)], 2),
    ],
)
def test_peak_overlap_by_hand(runs: list[tuple[int, int]], peak: int) -> None:
    assert peak_overlap(*columns(runs)) == peak


@given(intervals)
def test_peak_overlap_is_what_counting_every_instant_gives(runs: list[tuple[int, int]]) -> None:
    starts, stops = columns(runs)
    counted = [sum(start <= at < stop for start, stop in zip(starts, stops, strict=True)) for at in range(60)]
    assert peak_overlap(starts, stops) == max(counted)


@given(intervals, st.integers(-(10**15), 10**15), st.randoms())
def test_peak_overlap_knows_no_order_and_no_origin(
    runs: list[tuple[int, int]], shift: int, dice: random.Random
) -> None:
    moved = [(start + shift, length) for start, length in runs]
    dice.shuffle(moved)
    assert peak_overlap(*columns(moved)) == peak_overlap(*columns(runs))


@pytest.mark.parametrize(
    ("starts", "stops", "words"),
    [
        ([5, 9], [6, 8], "1 runs stop before they start; the first is run 1"),
        ([1], [1, 2], "two equal columns"),
    ],
)
def test_what_is_no_measured_interval_is_refused(starts: list[int], stops: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        peak_overlap(starts, stops)
    with pytest.raises(ValueError, match=words):
        makespan_breakdown(starts, stops, 4)


def test_one_wave_by_hand() -> None:
    # Four slots, runs of 10, 10, 12 and 20 s that start at 0, 0, 1 and 2 s and stop at 10, 10, 13, 22.
    starts, stops = columns(
        [(0, 10 * SECOND), (0, 10 * SECOND), (SECOND, 12 * SECOND), (2 * SECOND, 20 * SECOND)]
    )
    found = makespan_breakdown(starts, stops, 4)
    assert (found.runs, found.slots) == (4, 4)
    assert found.span_seconds == 22.0  # 22 − 0
    assert found.start_skew_seconds == 2.0  # 2 − 0
    assert found.median_run_seconds == 11.0  # (10 + 12) ÷ 2
    assert found.longest_run_seconds == 20.0
    assert found.tail_seconds == 9.0  # 20 − 11
    assert found.slot_use == pytest.approx(52 / 88)  # 10 + 10 + 12 + 20 = 52; 4 × 22 = 88
    assert found.idle_slot_seconds == 36.0  # 88 − 52
    assert found.idle_share == pytest.approx(36 / 88)


def test_two_waves_skew_is_the_time_until_the_slots_were_full() -> None:
    # Two slots, four runs of 10 s: 0–10 and 3–13, then 10–20 and 13–23.
    starts, stops = columns([(at * SECOND, 10 * SECOND) for at in (0, 3, 10, 13)])
    found = makespan_breakdown(starts, stops, 2)
    assert found.start_skew_seconds == 3.0
    assert found.tail_seconds == 0.0
    assert found.slot_use == pytest.approx(40 / 46)  # 4 × 10; 2 × 23


def test_a_perfect_wave_leaves_nothing_idle() -> None:
    found = makespan_breakdown(*columns([(7, 5 * SECOND)] * 8), 8)
    assert (found.slot_use, found.idle_share, found.start_skew_seconds, found.tail_seconds) == (
        1.0,
        0.0,
        0.0,
        0.0,
    )


def test_empty_slots_are_idle_slots() -> None:
    found = makespan_breakdown(*columns([(0, SECOND)]), 4)
    assert (found.slot_use, found.idle_share, found.idle_slot_seconds) == (0.25, 0.75, 3.0)


@pytest.mark.parametrize(
    ("runs", "slots", "words"),
    [
        ([], 1, "no runs"),
        ([(0, 0)], 1, "no time passed"),
        ([(0, 5), (0, 5)], 1, "2 runs overlapped, which 1 slots cannot hold"),
        ([(0, 5)], 0, "cannot hold"),
    ],
)
def test_a_breakdown_needs_runs_time_and_room(runs: list[tuple[int, int]], slots: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        makespan_breakdown(*columns(runs), slots)


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**9)), min_size=1, max_size=30),
    st.integers(0, 5),
)
def test_a_breakdown_adds_up(runs: list[tuple[int, int]], spare: int) -> None:
    starts, stops = columns(runs)
    slots = peak_overlap(starts, stops) + spare
    found = makespan_breakdown(starts, stops, slots)
    assert 0 < found.slot_use <= 1
    assert found.slot_use + found.idle_share == pytest.approx(1)
    busy = sum(length for _, length in runs) / SECOND
    assert busy + found.idle_slot_seconds == pytest.approx(slots * found.span_seconds)
    assert 0 <= found.start_skew_seconds < found.span_seconds
    assert found.tail_seconds >= 0
    assert found.median_run_seconds + found.tail_seconds == pytest.approx(found.longest_run_seconds)
    assert found.longest_run_seconds <= found.span_seconds
