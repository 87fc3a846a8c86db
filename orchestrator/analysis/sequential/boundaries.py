"""Ranks of the bounds of intervals that hold at all looks together.

An interval between two ordered values misses the true value when a count of values on one side of it is less
than the rank of the bound. Here the ranks of all looks are chosen together, so that the probability that the
count is too small at any look is at most the stated one. How much of this probability each look may use is
fixed beforehand by the spending function of S. K. Lan and D. L. DeMets, Biometrika 70 (1983) 659–663.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Numbers = NDArray[np.float64]

Method = Literal["ranks", "signs", "unpaired"]
"""Interval of the difference of two points: by signed ranks or signs of pairs, or by ranks of two samples."""

SPENDING = 0.75
"""Exponent ρ of the spending function α·(n ÷ N)^ρ of K. Kim and D. L. DeMets, Biometrika 74 (1987) 149–154.

Of 0.5, 0.75, 1, 1.5, 2 and 3, 0.75 needs the fewest pairs in the median, among those that leave at most a
twentieth undecided where N is 1.3 times the pairs of a fixed design that does so. Larger ones lose more
where N is larger (simulated for normal and t3 noise; ``python -m tests.bench.sequential`` states what is
saved).
"""
MOST_LOOKS = 1_000
"""Largest number of pairs, or of runs: their ranks take some seconds to simulate."""
_PATHS = 40_000
_LEAST_PATHS = 4_000
_COMPARED = _PATHS * 160**2
"""Paths × looks², which bounds the time of a simulation."""
_SEED = 2017
_KEPT_BACK = 0.03
"""Share of the probability that ranks from 40,000 paths leave unused: about three of its standard errors."""
_TILTS = 5


def spent(looks: Numbers, at_most: int, level: float) -> Numbers:
    """Return the probability of a miss that may be used up to each look.

    Parameters
    ----------
    looks
        Numbers of values, 1 to `at_most`.
    level
        Probability of a miss over all looks, of one side.
    """
    return level * (looks / at_most) ** SPENDING


@lru_cache(maxsize=256)
def binomial_ranks(share: float, level: float, at_least: int, at_most: int) -> Counts:
    """Return the largest rank k of the lower bound at each number of values.

    The true quantile is below the k-th lowest of n values when fewer than k values are at or below it. The
    number of these is binomial (n, `share`), whatever the distribution; for values with ties it is larger.
    The distribution of this count over all looks is a chain that is followed exactly, as P. Armitage, C. K.
    McPherson and B. C. Rowe do (Journal of the Royal Statistical Society A 132 (1969) 235–244).

    Parameters
    ----------
    share
        Probability of a value at or below the quantile, such as 0.5 for the median.
    level
        Probability that the lower bound is too high at any look.
    at_least, at_most
        Numbers of values at the first and at the last look.

    Returns
    -------
    Counts
        Of shape (`at_most` + 1,), by number of values; 0 where no value is a bound.
    """
    chance = np.zeros(at_most + 2)
    chance[0] = 1.0

    def counted(chance: Numbers, number: int) -> Numbers:  # noqa: ARG001
        found = chance * (1 - share)
        found[1:] += chance[:-1] * share
        return found

    return _followed(chance, counted, range(1, at_most + 1), level, at_least, at_most)


@lru_cache(maxsize=256)
def placement_ranks(sizes: tuple[int, ...], level: float, at_least: int, at_most: int) -> Counts:
    """Return the largest rank k of the lower bound of a member's distance from the others, after each wave.

    In each wave all members have a value; the entries are the differences of each other one from this member.
    The distance is below the k-th lowest entry of all waves when fewer than k are at or below it. Of a wave
    of n members this count is 0 to n − 1, each as likely, where values but for the distance have one
    distribution; whichever it is. The sum over waves is followed exactly, as for `binomial_ranks`.

    Parameters
    ----------
    sizes
        Members with a value in each wave so far in which this one has one, at most `at_most` waves.
    level
        Probability that the lower bound is too high at any look.
    at_least, at_most
        Waves at the first and at the last look.

    Returns
    -------
    Counts
        Of shape (waves + 1,), by number of waves; 0 where no entry is a bound.
    """
    chance = np.zeros(sum(sizes) + 1)
    chance[0] = 1.0

    def placed(chance: Numbers, size: int) -> Numbers:
        below = np.cumsum(chance)
        below[size:] -= below[:-size].copy()
        return np.maximum(below, 0.0) / size

    return _followed(chance, placed, sizes, level, at_least, at_most)


def _followed(
    chance: Numbers,
    step: Callable[[Numbers, int], Numbers],
    steps: Sequence[int],
    level: float,
    at_least: int,
    at_most: int,
) -> Counts:
    """Return the largest rank at each look of a count whose distribution grows by steps."""
    allowed = spent(np.arange(at_most + 1.0), at_most, level)
    ranks = np.zeros(len(steps) + 1, dtype=np.int64)
    missed = 0.0
    for n, one in enumerate(steps, 1):
        chance = step(chance, one)
        if n < at_least:
            continue
        below = np.cumsum(chance)
        k = int(np.searchsorted(below, allowed[n] - missed, side="right"))
        ranks[n] = k
        if k:
            missed += float(below[k - 1])
            chance[:k] = 0.0
    ranks.setflags(write=False)
    return ranks


def ranks_of(method: Method, level: float, at_least: int, at_most: int) -> Counts:
    """Return the ranks of the lower bound for a method; the upper bound has the same from above."""
    if method == "signs":
        return binomial_ranks(0.5, level, at_least, at_most)
    return simulated_ranks(method, level, at_least, at_most)


@lru_cache(maxsize=64)
def simulated_ranks(method: Method, level: float, at_least: int, at_most: int) -> Counts:
    """Return the largest rank k of the lower bound of a shift at each number of pairs.

    For signed ranks the bounds are two of the n·(n + 1) ÷ 2 means of two differences, a difference with
    itself included; for ranks of two samples, two of the n² differences (J. L. Hodges and E. L. Lehmann,
    Annals of Mathematical Statistics 34 (1963) 598–611). The shift is below the k-th lowest when fewer than
    k of them are at or below it. The joint distribution of this count over all looks is the same for all
    independent values of a continuous (for signed ranks: symmetric) distribution; here it is simulated with
    normal ones and a fixed seed. To see small probabilities, paths are drawn from a mixture of shifted
    distributions and weighted by the ratio of likelihoods (D. Siegmund, Annals of Statistics 4 (1976)
    673–684).

    Parameters
    ----------
    level
        Probability that the lower bound is too high at any look.
    at_least, at_most
        Numbers of pairs, or of runs of each point, at the first and at the last look.

    Returns
    -------
    Counts
        Of shape (`at_most` + 1,), by number of pairs; 0 where no value is a bound.
    """
    number = max(_LEAST_PATHS, min(_PATHS, _COMPARED // at_most**2))
    kept_back = _KEPT_BACK * math.sqrt(_PATHS / number)
    allowed = spent(np.arange(at_most + 1.0), at_most, level * (1 - kept_back))
    ranks = np.zeros(at_most + 1, dtype=np.int64)
    alive = np.ones(number, dtype=bool)
    missed = 0.0
    for n, counts, weights in _paths(method, level, at_least, at_most, number):
        if n < at_least:
            continue
        chance = np.bincount(counts[alive], weights[alive])
        below = np.cumsum(chance) / number
        k = int(np.searchsorted(below, allowed[n] - missed, side="right"))
        if k:
            missed += float(below[min(k, below.size) - 1])
            alive &= counts >= k
        ranks[n] = k
    ranks.setflags(write=False)
    return ranks


def _paths(
    method: Method, level: float, at_least: int, at_most: int, number: int
) -> Iterator[tuple[int, Counts, Numbers]]:
    """Yield at each number of pairs the counts at or below the true shift, and the weights of the paths."""
    random = np.random.default_rng(_SEED)
    far = NormalDist().inv_cdf(1 - min(level, 0.4))
    tilts = np.concatenate([[0.0], far / np.sqrt(np.geomspace(max(at_least, 2), at_most, _TILTS - 1))])
    shift = np.resize(tilts, number)
    total = np.zeros(number)
    counts = np.zeros(number, dtype=np.int64)
    first = np.empty((at_most, number), dtype=np.float32)
    second = np.empty_like(first)
    for n in range(1, at_most + 1):
        if method == "ranks":
            drawn = random.standard_normal(number) + shift
            total += drawn
            first[n - 1] = drawn
            counts = counts + (first[:n] <= -first[n - 1]).sum(axis=0)
        else:
            one, two = random.standard_normal((2, number))
            one += shift / np.sqrt(2)
            two -= shift / np.sqrt(2)
            total += (one - two) / np.sqrt(2)
            first[n - 1], second[n - 1] = one, two
            counts = counts + (first[:n] <= second[n - 1]).sum(axis=0)
            counts += (second[: n - 1] >= first[n - 1]).sum(axis=0)
        ratio = np.exp(np.outer(tilts, total) - n * (tilts**2 / 2)[:, None])
        yield n, counts, 1 / ratio.mean(axis=0)
