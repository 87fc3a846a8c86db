from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.deep500.distributed.thread_ranks import run_threads
from workloads.deep500.distributed import schemes
from workloads.deep500.distributed.collectives import Collectives, expected_bytes, vector_bytes
from workloads.deep500.distributed.problem import Sizes, draw
from workloads.deep500.distributed.reference import Replay, error_over_bound, gradient
from workloads.deep500.distributed.schemes import INCONSISTENT, SCHEMES, Rules, train
from workloads.deep500.distributed.stale_server import StaleServer, largest_lead, serve, staleness

SIZES = Sizes(features=5, hidden=4, classes=3, train_rows=40, test_rows=10)
RULES = Rules(0.5, local_steps=2, staleness=1)
ranks_of = st.integers(1, 4)
few_steps = st.integers(1, 6)
seeds = st.integers(0, 2**64)


def trained(scheme, ranks, steps, rows, seed=1, rules=RULES, precision=float):
    """Train with the gradients of the reference, by the code of the schemes; return problem and ranks."""
    problem = draw(SIZES, seed)

    def one(rank: Collectives):
        def slope(vector, step):
            wide = gradient(problem, vector.astype(float), *problem.batch(step, rank.rank, rank.size, rows))
            return wide.astype(precision)

        found = train(scheme, problem.initial.astype(precision), slope, steps, rules, rank)
        return found, rank.handed_bytes

    return problem, run_threads(ranks, one)


def replayed(problem, scheme, ranks, steps, rows, rules=RULES, order=()):
    return Replay(
        problem, scheme, ranks, steps, rows, rules.learning_rate, rules.local_steps, order
    ).parameters()


@pytest.mark.parametrize("scheme", ["consistent_decentralised", INCONSISTENT])
def test_a_step_is_timed_until_it_is_computed(scheme):
    problem, events = draw(SIZES, 1), []

    def slope(vector, step):
        events.append("gradient")
        return gradient(problem, vector, *problem.batch(step, 0, 1, 2))

    initial = problem.initial.astype(float)
    train(scheme, initial, slope, 2, RULES, Collectives(), lambda: events.append("wait"))
    assert events == ["gradient", "wait"] * 2


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=15, deadline=None)
@given(ranks=ranks_of, steps=few_steps, rows=st.integers(1, 5), seed=seeds, staleness_bound=st.integers(0, 3))
def test_a_scheme_takes_the_updates_of_its_reference(scheme, ranks, steps, rows, seed, staleness_bound):
    ranks = max(ranks, 2) if scheme == "neighbour_exchange" else ranks
    rules = Rules(0.5, local_steps=2, staleness=staleness_bound)
    problem, found = trained(scheme, ranks, steps, rows, seed, rules)
    order = found[0][0].order
    expected = replayed(problem, scheme, ranks, steps, rows, rules, order)
    for (own, _), wanted in zip(found, expected, strict=True):
        assert error_over_bound(own.parameters, wanted, "float64", steps)[0] <= 1
        assert len(own.seconds) == steps
    if scheme == INCONSISTENT:
        assert sorted(rank for rank, _ in order) == sorted([*range(ranks)] * steps)
        assert largest_lead(order, ranks) <= staleness_bound + 1  # an update is applied before it waits


@pytest.mark.parametrize("scheme", ["consistent_centralised", "consistent_decentralised"])
@given(ranks=ranks_of, steps=few_steps, rows=st.integers(1, 5), seed=seeds)
@settings(max_examples=15, deadline=None)
def test_ranks_of_a_consistent_scheme_equal_one_with_all_their_rows(scheme, ranks, steps, rows, seed):
    _, found = trained(scheme, ranks, steps, rows, seed)
    _, [(alone, _)] = trained(scheme, 1, steps, rows * ranks, seed)
    for own, _ in found:
        assert error_over_bound(own.parameters, alone.parameters, "float64", steps)[0] <= 1


def test_without_staleness_every_answer_holds_all_gradients_of_its_step():
    _, found = trained(INCONSISTENT, 3, 4, 2, rules=Rules(0.5, staleness=0))
    order = found[0][0].order
    for rank in range(3):
        versions = [version for one, version in order if one == rank]
        assert all(version >= 3 * step for step, version in enumerate(versions))
    assert largest_lead(order, 3) <= 1


def test_staleness_and_lead_of_a_known_order():
    order = [(0, 0), (0, 1), (1, 0), (0, 2), (1, 3)]
    assert staleness(order) == [0, 0, 2, 1, 1]
    assert largest_lead(order, 2) == 2


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize(
    "wrong",
    [
        lambda vectors: sum(vectors[1:], vectors[0]),
        lambda vectors: vectors[0],
        lambda vectors: sum(vectors[1:], vectors[0]) / (len(vectors) + 1),
    ],
    ids=["sum instead of mean", "first rank alone", "divided by one too many"],
)
@pytest.mark.parametrize("scheme", ["consistent_centralised", "neighbour_exchange"])
def test_a_wrong_scheme_is_caught(monkeypatch, scheme, wrong, precision):
    problem, right = trained(scheme, 3, 5, 4, precision=precision)
    expected = replayed(problem, scheme, 3, 5, 4)
    name = np.dtype(precision).name
    assert _largest(right, expected, name) <= 1
    monkeypatch.setattr(schemes, "mean", wrong)
    _, found = trained(scheme, 3, 5, 4, precision=precision)
    assert _largest(found, expected, name) > 10


