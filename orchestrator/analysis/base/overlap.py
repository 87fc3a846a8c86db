"""How many runs overlapped, and where the time of a set of runs went.

Pure functions over measured run starts and stops, in whole microseconds.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

MICROSECONDS = 1_000_000


def peak_overlap(starts: Sequence[int], stops: Sequence[int], lasting_us: int = 0) -> int:
    """Return the largest number of runs that were going on together.

    A run occupies the half-open interval from its start up to, but not including, its stop, so
    two runs back to back on one slot do not overlap. A run of no length occupies no instant and
    counts for nothing.

    Parameters
    ----------
    starts, stops
        Microseconds; element i of both belongs to run i.
    lasting_us
        How long the same runs must have been going on together; 0 for one instant.

    Raises
    ------
    ValueError
        If the columns differ in length, or a run stops before it starts.
    """
    check_intervals(starts, stops)
    if lasting_us:  # runs contain [t, t + lasting] together where they contain t, each shortened by lasting
        long_enough = [
            (start, stop) for start, stop in zip(starts, stops, strict=True) if stop - start >= lasting_us
        ]
        starts = [start for start, _ in long_enough]
        # The interval is half-open; one microsecond keeps a run that lasts exactly so long.
        stops = [stop - lasting_us + 1 for _, stop in long_enough]
    return peak_of(sorted(starts), sorted(stops))


def guaranteed_overlap(
    clocks: Iterable[tuple[int | None, int | None, Sequence[int], Sequence[int]]],
    lasting_us: int = 0,
) -> int:
    """Return how many runs were going on together for certain, by clocks that are off somewhat.

    Parameters
    ----------
    clocks
        For each clock: how far it was ahead of a common clock, at least and at most (None where
        unknown), and the starts and stops that it measured; all in microseconds.
    lasting_us
        As in `peak_overlap`.

    Returns
    -------
    int
        A lower bound: every run shortened to the time that it surely occupied; or, where that is more,
        the runs that one clock measured, whatever its error.

    Raises
    ------
    ValueError
        As `peak_overlap` does; also if a clock was ahead at least further than at most.
    """
    peak = 0
    begun: list[int] = []
    ended: list[int] = []
    for low, high, starts, stops in clocks:
        peak = max(peak, peak_overlap(starts, stops, lasting_us))
        if low is None or high is None:
            continue
        if low > high:
            raise ValueError(f"a clock cannot be ahead by {low} µs at least and by {high} µs at most")
        surely = [
            (start - low, stop - high)
            for start, stop in zip(starts, stops, strict=True)
            if start - low < stop - high
        ]
        begun += [start for start, _ in surely]
        ended += [stop for _, stop in surely]
    return max(peak, peak_overlap(begun, ended, lasting_us))


def overlapping(
    starts: Sequence[int], stops: Sequence[int], begun: Sequence[int], ended: Sequence[int]
) -> list[int]:
    """Return, for each run, how many of some intervals overlap it; all in microseconds by one clock.

    Parameters
    ----------
    begun, ended
        Starts and stops of the intervals, each sorted.
    """
    # Those that began before a run's stop, less those that ended by its start, overlap it.
    return [
        bisect_left(begun, stop) - bisect_right(ended, start)
        for start, stop in zip(starts, stops, strict=True)
    ]


def peak_of(begun: Sequence[int], ended: Sequence[int]) -> int:
    """Return `peak_overlap` of starts and stops that are sorted."""
    peak = over = 0
    for number, start in enumerate(begun, 1):
        while over < len(ended) and ended[over] <= start:
            over += 1
        peak = max(peak, number - over)
    return peak


def check_intervals(starts: Sequence[int], stops: Sequence[int]) -> None:
    """Check that starts and stops are equal columns; raises `ValueError` where they are not."""
    if len(starts) != len(stops):
        raise ValueError(f"{len(starts)} starts and {len(stops)} stops are not two equal columns")
    if any(map(operator.gt, starts, stops)):
        pairs = enumerate(zip(starts, stops, strict=True))
        backwards = [number for number, (start, stop) in pairs if stop < start]
        raise ValueError(f"{len(backwards)} runs stop before they start; the first is run {backwards[0]}")
