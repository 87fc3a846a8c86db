"""Durations and sizes mean what people write, or are refused."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sites.quantities import (
    CountRange,
    DurationRange,
    count_range,
    duration_range,
    memory_bytes,
    seconds,
    shown,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90 s", 90),
        ("90s", 90),
        ("1.5 h", 5400),
        ("10 min", 600),
        ("1 h 30 min", 5400),
        ("1h30min", 5400),
        ("2 hours 5 minutes 1 second", 7501),
        ("2 Days", 172_800),
        ("02:00:00", 7200),
        ("100:00:01", 360_001),
        ("10:30", 630),
        ("  5 s ", 5),
        (90, 90),
        (0.25, 0.25),
    ],
)
def test_durations(text: object, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    "bad",
    [
        *(
            "",
            " ",
            "90",
            "soon",
            "s",
            "10 m",
            "10 ms",
            "10 years",
            "1 h 30",
            "5 s 5",
            "-5 s",
            "1e3 s",
            "1,5 h",
        ),
        *("1:2:3:4", ":30", "1:2", "02:00:0", "5 s, 3 min", "inf", "nan s", "0 s", "00:00", "ten min"),
        *(10**400, "1" * 400 + ":00:00", "1" * 5000 + ":00:00", "1" * 400 + " h"),
        *(0, -1, 0.0, -0.5, math.nan, math.inf, -math.inf, True, False, None, [90], {"s": 90}),
    ],
)
def test_what_is_no_duration_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="must be a number of seconds or a text like"):
        seconds(bad)


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_a_number_of_seconds_stays_what_it_is(number: float) -> None:
    assert seconds(number) == number


@given(st.integers(0, 999), st.integers(0, 59), st.integers(0, 59))
def test_clock_and_units_agree(hours: int, minutes: int, rest: int) -> None:
    total = hours * 3600 + minutes * 60 + rest
    clock, words = f"{hours:02d}:{minutes:02d}:{rest:02d}", f"{hours} h {minutes} min {rest} s"
    if total == 0:
        with pytest.raises(ValueError):
            seconds(clock)
    else:
        assert seconds(clock) == seconds(words) == total


@given(st.floats(min_value=0.1, max_value=1e7))
def test_what_is_shown_reads_back_as_nearly_the_same(number: float) -> None:
    step = 0.05 if number < 10 else 0.5 if number < 3599.5 else 60.5
    assert abs(seconds(shown(number)) - number) <= step + 1e-9


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0.0 s"),
        (4.21, "4.2 s"),
        (42.4, "42 s"),
        (60, "1 min 00 s"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (5400, "1 h 30 min"),
        (360_000, "100 h 00 min"),
    ],
)
def test_shown(number: float, text: str) -> None:
    assert shown(number) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4 GiB", 4 << 30), ("4GiB", 4 << 30), ("4 GB", 4 * 10**9), ("1.5 GiB", 3 << 29), ("1 MiB", 1 << 20),
     ("2 TiB", 2 << 40), (1 << 30, 1 << 30), ("1073741824", 1 << 30)],
)  # fmt: skip
def test_sizes(text: object, expected: int) -> None:
    assert memory_bytes(text) == expected


@pytest.mark.parametrize(
    "bad",
    ["", "much", "4 GX", "-4 GiB", "GiB", 4, 0, -5, "4", "512 KiB", True, None, math.nan, math.inf, [4], 1.5],
)
def test_what_is_no_size_is_refused(bad: object) -> None:
    """A bare 4 is a forgotten unit, not four bytes."""
    with pytest.raises(ValueError, match="with a unit, such as 4 GiB"):
        memory_bytes(bad)


@given(st.integers(1, 10**6), st.sampled_from(["MiB", "GiB", "TiB", "MB", "GB"]))
def test_sizes_are_exact(number: int, unit: str) -> None:
    factor = {"MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "MB": 10**6, "GB": 10**9}[unit]
    if number * factor >= 1 << 20:
        assert memory_bytes(f"{number} {unit}") == number * factor


def test_a_range_counts_as_its_largest_number_and_has_the_smallest() -> None:
    nodes, walltime = count_range("4..64"), duration_range("30 min .. 12 h")
    assert (nodes + 0, nodes.least, walltime + 0, walltime.least) == (64, 4, 43200.0, 1800.0)
    assert (count_range(3).least, duration_range("1 min").least) == (3, 60.0)
    assert f"{nodes} {max(nodes, 65)}" == "64 65"


@pytest.mark.parametrize(
    "bad", ["4..", "..4", "64..4", "0..4", "a..b", "4..6..8", 0, -1, 1.5, True, None, [4]]
)
def test_what_is_no_range_of_counts_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match=r"must (be a whole number|name the smaller)"):
        count_range(bad)


@pytest.mark.parametrize("bad", ["1 h..", "..1 h", "2 h..1 h", "1 h..2 h..3 h", "x..y", None, True])
def test_what_is_no_range_of_durations_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match=r"must (be a (number|duration)|name the shorter)"):
        duration_range(bad)


@given(st.integers(1, 10**8), st.integers(0, 10**8), st.floats(1e-3, 1e8), st.floats(0, 1e8))
def test_ranges_are_written_as_they_are_read(least: int, more: int, short: float, longer: float) -> None:
    for made, read in (
        (CountRange(least + more, least), count_range),
        (DurationRange(short + longer, short), duration_range),
    ):
        assert read(made.written) == made
        for copied in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert copied == made
            assert (copied != made) is False
        assert (made == type(made)(made)) == (made.least == made + 0)
        assert (made != type(made)(made)) == (made.least < made)
