"""Where the time of a benchmark went."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.analysis.base.overlap import MICROSECONDS, check_intervals, peak_of


@dataclass(frozen=True, slots=True)
class MakespanBreakdown:
    """Where the time between the first start and the last stop went.

    Parameters
    ----------
    runs, slots
        How many runs, on how many slots.
    span_seconds
        Last stop − first start.
    start_skew_seconds
        Time from the first start until as many runs had started as there are slots (or all of
        them, where there are fewer): how long the slots took to fill.
    median_run_seconds
        Median length of a run.
    longest_run_seconds
        Length of the longest run.
    tail_seconds
        Longest run − median run: what the slowest one adds to a perfectly even wave.
    slot_use
        Sum of run times ÷ (slots × span), between 0 and 1.
    idle_slot_seconds
        Slots × span − sum of run times.
    idle_share
        Idle slot-seconds ÷ (slots × span), so 1 − slot use.
    """

    runs: int
    slots: int
    span_seconds: float
    start_skew_seconds: float
    median_run_seconds: float
    longest_run_seconds: float
    tail_seconds: float
    slot_use: float
    idle_slot_seconds: float
    idle_share: float


def makespan_breakdown(starts: Sequence[int], stops: Sequence[int], slots: int) -> MakespanBreakdown:
    """Return where the time of a set of runs on `slots` slots went.

    Raises
    ------
    ValueError
        As `peak_overlap` does; also if there are no runs, no time passed, or more runs
        overlapped than there are slots.
    """
    check_intervals(starts, stops)
    begun = sorted(starts)
    peak = peak_of(begun, sorted(stops))
    if not begun:
        raise ValueError("no runs to break down")
    if slots < max(peak, 1):
        raise ValueError(f"{peak} runs overlapped, which {slots} slots cannot hold")
    span = max(stops) - begun[0]
    if span == 0:
        raise ValueError("no time passed between the first start and the last stop")
    lengths = [stop - start for start, stop in zip(starts, stops, strict=True)]
    filled = begun[min(slots, len(begun)) - 1]
    median, longest = statistics.median(lengths), max(lengths)
    busy, offered = sum(lengths), slots * span
    return MakespanBreakdown(
        runs=len(begun),
        slots=slots,
        span_seconds=span / MICROSECONDS,
        start_skew_seconds=(filled - begun[0]) / MICROSECONDS,
        median_run_seconds=median / MICROSECONDS,
        longest_run_seconds=longest / MICROSECONDS,
        tail_seconds=(longest - median) / MICROSECONDS,
        slot_use=busy / offered,
        idle_slot_seconds=(offered - busy) / MICROSECONDS,
        idle_share=(offered - busy) / offered,
    )
