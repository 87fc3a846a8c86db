"""Repeat an operation for a while, and state its rate with the spread of the repetitions."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from workloads.context import Metric
from workloads.description import Parameter
from workloads.metrics.timing import calls_per_sample, timed_seconds

SECONDS = Parameter("seconds", 10.0, "repeat for so long at least", unit="s", minimum=0)
REPETITIONS = Parameter("repetitions", 5, "timed repetitions, at least", minimum=1)
WARM_UP = Parameter("warm_up", 2, "untimed calls before them", minimum=1)


def seconds_per_call(
    call: Callable[[], Any],
    *,
    seconds: float,
    repetitions: int,
    warm_up: int,
    synchronise: Callable[[], Any] = lambda: None,
) -> list[float]:
    """Return the seconds of a call in each repetition.

    Parameters
    ----------
    call
        Starts the operation once.
    seconds, repetitions
        Repeat for so long, and so often, at least.
    warm_up
        Calls before the first repetition.
    synchronise
        Waits until what was started is computed.
    """
    last = math.inf
    for _ in range(warm_up):
        last = timed_seconds(call, 1, synchronise)
    calls = calls_per_sample(last)
    found: list[float] = []
    begin = time.monotonic()
    while len(found) < repetitions or time.monotonic() - begin < seconds:
        found.append(timed_seconds(call, calls, synchronise) / calls)
    return found


def rate_metrics(name: str, unit: str, work: float, seconds: Sequence[float]) -> tuple[Metric, ...]:
    """Return the rate of an operation: median, lowest and highest of its repetitions, and their spread.

    Parameters
    ----------
    name, unit
        Of the rate, such as ``flop_per_second`` and ``FLOP/s``.
    work
        What one call does, in FLOP or bytes.
    seconds
        Of one call, in each repetition.

    Returns
    -------
    tuple of Metric
        ``name``, ``name_lowest`` and ``name_highest``; ``name_spread``, the standard deviation of the
        repetitions' rates divided by their mean; and ``repetitions``.
    """
    rates = [work / one for one in seconds]
    return (
        Metric(name, statistics.median(rates), unit),
        Metric(f"{name}_lowest", min(rates), unit),
        Metric(f"{name}_highest", max(rates), unit),
        Metric(f"{name}_spread", statistics.pstdev(rates) / statistics.fmean(rates)),
        Metric("repetitions", len(rates)),
    )
