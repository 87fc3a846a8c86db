"""Medians with distribution-free intervals, without NumPy: every training process can afford them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CONFIDENCE = 0.95
CONFIDENCE_OF_A_LOOK = 0.98
"""Of an interval at whose width reruns may stop. Stopping at a width that is met by chance costs up to 3 % of
coverage (simulated in the tests), so that 95 % are left."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A median; the bounds are None where there are too few values for an interval."""

    median: float
    low: float | None
    high: float | None

    def within(self, relative_width: float) -> bool:
        """Return whether the interval is known and no wider than this share of the median."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low <= relative_width * abs(self.median)


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the median, and the interval between two order statistics that covers the true one.

    Raises
    ------
    ValueError
        If there are no values, or one of them is not a number.
    """
    ordered = sorted(values)
    if not ordered or any(math.isnan(value) for value in ordered):
        raise ValueError("a value is not a number" if ordered else "no values, so no median")
    number = len(ordered)
    median = (ordered[(number - 1) // 2] + ordered[number // 2]) / 2
    rank = interval_rank(number, confidence)
    if rank == 0:
        return Interval(median, None, None)
    return Interval(median, ordered[rank - 1], ordered[number - rank])


@lru_cache(maxsize=4096)
def interval_rank(number: int, confidence: float = CONFIDENCE) -> int:
    """Return the largest k so that the k-th lowest and highest values enclose the median; 0: none does.

    The number of values below the true median is binomial (n, 1/2), so that they do with a probability of
    1 - 2·P(number < k) (W. J. Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2).
    """
    tail = (1 - confidence) / 2
    below = 0.0
    # Further below the middle, 12 standard deviations, no term counts.
    first = max(0, number // 2 - math.ceil(6 * math.sqrt(number)))
    constant = math.lgamma(number + 1) - number * math.log(2)
    for k in range(first, number // 2 + 1):
        below += math.exp(constant - math.lgamma(k + 1) - math.lgamma(number - k + 1))
        if below > tail:
            return k
    return 0
