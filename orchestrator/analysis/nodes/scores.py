"""Finds nodes, or slots, that are slower than the others.

A place is called slow only if two tests agree; the larger of their probabilities counts, so that each may
assume what the other does not:

- The median of its standardized log time ratios lies far from that of the other places, as measured by their
  median absolute deviation (B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers, 1993). Small
  differences between all nodes are part of that spread.
- The normal scores (van der Waerden) of its runs among all runs of each benchmark are too high to come from
  one distribution, whatever its tail, so that a few stragglers prove nothing. Where the first test is beyond
  doubt and the normal approximation leaves this one open, permutations decide it (P. H. Westfall and
  S. S. Young, Resampling-Based Multiple Testing, 1993, section 2.3).

Both are corrected for the number of places by Holm's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.base.statistics import MAD_TO_SIGMA, holm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Codes = NDArray[np.int64]

FALSE_ALARMS = 0.01
"""Probability that any good place of a campaign is called slow."""
LEAST_PLACES = 5
"""Fewer places have no spread to compare one of them with."""
LEAST_SLOWDOWN = 0.01
"""A slower place is not worth excluding, however certain its slowdown is."""
_MAD_EFFICIENCY = 0.37
"""Of the median absolute deviation as an estimate of sigma, against the standard deviation."""
_SMALLEST_SPREAD = 1e-9
_BEYOND_DOUBT = 1e-4
_WORTH_PERMUTING = 0.2
_PERMUTATIONS = 1000
_SEED = 2017


@dataclass(frozen=True, slots=True)
class PlaceScore:
    """How the runs of one place compare with those of the others.

    Parameters
    ----------
    slowdown
        Median of (run time ÷ median of the benchmark) − 1; negative where it is faster.
    score
        Distance of its median from that of all places, in standard deviations of a place; None with fewer
        than `LEAST_PLACES` places.
    probability
        Of an error if it is called slow, adjusted for the number of places; 1 where it cannot be judged.
    """

    place: str
    runs: int
    slowdown: float
    score: float | None
    probability: float

    @property
    def slow(self) -> bool:
        """True if it is slower than the others, with a false-alarm rate of `FALSE_ALARMS` per campaign."""
        return self.probability <= FALSE_ALARMS and self.slowdown >= LEAST_SLOWDOWN


def place_scores(seconds: Column, benchmark: Codes, place: Codes, names: Sequence[str]) -> list[PlaceScore]:
    """Return the scores of all places with a run, the slowest first, by the two tests of this module.

    Parameters
    ----------
    seconds
        Run time of each accepted run, more than 0.
    benchmark, place
        Number of its benchmark and of its place.
    names
        Name of each place.
    """
    from scipy.special import ndtr, ndtri  # as norm of scipy.stats does, which takes half a second to import

    ratio, deviation = np.empty_like(seconds), np.empty_like(seconds)
    normal_scores = np.empty_like(seconds)
    variance = np.zeros(len(names))
    runs = np.bincount(place, minlength=len(names))
    for code in np.unique(benchmark):
        mine = benchmark == code
        logs = np.log(seconds[mine])
        ratio[mine] = logs - np.median(logs)
        spread = MAD_TO_SIGMA * np.median(np.abs(ratio[mine]))
        deviation[mine] = ratio[mine] / max(spread, _SMALLEST_SPREAD)
        number = logs.size
        normal_scores[mine] = scores = ndtri(_ranks(logs) / (number + 1))
        there = np.bincount(place[mine], minlength=len(names))
        # Of a sum of k of n scores, drawn without replacement.
        variance += there * scores.var() * (number - there) / max(number - 1, 1)
    total = np.bincount(place, weights=normal_scores, minlength=len(names))
    used = np.flatnonzero(runs)
    slowdown = _medians(ratio, place, used)
    center = _medians(deviation, place, used)
    score, by_spread = _spread_test(center)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_rank = ndtr(np.where(variance[used] > 0, -total[used] / np.sqrt(variance[used]), 0.0))
    enough = used.size >= LEAST_PLACES
    probability = np.ones(used.size)
    if enough:
        by_spread, by_rank = holm(by_spread), holm(by_rank)
        undecided = (by_spread <= _BEYOND_DOUBT) & (by_rank > FALSE_ALARMS) & (by_rank <= _WORTH_PERMUTING)
        if undecided.any():
            reached = (total[used] / np.sqrt(np.maximum(variance[used], _SMALLEST_SPREAD)))[undecided]
            by_rank[undecided] = _permuted(normal_scores, benchmark, place, variance, reached)
        probability = np.maximum(by_spread, by_rank)
    found = [
        PlaceScore(names[k], int(runs[k]), float(np.expm1(slow)), float(one) if enough else None, float(p))
        for k, slow, one, p in zip(used, slowdown, score, probability, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.slowdown, one.place))


def _spread_test(center: Column) -> tuple[Column, Column]:
    """Return how far each of some numbers lies above their median, in deviations, and its probability."""
    from scipy.special import stdtr

    score = center - np.median(center) if center.size else center
    spread = float(np.median(np.abs(score))) if center.size else 0.0
    score = score / max(MAD_TO_SIGMA * spread, _SMALLEST_SPREAD)
    return score, stdtr(max(1.0, _MAD_EFFICIENCY * (center.size - 1)), -score)


def _permuted(scores: Column, benchmark: Codes, place: Codes, variance: Column, reached: Column) -> Column:
    """Return how often the highest standardized sum of scores of any place reaches given ones by chance.

    Scores are permuted within benchmarks.
    """
    random = np.random.default_rng(_SEED)
    deviation = np.sqrt(np.where(variance > 0, variance, np.inf))
    groups = [np.flatnonzero(benchmark == code) for code in np.unique(benchmark)]
    higher = np.ones(reached.size)
    for _ in range(_PERMUTATIONS):
        total = np.zeros(variance.size)
        for group in groups:
            total += np.bincount(
                place[group], weights=random.permutation(scores[group]), minlength=variance.size
            )
        higher += (total / deviation).max() >= reached
    found: Column = higher / (1 + _PERMUTATIONS)
    return found


def _ranks(values: Column) -> Column:
    """Return the rank of each value from 1 on, equal values the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: Column = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return found


def _medians(values: Column, place: Codes, used: Codes) -> Column:
    """Return the median of the values of each used place."""
    order = np.lexsort((values, place))
    ordered = values[order]
    counts = np.bincount(place)[used]
    first = np.cumsum(counts) - counts
    found: Column = (ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2
    return found
