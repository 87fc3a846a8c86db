"""The predicted longest of many runs covers what a whole simulated machine then shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from orchestrator.analysis.projection.extremes import CONFIDENCE, TooFewError, predict_maximum
from orchestrator.analysis.projection.longest_run import Sample, contention_of, project

TRIALS = 400
MEASURED, SYSTEM, SLOTS = 250, 9_400, 4  # nodes, nodes, slots of a node
Runs = Callable[[np.random.Generator, int], np.ndarray]


def exponential(random: np.random.Generator, nodes: int) -> np.ndarray:
    return 100 + random.exponential(3.0, (nodes, SLOTS))


def bounded(random: np.random.Generator, nodes: int) -> np.ndarray:
    return 100 + 10 * random.beta(2.0, 3.0, (nodes, SLOTS))


def mildly_heavy(random: np.random.Generator, nodes: int) -> np.ndarray:
    return 100 + 3 * (random.random((nodes, SLOTS)) ** -0.15 - 1) / 0.15


def node_effects(random: np.random.Generator, nodes: int) -> np.ndarray:
    return 100 * np.exp(random.normal(0.0, 0.03, (nodes, 1)) + random.normal(0.0, 0.01, (nodes, SLOTS)))


def some_bad_nodes(random: np.random.Generator, nodes: int) -> np.ndarray:
    bad = np.where(random.random((nodes, 1)) < 0.08, 0.02 + random.exponential(0.05, (nodes, 1)), 0.0)
    effect = bad + random.normal(0.0, 0.01, (nodes, 1))
    return 100 * np.exp(effect + random.normal(0.0, 0.01, (nodes, SLOTS)))


@pytest.mark.slow
@pytest.mark.parametrize("runs", [exponential, bounded, mildly_heavy, node_effects, some_bad_nodes])
def test_an_interval_of_90_percent_covers_85_to_95_percent_of_the_machines(runs: Runs) -> None:
    random = np.random.default_rng(3)
    node = np.repeat(np.arange(MEASURED), SLOTS)
    covered = copied = refused = 0
    for _ in range(TRIALS):
        measured, truth = runs(random, MEASURED), float(runs(random, SYSTEM).max())
        try:
            found = project([Sample(measured.ravel(), node, MEASURED * SLOTS)], SYSTEM * SLOTS)
        except TooFewError:
            refused += 1
            continue
        covered += found.maximum.low <= truth <= found.maximum.high
        copied += truth <= measured.max()
    assert CONFIDENCE == 0.90
    assert refused <= 0.05 * TRIALS
    assert 0.85 <= covered / (TRIALS - refused) <= 0.95
    assert copied < 0.1 * TRIALS  # the longest measured run is no prediction


def test_a_tail_whose_maximum_is_known() -> None:
    """Of n exponential values above 100 with mean 3, the median maximum is 100 + 3·ln(n ÷ ln 2)."""
    ranks = (np.arange(1000) + 0.5) / 1000
    found = predict_maximum(100 - 3 * np.log(ranks), 10_000)
    expected = 100 + 3 * np.log(10_000 / np.log(2))
    assert found.value == pytest.approx(expected, rel=0.03)
    assert found.low < expected < found.high
    assert (found.tail, abs(found.shape) < 0.1) == (100, True)
    assert predict_maximum(100 - 3 * np.log(ranks), 10_000).value == found.value  # a fixed seed


def test_equal_times_stay_equal() -> None:
    found = predict_maximum(np.full(200, 7.0), 5_000)
    assert (found.low, found.value, found.high) == (7.0, 7.0, 7.0)


def test_it_refuses_what_the_data_cannot_carry() -> None:
    random = np.random.default_rng(4)
    with pytest.raises(TooFewError, match="a tail needs 100 independent values, and there are 60") as caught:
        predict_maximum(random.random(60), 1000)
    assert caught.value.units == 100
    with pytest.raises(TooFewError, match="the system has 200 times as many") as caught:
        predict_maximum(random.random(100), 20_000)
    assert caught.value.units == 200
    with pytest.raises(TooFewError, match="the interval would reach from") as caught:
        predict_maximum(random.pareto(0.7, 200) + 1, 10_000)
    assert caught.value.units > 200


def test_few_nodes_that_differ_are_no_sample_of_nodes() -> None:
    random = np.random.default_rng(5)
    node = np.repeat(np.arange(8), 40)
    effect = random.normal(0.0, 0.1, 8)[node]
    with pytest.raises(TooFewError, match=r"100 nodes are needed .* and 8 were measured") as caught:
        project([Sample(100 * np.exp(effect + random.normal(0, 0.01, 320)), node, 320)], 5000)
    assert caught.value.units == 100 * 40
    random = np.random.default_rng(6)
    alike = project([Sample(100 * np.exp(random.normal(0, 0.01, 320)), node, 320)], 5000)
    assert (alike.unit, alike.units, alike.instances, alike.contention) == ("run", 320, 5000, None)
    assert "every run" in alike.method


def test_contention_worked_by_hand() -> None:
    """Medians of 100 s with 100 at once and 121 s with 400: exponent ln(1.21) ÷ ln 4 = 0.1375."""
    flat = np.tile([0.99, 1.0, 1.01], 100)
    node = np.arange(300)
    found = contention_of([Sample(100 * flat, node, 100), Sample(121 * flat, node, 400)])
    assert found is not None
    assert found.exponent == pytest.approx(np.log(1.21) / np.log(4))
    # Each median has the error 1.2533 × 1.4826 × 0.01 ÷ √300 = 0.00107; the slope √2 × that ÷ ln 4.
    assert found.error == pytest.approx(np.sqrt(2) * 0.00107 / np.log(4), rel=0.02)
    assert contention_of([Sample(flat, node, 100), Sample(flat, node, 140)]) is None


def test_contention_moves_the_projection() -> None:
    random = np.random.default_rng(6)

    def sample(at_once: int, seconds: float) -> Sample:
        return Sample(seconds * np.exp(random.normal(0, 0.01, at_once)), np.arange(at_once), at_once)

    small, large = sample(100, 100.0), sample(400, 121.0)
    alone, both = project([large], 1600), project([small, large], 1600)
    assert both.units == 500
    assert both.maximum.value / alone.maximum.value == pytest.approx(1.21, rel=0.03)