def _largest(found, expected, precision):
    pairs = zip((one.parameters for one, _ in found), expected, strict=True)
    return max(error_over_bound(own, wanted, precision, 5)[0] for own, wanted in pairs)


def test_a_wrong_order_of_asynchronous_updates_is_caught():
    problem, found = trained(INCONSISTENT, 2, 6, 4, rules=Rules(0.5, staleness=2))
    order = found[0][0].order
    shifted = [(rank, max(0, version - 1)) for rank, version in order]
    wrong = replayed(problem, INCONSISTENT, 2, 6, 4, order=shifted)
    assert error_over_bound(found[0][0].parameters, wrong[0], "float64", 6)[0] > 10


def test_parameters_that_are_not_finite_are_counted():
    expected = np.ones(4)
    assert error_over_bound(np.array([1, np.nan, np.inf, 1]), expected, "float32", 1) == (1e300, 2)
    assert error_over_bound(expected, np.array([1, np.nan, 1, 1]), "float32", 1) == (1e300, 0)
    assert error_over_bound(np.full(4, 1e308), expected, "float64", 1) == (1e300, 0)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_the_gradient_is_the_slope_of_the_loss(seed):
    problem = draw(SIZES, seed)
    rows, classes = problem.batch(0, 0, 1, 6)
    flat = problem.initial.astype(float)
    found = gradient(problem, flat, rows, classes)
    for place in range(0, len(flat), 5):
        moved = np.zeros_like(flat)
        moved[place] = 1e-6
        higher, lower = (_loss(flat + way * moved, rows, classes) for way in (1, -1))
        assert found[place] == pytest.approx((higher - lower) / 2e-6, rel=1e-5, abs=1e-8)


def _loss(flat, rows, classes):
    first = SIZES.features * SIZES.hidden
    second = first + SIZES.hidden
    third = second + SIZES.hidden * SIZES.classes
    hidden = np.tanh(rows @ flat[:first].reshape(SIZES.features, SIZES.hidden) + flat[first:second])
    scores = hidden @ flat[second:third].reshape(SIZES.hidden, SIZES.classes) + flat[third:]
    return float(np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(rows)), classes]))


@given(step=st.integers(0, 100), ranks=ranks_of, rows=st.integers(1, 8))
def test_the_parts_of_the_ranks_are_the_batch_of_one(step, ranks, rows):
    problem = draw(SIZES, 3)
    parts = [problem.batch(step, rank, ranks, rows) for rank in range(ranks)]
    whole = problem.batch(step, 0, 1, rows * ranks)
    for place in (0, 1):
        assert np.array_equal(np.concatenate([part[place] for part in parts]), whole[place])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bytes_handed_to_operations(scheme):
    steps, ranks = 4, 3
    problem, found = trained(scheme, ranks, steps, 2)
    vector = vector_bytes(problem.initial.astype(float))
    handed = [bytes_ for _, bytes_ in found]
    assert vector == SIZES.parameters * 8
    assert (
        handed
        == {
            "consistent_centralised": [2 * steps * vector, steps * vector, steps * vector],
            "consistent_decentralised": [steps * vector] * 3,
            INCONSISTENT: [(2 * steps + 1) * vector, steps * vector, steps * vector],
            "model_averaging": [steps // 2 * vector] * 3,
            "neighbour_exchange": [2 * steps * vector] * 3,
        }[scheme]
    )


def test_expected_bytes():
    assert expected_bytes("consistent_decentralised", 100, 4) == 150
    assert expected_bytes("consistent_centralised", 100, 4) == 150
    assert expected_bytes("model_averaging", 100, 2, steps=8, local_steps=4) == 25
    assert expected_bytes("model_averaging", 100, 2, steps=10, local_steps=4) == 20
    assert expected_bytes("model_averaging", 100, 2, steps=3, local_steps=4) == 0
    assert expected_bytes("neighbour_exchange", 100, 4) == 200


def test_a_rank_that_fails_ends_the_server_and_those_who_wait_for_it():
    class Lost(Collectives):
        def receive(self, like, peer):
            raise ConnectionError("rank 1 ended")

    server = StaleServer(np.zeros(2), ranks=2, steps=3, learning_rate=0.1, staleness=0)
    with pytest.raises(ConnectionError, match="rank 1 ended"), serve(server, Lost(0, 2)):
        for _ in range(3):  # the first answer waits for rank 1
            server.exchange(0, np.ones(2))


def test_an_error_of_rank_0_ends_the_answers_to_others():
    server = StaleServer(np.zeros(2), ranks=2, steps=3, learning_rate=0.1, staleness=0)

    class Silent(Collectives):
        def receive(self, like, peer):
            return like

    with pytest.raises(ZeroDivisionError), serve(server, Silent(0, 2)):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        server.finish()


def test_draws_depend_on_the_seed_alone():
    one, same, other = draw(SIZES, 5), draw(SIZES, 5), draw(replace(SIZES), 6)
    assert np.array_equal(one.initial, same.initial)
    assert np.array_equal(one.train[0], same.train[0])
    assert not np.array_equal(one.initial, other.initial)
