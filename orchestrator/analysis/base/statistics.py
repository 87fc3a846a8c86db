"""Statistics of run times that assume no distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.metrics.intervals import interval_rank

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Column = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of intervals, where nothing else is asked for."""
_DRAWS = 4000
_SEED = 2017
_LEAST_FOR_BOOTSTRAP = 5
_LEAST_FOR_TWENTIETHS = 20
_MOST_FOR_EXACT = 50
"""Values of both sides; more take long, and the limit is close."""
_MOST_ARRANGEMENTS = 9999
"""Arrangements of values with ties that are all taken; more take long."""
MAD_TO_SIGMA = 1.482602218505602
"""Standard deviation ÷ median absolute deviation of a normal distribution, 1 ÷ Φ⁻¹(3/4)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with an interval; the bounds are None where the data give none."""

    value: float
    low: float | None
    high: float | None


def five_numbers(values: Column) -> list[float | None]:
    """Return lowest value, 5 %, median, 95 % and highest; 5 and 95 % are None below 20 values."""
    found: list[float | None] = list(map(float, np.quantile(values, [0, 0.05, 0.5, 0.95, 1])))
    if values.size < _LEAST_FOR_TWENTIETHS:
        found[1] = found[3] = None
    return found


def median_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the median with a distribution-free interval between two order statistics.

    The interval from the k-th lowest to the k-th highest value covers the true median with a probability of
    at least `confidence`; see `interval_rank`.

    Raises
    ------
    ValueError
        If there are no values, or one of them is not a number.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not ordered.size or np.isnan(ordered[-1]):
        raise ValueError("no values, so no median" if not ordered.size else "a value is not a number")
    # np.median takes ten times as long, and a study has a median of each metric of each point.
    middle = float((ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]) / 2)
    k = interval_rank(ordered.size, confidence)
    if k == 0:
        return Estimate(middle, None, None)
    return Estimate(middle, float(ordered[k - 1]), float(ordered[ordered.size - k]))


def bootstrap_medians(values: ArrayLike, random: np.random.Generator, draws: int = _DRAWS) -> Column:
    """Return medians of resamples with replacement, drawn without making the resamples.

    The median of a resample is the value at the median of n uniform ranks, whose distribution is that of
    beta-distributed order statistics (B. Efron, The Jackknife, the Bootstrap and Other Resampling Plans,
    1982, section 10.3), so that 14,000 values cost no more than 10.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = ordered.size
    lower = random.beta((n + 1) // 2, n - (n + 1) // 2 + 1, draws)
    upper = lower
    if n % 2 == 0:
        upper = lower + (1 - lower) * random.beta(1, n // 2, draws)
    at = [np.minimum((ranks * n).astype(np.int64), n - 1) for ranks in (lower, upper)]
    found: Column = (ordered[at[0]] + ordered[at[1]]) / 2
    return found


def ratio_of_medians(values: ArrayLike, baseline: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return median(values) ÷ median(baseline) with a percentile interval of a bootstrap with a fixed seed.

    Runs count as independent. The interval has no bounds where a side has fewer than five values.
    """
    values, baseline = np.asarray(values, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    ratio = float(np.median(values) / np.median(baseline))
    if min(values.size, baseline.size) < _LEAST_FOR_BOOTSTRAP:
        return Estimate(ratio, None, None)
    random = np.random.default_rng(_SEED)
    drawn = bootstrap_medians(values, random) / bootstrap_medians(baseline, random)
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Estimate(ratio, float(low), float(high))


def holm(probabilities: ArrayLike) -> Column:
    """Return probabilities of error adjusted so that all that are ≤ α together are wrong at most that often.

    The step-down method of S. Holm, Scandinavian Journal of Statistics 6 (1979) 65–70: whatever the
    dependence, the probability of any false alarm is at most α.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(given.size, 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def rank_test(samples: Sequence[Sequence[float] | Column]) -> float:
    """Return the probability of ranks this different if all samples have one distribution.

    Of two samples it is that of Mann and Whitney, two-sided, and exact where these are small: the normal
    limit of ten values on each side that do not overlap is 17 times the true probability, and that of few
    values is below any that they can have. Of more samples it is the limit of Kruskal and Wallis.
    """
    from scipy.stats import PermutationMethod, kruskal, mannwhitneyu

    together = np.concatenate([np.asarray(sample, dtype=np.float64) for sample in samples])
    distinct = np.unique(together).size
    if distinct == 1:
        return 1.0
    if len(samples) > 2:
        return float(kruskal(*samples).pvalue)
    method: Any = "asymptotic"
    if together.size <= _MOST_FOR_EXACT and distinct == together.size:
        method = "exact"
    elif math.comb(together.size, len(samples[0])) <= _MOST_ARRANGEMENTS:
        method = PermutationMethod(n_resamples=_MOST_ARRANGEMENTS)  # which then takes each one once
    return float(mannwhitneyu(*samples, method=method).pvalue)
