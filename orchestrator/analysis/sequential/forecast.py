"""Runs that a wanted certainty is expected to take, from the spread of earlier runs."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.base.statistics import MAD_TO_SIGMA
from orchestrator.analysis.sequential.boundaries import binomial_ranks, ranks_of
from orchestrator.analysis.sequential.decisions import Decide, Design, PairDecision, Until
from orchestrator.analysis.sequential.differences import compared
from orchestrator.analysis.sequential.observations import Observation, series
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_CAMPAIGNS = 400
_SEED = 2017
_LEAST_VALUES = 5
_UNDECIDED = 0.05
"""Share of fixed designs that leave a pair undecided, in comparisons with campaigns that stop early."""
_FACTORS = (0.5, 1.0, 2.0, 4.0)
"""Multiples of what is asked, in a table of forecasts."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Deviations of a point's runs from its median, as logarithms of ratios.

    Parameters
    ----------
    deviations
        Shape (values,): those of earlier runs, or of a normal distribution.
    """

    deviations: Numbers

    @classmethod
    def of_values(cls, values: Sequence[float]) -> Spread:
        """Return the spread of earlier runs of a point.

        Raises
        ------
        CampaignError
            If there are fewer than 5, or one is not above 0.
        """
        if len(values) < _LEAST_VALUES or not all(0 < value < math.inf for value in values):
            raise CampaignError(
                f"a spread needs {_LEAST_VALUES} values above 0 of earlier runs; {len(values)} were given"
            )
        logs = np.log(np.asarray(values, dtype=np.float64))
        return cls(logs - np.median(logs))

    @classmethod
    def of_median(cls, median: float, mad: float) -> Spread:
        """Return the spread of normal runs with a median and a median absolute deviation, or a guess of them.

        Raises
        ------
        CampaignError
            If the median is not above 0, or the deviation is negative.
        """
        if median <= 0 or mad < 0:
            raise CampaignError(f"median {median:g} and deviation {mad:g} must be above 0")
        shares = (np.arange(999) + 0.5) / 999
        sigma = MAD_TO_SIGMA * mad / median
        return cls(np.array([NormalDist().inv_cdf(share) for share in shares]) * sigma)

    @property
    def sigma(self) -> float:
        """Standard deviation of a normal distribution with this median absolute deviation."""
        return MAD_TO_SIGMA * float(np.median(np.abs(self.deviations)))


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected runs of each point.

    Parameters
    ----------
    wanted
        Largest width, or least difference.
    error
        Probability of an error: 1 − confidence, or that of the family.
    runs, runs_90
        Median over simulated campaigns, and the number that 90 % do not exceed.
    decided
        Share of the campaigns that end with an answer.
    fixed
        Runs of a fixed design with the same error that leaves 5 % undecided; None where it is not asked.
    """

    wanted: float
    error: float
    runs: float
    runs_90: float
    decided: float
    fixed: int | None = None


def forecast_until(asked: Until, spread: Spread) -> Forecast:
    """Return the runs that a point is expected to take until its interval is narrow enough."""
    drawn = np.exp(_drawn(spread, asked.at_most))
    level = (1 - asked.confidence) / 2
    lows = binomial_ranks(asked.quantile, level, asked.at_least, asked.at_most)
    highs = binomial_ranks(1 - asked.quantile, level, asked.at_least, asked.at_most)
    ends = np.full(_CAMPAIGNS, asked.at_most)
    open_ = np.ones(_CAMPAIGNS, dtype=bool)
    for n in range(asked.at_least, asked.at_most + 1):
        if not lows[n] or not highs[n]:
            continue
        ordered = np.sort(drawn[:, :n], axis=1)
        width = (ordered[:, n - highs[n]] - ordered[:, lows[n] - 1]) / np.quantile(
            ordered, asked.quantile, axis=1
        )
        now = open_ & (width <= asked.width)
        ends[now] = n
        open_ &= ~now
    return _summary(asked.width, round(1 - asked.confidence, 12), ends, ~open_)


def forecast_decide(asked: Decide, pairs: int, spread: Spread, true_difference: float = 0.0) -> Forecast:
    """Return the pairs of runs that a pair of points is expected to take until it is decided.

    Parameters
    ----------
    pairs
        Pairs of points that are compared, among which the error is divided.
    true_difference
        Difference that is supposed, such as 0.06; 0 for points that are alike.
    """
    matters, shift = math.log1p(asked.difference), math.log1p(true_difference)
    level = asked.error / pairs / 2
    first, second = _drawn(spread, asked.at_most), _drawn(spread, asked.at_most, seed=1)
    ends = first_decided(first + shift, second, asked, pairs)
    decided = ends > 0
    margin = abs(matters - abs(shift))
    beta = _UNDECIDED / (2 if abs(shift) < matters else 1)  # two bounds must be met to be alike
    fixed = _fixed_pairs(spread.sigma * math.sqrt(2), margin, level, beta) if margin else None
    return _summary(asked.difference, asked.error, np.where(decided, ends, asked.at_most), decided, fixed)


