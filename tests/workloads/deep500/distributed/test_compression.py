from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.catalog.registry import describe
from tests.workloads.deep500.distributed.thread_ranks import run_threads
from workloads.deep500.distributed import compressed_gradients
from workloads.deep500.distributed.compressed_gradients import CompressedGradients, compressed
from workloads.deep500.distributed.compressed_replay import CompressedReplay
from workloads.deep500.distributed.compression import COMPRESSIONS, NONE, Compression
from workloads.deep500.distributed.problem import Sizes, draw
from workloads.deep500.distributed.reference import Replay, error_over_bound, gradient
from workloads.deep500.distributed.schemes import DECENTRALISED, Rules, train
from workloads.description import WorkloadError

SIZES = Sizes(features=7, hidden=6, classes=3, train_rows=60, test_rows=10)
RATE = 0.1
NAMES = [name for name in COMPRESSIONS if name != NONE]


def errors(name, ranks=3, steps=8, seed=1, precision="float32", change=lambda gradients: gradients):
    """Return the error of the parameters, that of the decisions, and the bytes of each rank."""
    problem = draw(SIZES, seed)
    way = Compression(name, SIZES.parameters, 0.1, seed)

    def of_rank(rank):
        def slope(vector, step):
            wide = gradient(problem, vector.astype(float), *problem.batch(step, rank.rank, rank.size, 4))
            return wide.astype(precision)

        gradients = change(CompressedGradients(way, rank, record=True))
        update = compressed(gradients, lambda vector: vector, lambda vector: vector)
        initial = problem.initial.astype(precision)
        found = train(DECENTRALISED, initial, slope, steps, Rules(RATE), rank, update=update)
        sent = rank.handed_bytes
        return found.parameters, gradients.of_all_ranks(), sent

    of_ranks = run_threads(ranks, of_rank)
    replay = Replay(problem, DECENTRALISED, ranks, steps, 4, RATE)
    decisions = of_ranks[0][1]
    expected, worst = CompressedReplay(replay, way, decisions, precision).parameters()
    for found, _, _ in of_ranks[1:]:
        assert np.array_equal(found, of_ranks[0][0])
    error, _ = error_over_bound(of_ranks[0][0], expected, precision, steps)
    return error, worst, [sent for _, _, sent in of_ranks]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(ranks=st.integers(1, 4), seed=st.integers(0, 2**64), precision=st.sampled_from(["float32", "float64"]))
def test_a_compression_takes_the_updates_of_its_replay(name, ranks, seed, precision):
    error, decision, sent = errors(name, ranks, 8, seed, precision)
    assert error <= 1
    assert decision <= 1
    way = Compression(name, SIZES.parameters, 0.1, seed)
    number = np.dtype(precision).itemsize
    if name == "sparse_all_reduce":
        assert sum(sent) <= 8 * ranks * (ranks - 1) * way.kept * (4 + number) * 2
    else:
        assert sent == [8 * way.expected_bytes(number, ranks)] * ranks


def without_feedback(gradients):
    class Forgetful(CompressedGradients):
        def mean(self, gradient, step):
            self._left = 0
            return super().mean(gradient, step)

    gradients.__class__ = Forgetful
    return gradients


@pytest.mark.parametrize("name", ["top_k", "sparse_all_reduce", "one_bit"])
def test_feedback_that_is_missing_is_caught(name):
    error, decision, _ = errors(name, change=without_feedback)
    assert max(error, decision) > 10


def smallest(kept):
    return lambda vector, draws: (
        (places := np.sort(np.argsort(np.abs(vector))[:kept])).astype(np.int32),
        vector[places],
    )


def next_draws(encode):
    return lambda vector, draws: encode(vector, np.roll(draws, 1))


@pytest.mark.parametrize("name", NAMES[:2])
def test_numbers_that_are_not_the_largest_are_caught(monkeypatch, name):
    monkeypatch.setattr(compressed_gradients, "_largest", smallest)
    assert errors(name)[1] > 10


