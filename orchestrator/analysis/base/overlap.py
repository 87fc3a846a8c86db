"""How many runs overlapped, and where the time of a set of runs went.

Pure functions over measured run starts and stops, in whole microseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MICROSECONDS = 1_000_000


def peak_overlap(starts: NDArray[np.int64], stops: NDArray[np.int64], lasting_us: int = 0) -> int:
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
        If the arrays differ in shape, are not whole numbers in one dimension, or a run stops
        before it starts.
    """
    starts, stops = checked_intervals(starts, stops)
    if lasting_us:  # runs contain [t, t + lasting] together where they contain t, each shortened by lasting
        long_enough = stops - starts >= lasting_us
        # The interval is half-open; one microsecond keeps a run that lasts exactly so long.
        starts, stops = starts[long_enough], stops[long_enough] - lasting_us + 1
    return peak_of(np.sort(starts), np.sort(stops))


def guaranteed_overlap(
    clocks: Iterable[tuple[int | None, int | None, NDArray[np.int64], NDArray[np.int64]]],
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
    kept: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for low, high, starts, stops in clocks:
        peak = max(peak, peak_overlap(starts, stops, lasting_us))
        if low is None or high is None:
            continue
        if low > high:
            raise ValueError(f"a clock cannot be ahead by {low} µs at least and by {high} µs at most")
        surely = starts - low < stops - high
        kept.append((starts[surely] - low, stops[surely] - high))
    if not kept:
        return peak
    begun, ended = map(np.concatenate, zip(*kept, strict=True))
    return max(peak, peak_overlap(begun, ended, lasting_us))


def overlapping(
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    begun: NDArray[np.int64],
    ended: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return, for each run, how many of some intervals overlap it; all in microseconds by one clock.

    Parameters
    ----------
    begun, ended
        Starts and stops of the intervals, each sorted.
    """
    # Those that began before a run's stop, less those that ended by its start, overlap it.
    return np.searchsorted(begun, stops, side="left") - np.searchsorted(ended, starts, side="right")


def peak_of(begun: NDArray[np.int64], ended: NDArray[np.int64]) -> int:
    """Return `peak_overlap` of starts and stops that are sorted."""
    if begun.size == 0:
        return 0
    over = np.searchsorted(ended, begun, side="right")
    return int((np.arange(1, begun.size + 1) - over).max())


def checked_intervals(
    starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and stops as equal columns; raises `ValueError` where they are not."""
    starts, stops = np.asarray(starts), np.asarray(stops)
    if starts.ndim != 1 or starts.shape != stops.shape:
        raise ValueError(f"starts {starts.shape} and stops {stops.shape} are not two equal columns")
    if starts.size and not (starts.dtype.kind in "iu" and stops.dtype.kind in "iu"):
        raise ValueError(f"times are whole microseconds, not {starts.dtype} and {stops.dtype}")
    starts, stops = starts.astype(np.int64, copy=False), stops.astype(np.int64, copy=False)
    backwards = np.flatnonzero(stops < starts)
    if backwards.size:
        raise ValueError(
            f"{backwards.size} runs stop before they start; the first is run {int(backwards[0])}"
        )
    return starts, stops
