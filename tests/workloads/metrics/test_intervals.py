from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from workloads.metrics import timing
from workloads.metrics.intervals import interval_rank, median_interval
from workloads.metrics.timing import calls_per_sample, sample

SKEWED: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "exponential": (lambda random, n: random.exponential(size=n), math.log(2)),
    "log-normal": (lambda random, n: random.lognormal(0, 1.5, size=n), 1.0),
    "narrow log-normal": (lambda random, n: random.lognormal(0, 0.1, size=n), 1.0),
    "Pareto": (lambda random, n: 1 + random.pareto(1.1, size=n), 2 ** (1 / 1.1)),
    "a floor and a tail": (lambda random, n: 1 + 0.05 * random.exponential(size=n), 1 + 0.05 * math.log(2)),
}


@given(st.integers(1, 400), st.sampled_from([0.5, 0.9, 0.95, 0.98, 0.999]))
def test_the_interval_is_the_narrowest_that_the_binomial_distribution_allows(number, confidence):
    rank = interval_rank(number, confidence)
    if rank:
        assert 1 - 2 * binom.cdf(rank - 1, number, 0.5) >= confidence - 1e-12
    assert 1 - 2 * binom.cdf(rank, number, 0.5) < confidence


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_an_interval_encloses_its_median_or_is_absent(values):
    found = median_interval(values)
    assert found.median == pytest.approx(float(np.median(values)))
    if len(values) < 6:
        assert found.low is found.high is None
        assert not found.within(math.inf)
    else:
        assert min(values) <= found.low <= found.median <= found.high <= max(values)


def test_what_is_no_number_has_no_median():
    for values in ([], [1.0, math.nan]):
        with pytest.raises(ValueError, match="no"):
            median_interval(values)


@pytest.mark.parametrize("number", [6, 7, 10, 25, 100])
@pytest.mark.parametrize("name", SKEWED)
def test_an_interval_of_a_fixed_number_covers_the_median_of_skewed_times(name, number):
    draw, median = SKEWED[name]
    values = np.sort(draw(np.random.default_rng(number), 4000 * number).reshape(4000, number))
    rank = interval_rank(number)
    covered = np.mean((values[:, rank - 1] <= median) & (median <= values[:, -rank]))
    assert covered > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 4000)  # three standard errors of the simulation


@pytest.mark.parametrize("relative_width", [0.5, 0.1, 0.02])
@pytest.mark.parametrize("name", SKEWED)
def test_an_interval_after_stopping_by_its_width_covers_it_too(monkeypatch, name, relative_width):
    """Looking again and again for a narrow interval costs coverage, which the level of a look pays for."""
    draw, median = SKEWED[name]
    random = np.random.default_rng(2017)
    covered = 0
    for _ in range(500):
        first, *rest = draw(random, 300).tolist()
        times = iter(rest)
        monkeypatch.setattr(timing, "timed_seconds", lambda *_, times=times: next(times))
        monkeypatch.setattr(timing.time, "monotonic", itertools.count().__next__)
        found = sample(
            lambda: None, lambda: None, first,
            reruns=None, budget_seconds=200 + first, relative_width=relative_width,
        ).interval()  # fmt: skip
        covered += found.low <= median <= found.high
    assert covered / 500 > 0.95 - 2 * math.sqrt(0.95 * 0.05 / 500)


def test_calls_are_batched_until_a_sample_is_long_beside_the_clock():
    assert [calls_per_sample(seconds) for seconds in (1e-9, 1e-4, 0.01, 60.0)] == [10_000_000, 100, 1, 1]
