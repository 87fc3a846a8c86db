"""Times of other nodes: what bounds prove, and no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.node.agents.clock_offsets import ClockOffset, offset_bounds

SECOND = 1_000_000
MARKS = {"run_start": 100 * SECOND, "timed_window_start": 110 * SECOND, "timed_window_stop": 150 * SECOND} | {
    "run_stop": 160 * SECOND
}


def test_a_clock_that_may_be_right_is_taken_as_it_is() -> None:
    clock = offset_bounds([5 * SECOND, 9 * SECOND], 2 * SECOND, 10 * SECOND)
    assert clock == ClockOffset(-1 * SECOND, 3 * SECOND)
    assert not clock.nonzero
    assert clock.marks(MARKS) == MARKS
    assert clock.instant(7) == 7


def test_nothing_told_corrects_nothing() -> None:
    assert offset_bounds([], 0, 10).marks(MARKS) == MARKS


def test_a_clock_that_is_off_leaves_what_is_certain() -> None:
    clock = offset_bounds([1005 * SECOND, 1009 * SECOND], 2 * SECOND, 10 * SECOND)
    assert clock == ClockOffset(999 * SECOND, 1003 * SECOND)
    moved = clock.marks({name: at + 1000 * SECOND for name, at in MARKS.items()})
    assert moved == {
        "run_start": 101 * SECOND,
        "timed_window_start": 111 * SECOND,
        "timed_window_stop": 147 * SECOND,
        "run_stop": 157 * SECOND,
    }


def test_what_may_have_been_no_longer_than_nothing_is_an_instant() -> None:
    clock = ClockOffset(60 * SECOND, 110 * SECOND)
    assert clock.marks(MARKS) == {
        "run_start": 40 * SECOND,
        "run_stop": 50 * SECOND,
        "timed_window_start": 45 * SECOND,
        "timed_window_stop": 45 * SECOND,
    }


@given(
    real=st.integers(-(10**9), 10**9),
    launched=st.integers(0, 10**7),
    lasted=st.integers(0, 10**9),
    noticed=st.integers(0, 10**7),
)
def test_bounds_hold_the_truth(real: int, launched: int, lasted: int, noticed: int) -> None:
    began = 10**12
    start, stop = began + launched, began + launched + lasted
    clock = offset_bounds([start + real, stop + real], began, stop + noticed)
    assert clock.low_us <= real <= clock.high_us
    told = clock.marks({"run_start": start + real, "run_stop": stop + real})
    assert told["run_start"] <= told["run_stop"]
    if clock.nonzero and told["run_start"] < told["run_stop"]:
        assert start <= told["run_start"] <= told["run_stop"] <= stop
