from __future__ import annotations

import random
from itertools import pairwise

import pytest

from orchestrator.analysis.search.halving import Rung, halve


def run_to_the_end(
    values: list[list[float | None]], reduction: int, order: random.Random
) -> tuple[list[Rung], list[list[Rung]]]:
    """End the trials of each rung in a random order, and return the last decisions and all before."""
    trials, rungs = range(len(values)), len(values[0])
    ended: list[dict[int, float | None]] = [{} for _ in range(rungs)]
    steps = [halve(trials, ended, reduction)]
    while True:
        open_runs = [
            (number, trial)
            for number, rung in enumerate(steps[-1])
            for trial in rung.entered
            if trial not in ended[number]
        ]
        if not open_runs:
            return steps[-1], steps
        number, trial = order.choice(open_runs)
        ended[number][trial] = values[trial][number]
        steps.append(halve(trials, ended, reduction))


def drawn(seed: int, trials: int, rungs: int) -> list[list[float | None]]:
    source = random.Random(seed)
    return [
        [None if source.random() < 0.1 else source.gauss(0.0, 1.0) for _ in range(rungs)]
        for _ in range(trials)
    ]


def test_a_third_of_a_rung_goes_on() -> None:
    values = {trial: float(value) for trial, value in enumerate([5, 3, 4, 1, 2, 6, 9, 8, 7])}
    first, second = halve(range(9), [values, {}], 3)
    # The best of the first three, the best two of the first six, the best three of all nine.
    assert first.promoted == (1, 3, 4)
    assert second.entered == (1, 3, 4)
    assert first.pruned == {0, 2, 5, 6, 7, 8}


def test_nothing_is_decided_before_enough_trials_ended() -> None:
    [first, second] = halve(range(9), [{0: 1.0, 1: 2.0}, {}], 3)
    assert first == Rung(tuple(range(9)))
    assert second.entered == ()


def test_results_count_in_the_registered_order() -> None:
    [first, _] = halve(range(6), [{1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0, 5: 5.0}, {}], 3)
    assert not first.promoted  # trial 0 has not ended
    [first, _] = halve(range(6), [{0: 9.0, 1: 1.0, 2: 2.0, 3: 3.0}, {}], 3)
    assert first.promoted == (1,)


def test_what_cannot_be_among_the_best_any_more_is_pruned_at_once() -> None:
    [first, _] = halve(range(6), [{0: 1.0, 1: 2.0, 2: 3.0}, {}], 3)
    assert first.promoted == (0,)
    assert first.pruned == {2}  # two of six go on, and two are better already
    [first, _] = halve(range(6), [{0: 1.0, 1: None, 2: 3.0}, {}], 3)
    assert first.pruned == {1}


def test_a_trial_without_a_value_never_goes_on() -> None:
    [first, _] = halve(range(3), [dict.fromkeys(range(3)), {}], 3)
    assert first.promoted == ()
    assert first.pruned == {0, 1, 2}
    [first, _] = halve(range(3), [{0: float("nan"), 1: float("inf"), 2: 4.0}, {}], 3)
    assert first.promoted == (2,)


def test_of_equal_values_the_earlier_trial_goes_on() -> None:
    [first, _] = halve(range(3), [dict.fromkeys(range(3), 1.0), {}], 3)
    assert first.promoted == (0,)


def test_what_trained_on_a_later_rung_stays_promoted() -> None:
    [first, second, _] = halve(range(3), [{0: 1.0}, {2: 5.0}, {}], 3)
    assert first.promoted == second.entered == (2,)
    assert 2 not in first.pruned


@pytest.mark.parametrize("seed", range(20))
def test_decisions_follow_from_the_values_whatever_ended_first(seed: int) -> None:
    values = drawn(seed, trials=random.Random(seed).randint(2, 40), rungs=3)
    ends = [run_to_the_end(values, 2 + seed % 3, random.Random(order)) for order in range(4)]
    assert all(last == ends[0][0] for last, _ in ends)
    for last, steps in ends:
        for before, after in pairwise(steps):
            for one, two in zip(before, after, strict=True):
                assert two.promoted[: len(one.promoted)] == one.promoted
                assert one.pruned <= two.pruned
        for rung in last[:-1]:
            # All that entered a rung went on or is pruned, and no better one is left behind.
            assert set(rung.entered) == set(rung.promoted) | rung.pruned
            assert not set(rung.promoted) & rung.pruned
            assert len(rung.promoted) >= len(rung.entered) // (2 + seed % 3) - sum(
                values[trial][last.index(rung)] is None for trial in rung.entered
            )
