"""Samplers show each sample once, in their order, with their seed, and with the last batch as asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.deep500.training.samplers import SAMPLERS, number_of_batches

KEYS = st.lists(st.integers(0, 9), min_size=1, max_size=120).map(lambda keys: np.array(keys))
SIZES = st.integers(1, 40)
SEEDS = st.integers(0, 2**64)
EPOCHS = st.integers(0, 1000)


def drawn(name, keys, size, drop_last=False, seed=1, epoch=1):
    return [one.tolist() for one in SAMPLERS[name](keys, size, drop_last, seed, epoch)]


def flat(batches):
    return [index for batch in batches for index in batch]


@given(
    keys=KEYS, size=SIZES, seed=SEEDS, epoch=EPOCHS, name=st.sampled_from(["ordered", "shuffle", "bucket"])
)
def test_each_sample_is_shown_once(keys, size, seed, epoch, name):
    assert sorted(flat(drawn(name, keys, size, seed=seed, epoch=epoch))) == list(range(len(keys)))


@given(keys=KEYS, size=SIZES, seed=SEEDS, name=st.sampled_from(sorted(SAMPLERS)), drop_last=st.booleans())
def test_batches_are_whole_but_for_the_last(keys, size, seed, name, drop_last):
    sizes = [len(one) for one in drawn(name, keys, size, drop_last, seed)]
    if name == "bucket":
        assert all(0 < one <= size for one in sizes)
        assert not drop_last or set(sizes) <= {size}
        return
    assert len(sizes) == number_of_batches(len(keys), size, drop_last)
    assert all(one == size for one in sizes[: None if drop_last else -1])
    assert sum(sizes) == (len(keys) // size * size if drop_last else len(keys))


@given(keys=KEYS, size=SIZES, drop_last=st.booleans())
def test_the_order_is_that_of_the_data_set_in_every_epoch(keys, size, drop_last):
    shown = flat(drawn("ordered", keys, size, drop_last, seed=3, epoch=5))
    assert shown == list(range(len(keys) // size * size if drop_last else len(keys)))


@given(keys=KEYS, size=SIZES, seed=SEEDS, epoch=EPOCHS, name=st.sampled_from(sorted(SAMPLERS)))
def test_a_seed_gives_the_same_batches_again(keys, size, seed, epoch, name):
    assert drawn(name, keys, size, seed=seed, epoch=epoch) == drawn(name, keys, size, seed=seed, epoch=epoch)


@pytest.mark.parametrize("name", ["shuffle", "choice", "bucket"])
def test_seeds_and_epochs_give_other_batches(name):
    keys = np.arange(100) % 10
    first = drawn(name, keys, 10)
    assert first != drawn(name, keys, 10, seed=2)
    assert first != drawn(name, keys, 10, epoch=2)


@given(keys=KEYS, size=SIZES, seed=SEEDS)
def test_a_choice_is_of_the_samples_that_there_are(keys, size, seed):
    assert set(flat(drawn("choice", keys, size, seed=seed))) <= set(range(len(keys)))


def test_a_choice_repeats_some_samples():
    shown = flat(drawn("choice", np.zeros(1000), 100))
    assert 550 < len(set(shown)) < 720  # 1 - 1/e of them, by chance


@given(keys=KEYS, size=SIZES, seed=SEEDS)
def test_the_samples_of_a_bucket_have_the_same_key(keys, size, seed):
    assert all(len(set(keys[one].tolist())) == 1 for one in drawn("bucket", keys, size, seed=seed))


def test_lengths_of_sequences_that_are_near_share_a_bucket():
    lengths = np.random.default_rng(1).integers(1, 3001, 2000)
    widths = [np.ptp(lengths[one]) for one in drawn("bucket", lengths, 16)]
    assert max(widths) <= 100


def test_without_samples_there_is_no_batch():
    assert drawn("ordered", np.array([]), 4) == drawn("shuffle", np.array([]), 4) == []
    assert drawn("choice", np.array([]), 4) == drawn("bucket", np.array([]), 4) == []


@pytest.mark.parametrize(("drop_last", "number"), [(True, 15), (False, 16)])
def test_a_partial_batch_counts_or_not(drop_last, number):
    assert number_of_batches(1000, 64, drop_last) == number