def fixed_design(design: Design, observations: Sequence[Observation], decision: PairDecision) -> int | None:
    """Return the pairs of runs that a fixed design would have taken for a decision.

    It has the same error, leaves 5 % undecided, and supposes the spread and the difference that were
    observed; beforehand neither is known, so that a real one takes more. The formula is that of signed ranks.

    Returns
    -------
    int or None
        None where there are fewer than 5 pairs, or the difference is the asked one.
    """
    asked = design.decide
    if asked is None or decision.estimate is None:
        return None
    runs = series(observations, design.points)
    one, two = compared(runs[decision.first], runs[decision.second], asked.method, asked.pairing)
    if one.size < _LEAST_VALUES:
        return None
    # The zeros beside ratios have no spread.
    sigma = math.hypot(*(Spread(values - np.median(values)).sigma for values in (one, two)))
    margin = abs(math.log1p(asked.difference) - abs(math.log(decision.estimate)))
    if margin < sys.float_info.epsilon * 8:
        return None
    beta = _UNDECIDED / (2 if decision.outcome == "alike" else 1)
    return _fixed_pairs(sigma, margin, design.pair_error / 2, beta)


def first_decided(first: Numbers, second: Numbers, asked: Decide, pairs: int) -> NDArray[np.int64]:
    """Return the look at which each simulated campaign decides a pair of points, 0 where none does.

    The campaigns run side by side, which is quicker than `evaluate` for each; the looks are those of
    `evaluate` with whole blocks.

    Parameters
    ----------
    first, second
        Logarithms of the values of both points, shape (campaigns, blocks).
    pairs
        Pairs of points that are compared, among which the error is divided.
    """
    ranks = ranks_of(asked.method, asked.error / pairs / 2, asked.at_least, asked.at_most)
    matters = math.log1p(asked.difference)
    above = {limit: counts_by_look(first, second, limit, asked) < ranks for limit in (matters, -matters)}
    # Of the reversed pair, "above" is "below".
    below = {limit: counts_by_look(second, first, -limit, asked) < ranks for limit in (matters, -matters)}
    found = above[matters] | below[-matters] | (above[-matters] & below[matters])
    return np.where(found.any(axis=1), found.argmax(axis=1), 0)


def counts_by_look(first: Numbers, second: Numbers, limit: float, asked: Decide) -> NDArray[np.int64]:
    """Return how many entries are at or below a limit, shape (campaigns, `at_most` + 1).

    Raises
    ------
    ValueError
        If fewer blocks than `at_most` are given.
    """
    if first.shape[1] < asked.at_most:
        raise ValueError(f"{first.shape[1]} blocks are fewer than at_most: {asked.at_most}")
    one, two = first - limit, second
    ratios = one - two
    counts = np.zeros((len(first), asked.at_most + 1), dtype=np.int64)
    for n in range(asked.at_most):
        if asked.method == "ranks":
            new = (ratios[:, : n + 1] <= -ratios[:, n : n + 1]).sum(axis=1)
        elif asked.method == "signs":
            new = (ratios[:, n] <= 0).astype(np.int64)
        else:
            new = (one[:, : n + 1] <= two[:, n : n + 1]).sum(axis=1)
            new += (two[:, :n] >= one[:, n : n + 1]).sum(axis=1)
        counts[:, n + 1] = counts[:, n] + new
    return counts


def forecast_table(asked: Decide | Until, spread: Spread, pairs: int = 1) -> list[Forecast]:
    """Return what certainty costs: a row for each multiple of the asked width or difference.

    For differences, points that are alike are supposed: so no pair takes longer but one that differs by about
    the asked difference.
    """
    if isinstance(asked, Until):
        return [forecast_until(replace(asked, width=asked.width * factor), spread) for factor in _FACTORS]
    return [
        forecast_decide(replace(asked, difference=asked.difference * factor), pairs, spread)
        for factor in _FACTORS
    ]


def _fixed_pairs(sigma: float, margin: float, level: float, beta: float) -> int:
    """Return the pairs of a signed-rank test with a power (G. E. Noether, JASA 82 (1987) 645–647).

    For normal differences of standard deviation σ, (z₁₋α + z₁₋β)²·σ² ÷ margin²·π ÷ 3; but not fewer than
    those whose ranks are all on one side with a probability of at most α, 1 ÷ 2ⁿ.
    """
    far = NormalDist().inv_cdf(1 - level) + NormalDist().inv_cdf(1 - beta)
    least = math.ceil(-math.log2(level))
    return max(least, math.ceil((far * sigma / margin) ** 2 * math.pi / 3))


def _drawn(spread: Spread, runs: int, seed: int = 0) -> Numbers:
    random = np.random.default_rng((_SEED, seed))
    drawn: Numbers = random.choice(spread.deviations, (_CAMPAIGNS, runs))
    return drawn


def _summary(
    wanted: float, error: float, ends: Numbers, decided: NDArray[np.bool_], fixed: int | None = None
) -> Forecast:
    return Forecast(
        wanted,
        error,
        float(np.median(ends)),
        float(np.quantile(ends, 0.9, method="higher")),
        float(decided.mean()),
        fixed,
    )
