"""Intervals for a quantile of one point that hold at every look.

Assumed: runs are independent, and come from one distribution, or from several (nodes, hours) between which
the design spreads them evenly; then the quantile is that of their mixture, and counts vary less than
binomial ones (W. Hoeffding, Annals of Mathematical Statistics 27 (1956) 713–721). Nothing is assumed of the
distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.base.statistics import CONFIDENCE
from orchestrator.analysis.sequential.boundaries import binomial_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Look:
    """An interval after a number of runs, or of pairs; a bound is None where they are too few for it."""

    look: int
    low: float | None
    high: float | None


def quantile_path(
    values: Numbers,
    at_least: int,
    at_most: int,
    confidence: float = CONFIDENCE,
    quantile: float = 0.5,
) -> list[Look]:
    """Return the interval of a quantile at every look.

    With probability `confidence` or more, all intervals of the path cover the quantile.

    Parameters
    ----------
    values
        Values in the registered order, shape (runs,). Runs after `at_most` are not looked at.
    at_least, at_most
        Runs at the first and at the last look.
    """
    return [
        quantile_interval(values[:n], at_least, at_most, confidence, quantile)
        for n in range(at_least, min(values.size, at_most) + 1)
    ]


def quantile_interval(
    values: Numbers,
    at_least: int,
    at_most: int,
    confidence: float = CONFIDENCE,
    quantile: float = 0.5,
) -> Look:
    """Return the interval of a quantile at the look after all of `values`, as in `quantile_path`."""
    n = values.size
    if not at_least <= n <= at_most:
        return Look(n, None, None)
    level = (1 - confidence) / 2
    low = int(binomial_ranks(quantile, level, at_least, at_most)[n])
    high = int(binomial_ranks(1 - quantile, level, at_least, at_most)[n])
    ordered = np.sort(values)
    return Look(n, float(ordered[low - 1]) if low else None, float(ordered[n - high]) if high else None)
