"""The formulas of HPC AI500 V2.0 against numbers worked by hand, and what they refuse."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.rulebooks.hpcai500.formulas import flops, kept, penalty, variation

quietly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A loaded machine fails no test."""
times = st.lists(st.floats(1e-3, 1e9), max_size=30)


def test_flops_of_the_studys_eight_gpus() -> None:
    """2,624 images a second of 23 GFLOP are 60.4 TFLOPS; 46 of 691 GFLOP are 31.8, printed as 31."""
    assert flops(2624, 1, 23e9) == pytest.approx(60.352e12)
    assert flops(46 * 500, 500, 691e9) == pytest.approx(31.786e12)


@pytest.mark.parametrize(
    ("samples", "seconds", "each"),
    [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, -1, 1), (math.nan, 1, 1), (1e300, 1e-9, 1)],
)
def test_flops_of_unusable_numbers_are_refused(samples: float, seconds: float, each: float) -> None:
    with pytest.raises(ValueError, match="must be a positive finite number"):
        flops(samples, seconds, each)


def test_penalties_by_hand() -> None:
    assert penalty(76.3, 76.3, 5) == 1.0
    assert penalty(68.67, 76.3, 5) == pytest.approx(0.59049)  # 0.9 ^ 5
    assert penalty(0.315, 0.35, 10) == pytest.approx(0.3486784401)  # 0.9 ^ 10
    assert penalty(0, 0.35, 10) == 0.0
    assert penalty(80.115, 76.3, 5) == pytest.approx(1.05**5)  # the suite's formula has no upper bound


@pytest.mark.parametrize("quality", [-0.1, math.nan, math.inf])
def test_a_penalty_of_no_quality_is_refused(quality: float) -> None:
    with pytest.raises(ValueError, match="a quality is a finite number"):
        penalty(quality, 0.35, 10)


def test_a_quality_that_is_far_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a quality of 1e\+300 has no finite penalty"):
        penalty(1e300, 0.35, 10)


@quietly
@given(st.floats(0, 100), st.floats(0, 100), st.integers(1, 10))
def test_better_quality_is_never_penalised_more(one: float, other: float, exponent: int) -> None:
    low, high = sorted((one, other))
    assert penalty(low, 76.3, exponent) <= penalty(high, 76.3, exponent)


@quietly
@given(times)
def test_one_lowest_and_one_highest_are_dropped(values: list[float]) -> None:
    places = kept(values)
    left = [values[place] for place in places]
    expected = sorted(values)[1:-1] if len(values) > 2 else sorted(values)
    assert sorted(left) == expected
    assert list(places) == sorted(set(places))


def test_variation_by_hand() -> None:
    # Mean 10, deviations -1, 0 and 1: √(2 ÷ 2) ÷ 10
    assert variation([9.0, 10.0, 11.0]) == pytest.approx(0.1)
    assert variation([5.0]) is None
    assert variation([]) is None


@quietly
@given(times.filter(lambda one: len(one) > 1))
def test_variation_is_free_of_units(values: list[float]) -> None:
    first, second = variation(values), variation([1000 * one for one in values])
    assert first == pytest.approx(second)
    assert first == pytest.approx(statistics.stdev(values) / statistics.fmean(values))
