"""Seconds of a call, repeated until their median is known well enough."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workloads.metrics.intervals import CONFIDENCE, CONFIDENCE_OF_A_LOOK, Interval, median_interval

_SHORTEST_SECONDS = 0.01
"""Calls that take less are timed several at once, so that reading the clock costs nothing of note."""
_SAMPLES = 10
"""Samples that a budget has room for."""
_FIRST_LOOK = 8
_GROWTH = 1.25
"""Reruns from one look at the interval's width to the next: the fewer looks, the less coverage they cost."""


def timed_seconds(call: Callable[[], Any], calls: int, synchronise: Callable[[], Any]) -> float:
    """Return the seconds of so many calls, with the device idle before and after."""
    synchronise()
    begin = time.monotonic_ns()
    for _ in range(calls):
        call()
    synchronise()
    return max(1, time.monotonic_ns() - begin) / 1e9


def calls_per_sample(seconds: float, budget_seconds: float = math.inf) -> int:
    """Return how many calls of so many seconds are timed at once, so that a budget has an interval."""
    shortest = min(_SHORTEST_SECONDS, budget_seconds / _SAMPLES)
    return max(1, math.ceil(shortest / max(seconds, 1e-9)))


@dataclass(slots=True)
class Times:
    """Seconds of a call, in each rerun.

    Parameters
    ----------
    seconds
        Of one call; the mean of `calls` calls that were timed at once.
    looks
        How often the width of the interval was looked at, to decide whether to go on.
    runs
        Calls in all, with the first one, which is no rerun where several are timed at once.
    """

    seconds: list[float] = field(default_factory=list)
    calls: int = 1
    looks: int = 0
    runs: int = 1

    def interval(self) -> Interval:
        """Return the median with an interval that covers the true one with 95 % or more."""
        return median_interval(self.seconds, CONFIDENCE_OF_A_LOOK if self.looks else CONFIDENCE)


def sample(
    call: Callable[[], Any],
    synchronise: Callable[[], Any],
    first_seconds: float,
    *,
    reruns: int | None,
    budget_seconds: float,
    relative_width: float,
) -> Times:
    """Time a call again and again.

    Parameters
    ----------
    call
        Starts the operation once.
    synchronise
        Waits until what was started is computed.
    first_seconds
        Of the call before; the first rerun where calls are not timed several at once.
    reruns
        Exactly so many, one call each; None: until one of the next two is reached.
    budget_seconds
        Seconds of all reruns together, of which the last may take more.
    relative_width
        Wished width of the interval, as a share of the median.
    """
    if reruns is not None:
        further = [timed_seconds(call, 1, synchronise) for _ in range(reruns - 1)]
        return Times([first_seconds, *further], runs=reruns)
    calls = calls_per_sample(first_seconds, budget_seconds)
    times = Times([first_seconds] if calls == 1 else [], calls)
    begin, spent_before = time.monotonic(), sum(times.seconds)
    next_look = _FIRST_LOOK
    while not times.seconds or spent_before + time.monotonic() - begin < budget_seconds:
        times.seconds.append(timed_seconds(call, calls, synchronise) / calls)
        times.runs += calls
        if len(times.seconds) >= next_look:
            times.looks += 1
            if times.interval().within(relative_width):
                break
            next_look = math.ceil(len(times.seconds) * _GROWTH)
    return times