@pytest.mark.parametrize("name", ["terngrad", "stochastic_rounding"])
def test_other_random_numbers_are_caught(monkeypatch, name):
    table = compressed_gradients._ENCODE
    monkeypatch.setitem(table, name, next_draws(table[name]))
    assert errors(name)[1] > 10


@pytest.mark.parametrize("name", ["one_bit", "terngrad", "stochastic_rounding"])
def test_a_wrong_scale_is_caught(monkeypatch, name):
    table, right = compressed_gradients._ENCODE, compressed_gradients._ENCODE[name]

    def scaled(vector, draws):
        decisions, scale = right(vector, draws)
        return decisions, scale * scale.dtype.type(1.01)

    monkeypatch.setitem(table, name, scaled)
    error, decision, _ = errors(name)
    assert max(error, decision) > 10


def decoded(name, vector, density=0.5, **changes):
    [rank] = run_threads(1, lambda rank: rank)
    way = Compression(name, len(vector), density, seed=3)
    return CompressedGradients(way, rank, **changes).mean(np.array(vector, np.float32), 0).tolist()


def test_known_vectors():
    assert decoded("top_k", [1, -3, 0.5, 2]) == [0, -3, 0, 2]
    assert decoded("sparse_all_reduce", [1, -3, 0.5, 2]) == [0, -3, 0, 2]
    assert decoded("one_bit", [1, -3, 0, 2] * 3) == [1.5, -1.5, 1.5, 1.5] * 3
    assert set(decoded("terngrad", [0.5, -0.5, 0.25, 0.0, 0.25] * 9)) == {0.5, -0.5, 0}
    assert decoded("stochastic_rounding", [127, -127, 3, 0]) == [127, -127, 3, 0]
    for name in NAMES:
        assert decoded(name, [0.0] * 5) == [0.0] * 5


@pytest.mark.parametrize("name", ["terngrad", "stochastic_rounding"])
def test_the_mean_of_drawn_messages_is_right(name):
    vector = np.array([0.3, -0.2, 0.05, 0.4, -0.4], np.float32)
    [rank] = run_threads(1, lambda rank: rank)
    gradients = CompressedGradients(Compression(name, 5, 1.0, seed=3), rank)
    assert np.mean([gradients.mean(vector, step) for step in range(4000)], 0) == pytest.approx(
        vector, abs=0.03
    )


def test_what_was_not_sent_comes_later():
    [rank] = run_threads(1, lambda rank: rank)
    gradients = CompressedGradients(Compression("top_k", 3, 0.3, seed=1), rank)
    vector = np.array([4, 3, 1], np.float32)
    assert [gradients.mean(vector, step).tolist() for step in range(3)] == [[4, 0, 0], [0, 6, 0], [8, 0, 0]]


@pytest.mark.parametrize(
    ("name", "message", "three_ranks"),
    [
        ("top_k", 80, 160),
        ("one_bit", 13 + 4, 34),
        ("terngrad", 25 + 4, 58),
        ("stochastic_rounding", 100 + 4, 208),
        ("sparse_all_reduce", 80, 8 * 2 * (10 / 3 + 100 / 3 * (1 - 0.9**3))),
    ],
)
def test_bytes_of_a_message_and_of_a_step(name, message, three_ranks):
    way = Compression(name, 100, 0.1, seed=1)
    assert way.message_bytes(4) == message
    assert way.expected_bytes(4, 3) == pytest.approx(three_ranks)
    assert way.expected_bytes(4, 1) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"compression": "top_k", "scheme": "model_averaging"},
            "is of the gradients of scheme consistent_decentralised, not of model_averaging: write scheme",
        ),
        (
            {"compression": "top_k", "density": 1.5},
            "density must be at most 1, a share of all numbers, not 1.5",
        ),
    ],
)
def test_what_cannot_be_compressed_is_refused(changes, message):
    workload = describe("deep500_distributed")
    with pytest.raises(WorkloadError, match=message):
        workload.check_ranks(workload.resolve(changes), 2)
