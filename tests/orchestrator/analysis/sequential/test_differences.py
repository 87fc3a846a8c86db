"""Intervals of one point and of a difference at every look."""

from __future__ import annotations

import numpy as np
import pytest

from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.sequential.boundaries import Method, binomial_ranks
from orchestrator.analysis.sequential.differences import (
    all_entries,
    difference_path,
    latest_entries,
    naive,
)
from orchestrator.analysis.sequential.intervals import Look, quantile_interval, quantile_path
from orchestrator.analysis.sequential.observations import Series


def runs(values: list[float]) -> Series:
    return Series(np.log(values), ("n",) * len(values))


def test_the_interval_of_a_point_lies_between_two_of_its_values() -> None:
    values = np.arange(1.0, 21.0)[::-1]
    low, high = binomial_ranks(0.5, 0.025, 5, 30)[20], binomial_ranks(0.9, 0.025, 5, 30)[20]
    assert quantile_interval(values, 5, 30) == Look(20, float(low), float(21 - low))
    # So few values have none below the tenth that is exceeded; the highest value is no bound either.
    assert quantile_interval(values, 5, 30, quantile=0.1) == Look(20, None, float(21 - high))
    assert quantile_interval(values[:4], 5, 30) == Look(4, None, None)


def test_the_path_of_a_point_ends_with_its_last_look() -> None:
    path = quantile_path(np.arange(1.0, 21.0), 5, 15)
    assert [one.look for one in path] == list(range(5, 16))
    assert path[0].low is None
    assert path[-1].low is not None


@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_entries_of_all_looks_are_all_entries(method: Method) -> None:
    one, two = np.random.default_rng(1).normal(size=(2, 7))
    if method != "unpaired":
        two = np.zeros(7)
    found = [latest_entries(method, one[:n], two[:n]) for n in range(1, 8)]
    assert np.sort(np.concatenate(found)) == pytest.approx(np.sort(all_entries(method, one, two)))
    assert sum(map(len, found)) == {"ranks": 28, "signs": 7, "unpaired": 49}[method]


@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_a_reversed_ratio_has_the_reversed_interval(method: Method) -> None:
    random = np.random.default_rng(2)
    first, second = (
        runs((1.1 * random.lognormal(0, 0.05, 30)).tolist()),
        runs(random.lognormal(0, 0.05, 30).tolist()),
    )
    path = difference_path(first, second, 3, 30, method=method)
    back = difference_path(second, first, 3, 30, method=method)
    assert path[0] == Look(3, None, None)
    assert path[-1].low is not None
    assert path[-1].high is not None
    assert 1 < path[-1].low < 1.1 < path[-1].high
    assert back[-1].low == pytest.approx(1 / path[-1].high)


def test_a_drift_that_blocks_share_does_not_widen_the_interval() -> None:
    random = np.random.default_rng(3)
    drift = np.exp(np.linspace(0, 0.5, 30))
    first, second = (random.lognormal(0, 0.01, (2, 30)) * drift).tolist()
    by_block, unpaired = (
        difference_path(runs(first), runs(second), 5, 30, method=method)[-1]
        for method in ("ranks", "unpaired")
    )
    assert by_block.high is not None
    assert unpaired.high is not None
    assert by_block.high < 1.02
    assert unpaired.high > 1.05
    assert naive(runs(first), runs(second)).value == pytest.approx(1.0, abs=0.02)


def test_the_naive_answer_needs_a_run_of_each_point() -> None:
    assert naive(runs([2.0, 4.0, 3.0]), runs([1.0, 2.0, 3.0])) == Estimate(pytest.approx(1.5), None, None)
    with pytest.raises(ValueError, match="no run with a value"):
        naive(runs([]), runs([1.0]))
