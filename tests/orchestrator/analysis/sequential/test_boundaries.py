"""Ranks of bounds, checked by hand and by other simulations than those that chose them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from orchestrator.analysis.sequential.boundaries import (
    SPENDING,
    Method,
    binomial_ranks,
    ranks_of,
    simulated_ranks,
)


def test_a_single_look_has_the_ranks_of_a_fixed_interval() -> None:
    # Of 10 values, P(at most 1 below the median) = 11 ÷ 1024 = 1.07 %, P(at most 2) = 5.5 %.
    assert binomial_ranks(0.5, 0.025, 10, 10)[10] == 2
    # Wilcoxon's tables: of 10 pairs, P(sum of ranks ≤ 8) = 2.44 %; so the 9th mean is the bound.
    assert simulated_ranks("ranks", 0.0255, 10, 10)[10] == 9


def test_exact_ranks_miss_as_often_as_all_sequences_of_a_few_values_say() -> None:
    ranks = binomial_ranks(0.5, 0.1, 3, 8)
    missed = [
        any(sum(sequence[:n]) < ranks[n] for n in range(3, 9))
        for sequence in itertools.product((0, 1), repeat=8)
    ]
    assert 0.03 < np.mean(missed) <= 0.1


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("level", [0.025, 0.0025])
def test_exact_ranks_use_no_more_than_the_level(share: float, level: float) -> None:
    ranks = binomial_ranks(share, level, 5, 40)
    below = np.cumsum(np.random.default_rng(1).random((40_000, 40)) < share, axis=1)
    missed = (below < ranks[1:]).any(axis=1).mean()
    assert 0.4 * level < missed < level + 4 * np.sqrt(level / 40_000)
    early = (below[:, :20] < ranks[1:21]).any(axis=1).mean()
    assert early < level * 0.5**SPENDING + 4 * np.sqrt(level / 40_000)


@pytest.mark.parametrize("level", [0.025, 0.0025])
def test_simulated_ranks_use_no_more_than_the_level_for_other_distributions(level: float) -> None:
    ranks = simulated_ranks("ranks", level, 5, 40)
    values = np.random.default_rng(2).laplace(size=(40, 40_000))
    counts = np.zeros(40_000, dtype=int)
    missed = np.zeros(40_000, dtype=bool)
    for n in range(1, 41):
        counts += (values[:n] <= -values[n - 1]).sum(axis=0)
        missed |= counts < ranks[n]
    assert 0.8 * level < missed.mean() < level + 4 * np.sqrt(level / 40_000)


@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_ranks_are_kept_and_cannot_be_changed(method: Method) -> None:
    ranks = ranks_of(method, 0.025, 5, 20)
    assert ranks_of(method, 0.025, 5, 20) is ranks
    assert ranks.shape == (21,)
    assert (ranks[:5] == 0).all()
    assert ranks[20] > ranks[10] >= 0
    with pytest.raises(ValueError, match="read-only"):
        ranks[0] = 1
