from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, mean_squared_error, r2_score

from workloads.candle import metrics

labels = st.integers(1, 60).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 5), min_size=n, max_size=n),) * 2)
)


@pytest.fixture
def pair():
    random = np.random.default_rng(5)
    truth = random.random((150, 40), dtype=np.float32)
    truth[:, 3] = 0.25  # a column without variance
    return truth, truth + random.normal(0, 0.3, truth.shape).astype(np.float32)


def test_correlation_is_the_one_of_the_flattened_matrices(pair):
    expected = np.corrcoef(pair[0].ravel().astype(float), pair[1].ravel().astype(float))[0, 1]
    assert metrics.pearson_correlation(*pair) == pytest.approx(expected, rel=1e-12)


def test_correlation_of_a_constant_is_not_a_number():
    assert math.isnan(metrics.pearson_correlation(np.ones((3, 2)), np.arange(6.0).reshape(3, 2)))


def test_error_and_r2_agree_with_scikit_learn(pair):
    truth, prediction = (matrix.astype(float) for matrix in pair)
    assert metrics.mean_squared_error(*pair) == pytest.approx(mean_squared_error(truth, prediction))
    assert metrics.r2(*pair) == pytest.approx(r2_score(truth, prediction))
    assert metrics.r2(truth, truth) == 1


@given(labels)
def test_f1_agrees_with_scikit_learn(both):
    truth, prediction = (np.array(values) for values in both)
    macro, micro = metrics.f1_scores(truth, prediction)
    assert macro == pytest.approx(f1_score(truth, prediction, average="macro", zero_division=0))
    assert micro == pytest.approx(f1_score(truth, prediction, average="micro"))


def test_geometric_mean_of_the_published_p3b1_run():
    values = [0.2305, 0.4141, 0.9186, 0.9186, 0.5375, 0.7206]
    assert metrics.geometric_mean(values) == pytest.approx(0.5611, abs=5e-5)
    assert metrics.geometric_mean([0.5, 0.0]) == 0
