"""Intervals and adjusted probabilities, checked against numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from orchestrator.analysis.base.statistics import (
    MAD_TO_SIGMA,
    Estimate,
    bootstrap_medians,
    holm,
    median_interval,
    rank_test,
    ratio_of_medians,
)


def test_the_interval_of_a_median_lies_between_two_order_statistics() -> None:
    # Of 10 values, P(at most 1 below the median) = 11 ÷ 1024 = 1.07 %, P(at most 2) = 56 ÷ 1024 = 5.5 %.
    assert median_interval(np.arange(1, 11)[::-1]) == Estimate(5.5, 2.0, 9.0)
    assert median_interval(np.arange(1, 11), confidence=0.85) == Estimate(5.5, 3.0, 8.0)
    # Of 5 values, even the widest interval covers only 1 − 2 ÷ 32 = 93.75 %.
    assert median_interval([3, 1, 2, 5, 4]) == Estimate(3.0, None, None)
    assert median_interval([3, 1, 2, 5, 4], confidence=0.9) == Estimate(3.0, 1.0, 5.0)
    with pytest.raises(ValueError, match="no values"):
        median_interval([])


def test_the_interval_of_a_median_covers_it() -> None:
    random = np.random.default_rng(1)
    found = [median_interval(random.exponential(1.0, 30)) for _ in range(1000)]
    covered = sum(one.low <= np.log(2) <= one.high for one in found if one.low and one.high)
    assert 940 <= covered <= 990  # 1 − 2·P(binomial(30, 1/2) ≤ 9) = 95.7 %


@pytest.mark.parametrize("number", [1, 5, 6, 41, 42])
def test_drawn_medians_are_those_of_resamples(number: int) -> None:
    random = np.random.default_rng(2)
    values = random.lognormal(0.0, 1.0, number)
    drawn = bootstrap_medians(values, random, 20_000)
    resampled = np.median(random.choice(values, (20_000, number)), axis=1)
    for share in (0.05, 0.5, 0.95):
        assert (drawn <= np.quantile(values, share)).mean() == pytest.approx(
            (resampled <= np.quantile(values, share)).mean(), abs=0.02
        )


def test_a_ratio_of_medians_has_an_interval_that_covers_it() -> None:
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        found = ratio_of_medians(random.lognormal(0.1, 0.2, 60), random.lognormal(0.0, 0.2, 40))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= np.exp(0.1) <= found.high
    assert 370 <= covered <= 394  # 95 % of 400 is 380
    assert ratio_of_medians([3, 3, 3, 3], [2.0] * 9) == Estimate(1.5, None, None)
    assert ratio_of_medians([3.0] * 5, [2.0] * 5) == Estimate(1.5, 1.5, 1.5)


def test_holm_worked_by_hand() -> None:
    # Ordered 0.01, 0.03, 0.04 times 3, 2, 1; none is less than one before it, and none above 1.
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]).tolist() == pytest.approx([1.0, 1.0])
    assert holm([]).tolist() == []


def test_the_factor_of_the_median_absolute_deviation() -> None:
    from scipy.stats import norm

    assert pytest.approx(1 / norm.ppf(0.75)) == MAD_TO_SIGMA


@pytest.mark.parametrize(
    ("one", "other", "probability"),
    [
        ([1], [2, 3, 4, 5, 6, 7, 8], 2 / 8),  # of eight ranks of the one value, the lowest and the highest
        ([1, 1], [2, 2], 2 / 6),  # of six arrangements, these and the opposite
        ([1, 2, 3], [4, 5, 6], 2 / 20),
        (range(10), range(10, 20), 2 / 184756),
        ([1, 1, 2], [1, 2, 2], 1.0),
        ([5, 5], [5, 5, 5], 1.0),
    ],
)
def test_the_rank_test_of_few_values_is_exact(
    one: list[float], other: list[float], probability: float
) -> None:
    assert rank_test([one, other]) == pytest.approx(probability)
    assert rank_test([other, one]) == pytest.approx(probability)


def test_the_rank_test_of_many_values_is_the_normal_limit() -> None:
    random = np.random.default_rng(3)
    one, other = random.integers(0, 30, 60) * 1.0, random.integers(2, 33, 80) * 1.0
    expected = mannwhitneyu(one, other, method="asymptotic").pvalue
    assert rank_test([one, other]) == pytest.approx(expected)
