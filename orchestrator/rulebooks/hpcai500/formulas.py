"""Formulas of HPC AI500 V2.0: FLOPS, Valid FLOPS, and how repeats become one figure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from orchestrator.rulebooks.means import usable

DROPPED_ENDS = 2
"""The highest and the lowest repeat are left out of a mean. Source: HPC AI500 V2.0."""


def flops(samples: float, seconds: float, flop_per_sample: float) -> float:
    """Return floating-point operations per second: (samples ÷ seconds) × FLOP per sample.

    `samples` are those of all processes together, so that the suite's images per second of a process times
    their number is samples ÷ seconds. Source: HPC AI500 V2.0.

    Raises
    ------
    ValueError
        If a number is not positive, or the result is not a usable number.
    """
    rate = usable("samples", samples) / usable("training seconds", seconds)
    return usable("FLOPS", rate * usable("FLOP per sample", flop_per_sample))


def penalty(achieved: float, target: float, exponent: int) -> float:
    """Return (achieved quality ÷ target quality) ^ exponent, by which FLOPS become Valid FLOPS.

    It is 1 at the target, 0 at quality 0, and above 1 beyond the target, as the suite's formula has no
    upper bound. Source: HPC AI500 V2.0; its exponents are 5 and 10.

    Raises
    ------
    ValueError
        If the quality is negative or not finite, the target not positive, or the result too large.
    """
    if not (math.isfinite(achieved) and achieved >= 0):
        raise ValueError(f"a quality is a finite number of at least 0, not {achieved!r}")
    try:
        return float((achieved / usable("target", target)) ** exponent)
    except OverflowError:
        raise ValueError(f"a quality of {achieved:g} has no finite penalty") from None


def kept(values: Sequence[float]) -> tuple[int, ...]:
    """Return the places of all values but one lowest and one highest; of fewer than 3 values, all.

    Of equal values the first counts as the lowest, the last as the highest.
    """
    if len(values) <= DROPPED_ENDS:
        return tuple(range(len(values)))
    places = sorted(range(len(values)), key=values.__getitem__)
    return tuple(sorted(places[1:-1]))


def variation(values: Sequence[float]) -> float | None:
    """Return standard deviation ÷ mean of positive values; None of fewer than 2.

    The suite does not say which standard deviation; that of a sample (n − 1) is the larger one.
    """
    return statistics.stdev(values) / statistics.fmean(values) if len(values) > 1 else None
