"""Which nodes, or slots, are slower than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.statistics import MAD_TO_SIGMA, holm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Codes = NDArray[np.int64]

FALSE_ALARMS = 0.01
"""Probability that any good place of a campaign is accused."""
LEAST_PLACES = 5
"""Fewer places have no spread to compare one of them with."""
LEAST_SLOWDOWN = 0.01
"""A slower place is not worth excluding, however certain its slowdown is."""
_MAD_EFFICIENCY = 0.37
"""Of the median absolute deviation as an estimate of sigma, against the standard deviation."""
_SMALLEST_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class PlaceScore:
    """How the runs of one place compare with those of the others.

    Parameters
    ----------
    place
        Its name.
    runs
        Number of its accepted runs.
    slowdown
        Median of (run time ÷ median of the benchmark) − 1; negative where it is faster.
    score
        Distance of its median from that of all places, in standard deviations of a place; None with fewer
        than `LEAST_PLACES` places.
    probability
        Of an error if it is accused, adjusted for the number of places; 1 where it cannot be judged.
    """

    place: str
    runs: int
    slowdown: float
    score: float | None
    probability: float

    @property
    def accused(self) -> bool:
        """Whether it is slower than the others, with a false-alarm rate of `FALSE_ALARMS` per campaign."""
        return self.probability <= FALSE_ALARMS and self.slowdown >= LEAST_SLOWDOWN


def place_scores(seconds: Column, benchmark: Codes, place: Codes, names: Sequence[str]) -> list[PlaceScore]:
    """Return the scores of all places with a run, the slowest first.

    A place is accused only if two tests agree; the larger of their probabilities counts, so that each may
    assume what the other does not:

    - The median of its standardized log time ratios lies far from that of the other places, as measured by
      their median absolute deviation (B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers,
      1993). Small differences between all nodes are part of that spread.
    - The normal scores (van der Waerden) of its runs among all runs of each benchmark are too high to come
      from the same distribution, whatever its tail, so that a few stragglers prove nothing.

    Parameters
    ----------
    seconds
        Run time of each accepted run, more than 0.
    benchmark, place
        Number of its benchmark and of its place.
    names
        Name of each place.
    """
    from scipy.stats import norm, rankdata, t

    ratio, deviation = np.empty_like(seconds), np.empty_like(seconds)
    total, variance = np.zeros(len(names)), np.zeros(len(names))
    runs = np.bincount(place, minlength=len(names))
    for code in np.unique(benchmark):
        mine = benchmark == code
        logs = np.log(seconds[mine])
        ratio[mine] = logs - np.median(logs)
        spread = MAD_TO_SIGMA * np.median(np.abs(ratio[mine]))
        deviation[mine] = ratio[mine] / max(spread, _SMALLEST_SPREAD)
        number = logs.size
        scores = norm.ppf(rankdata(logs) / (number + 1))
        there = np.bincount(place[mine], minlength=len(names))
        total += np.bincount(place[mine], weights=scores, minlength=len(names))
        if number > 1:  # of a sum of k of n scores, drawn without replacement
            variance += there * scores.var() * (number - there) / (number - 1)
    used = np.flatnonzero(runs)
    slowdown = _medians(ratio, place, used)
    center = _medians(deviation, place, used)
    score = center - np.median(center) if used.size else center
    score = score / max(MAD_TO_SIGMA * float(np.median(np.abs(score))) if used.size else 0, _SMALLEST_SPREAD)
    by_spread = t.sf(score, max(1.0, _MAD_EFFICIENCY * (used.size - 1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        by_rank = norm.sf(np.where(variance[used] > 0, total[used] / np.sqrt(variance[used]), 0.0))
    enough = used.size >= LEAST_PLACES
    probability = holm(np.maximum(by_spread, by_rank)) if enough else np.ones(used.size)
    found = [
        PlaceScore(names[k], int(runs[k]), float(np.expm1(slow)), float(one) if enough else None, float(p))
        for k, slow, one, p in zip(used, slowdown, score, probability, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.slowdown, one.place))


def _medians(values: Column, place: Codes, used: Codes) -> Column:
    """Return the median of the values of each used place."""
    order = np.lexsort((values, place))
    ordered = values[order]
    counts = np.bincount(place)[used]
    first = np.cumsum(counts) - counts
    found: Column = (ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2
    return found
