from __future__ import annotations

import dataclasses
import gzip
import json

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks
from workloads.candle import nt3, p1b2, p1b3
from workloads.candle.data import nt3 as nt3_data
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data import p1b2 as p1b2_data
from workloads.candle.data import p1b3 as p1b3_data
from workloads.candle.parallel import ParallelParameters, average_gradients, rank_share
from workloads.context import Context, SlotView
from workloads.description import WorkloadError
from workloads.runtime.collectives import Ranks
from workloads.runtime.flops import forward_flop
from workloads.runtime.framework import configure_framework, trainable_parameters

P1B3_SIZES = {"drugs": 100, "genes": 30, "descriptors": 20, "test_drugs": 20, "cell_lines": 20}
SMALL_NT3 = {"batch_size": 10, "filters": 4, "learning_rate": 0.01}


@pytest.mark.parametrize(
    ("epochs", "ranks", "expected"),
    [(384, 1, 384), (384, 48, 8), (768, 384, 2), (1, 1, 1)],  # the study's strong scaling
)
def test_epochs_are_divided(epochs, ranks, expected):
    share = rank_share(ParallelParameters(epochs=epochs), ranks)
    assert (share.epochs, share.alone) == (expected, 0)


def test_weak_scaling_gives_each_rank_all_epochs():
    assert rank_share(ParallelParameters(epochs=8, epoch_division="each"), 3072).epochs == 8


@pytest.mark.parametrize(
    ("epochs", "ranks", "message"),
    [
        (10, 4, "epochs: 10 cannot be divided among 4 ranks; choose 8 or 12, or epoch_remainder: last_rank"),
        (1, 2, "epochs: 1 cannot be divided among 2 ranks; choose at least 2"),
    ],
)
def test_a_remainder_is_refused(epochs, ranks, message):
    with pytest.raises(WorkloadError, match=f"^{message}$"):
        rank_share(ParallelParameters(epochs=epochs), ranks)


def test_the_last_rank_can_take_the_remainder():
    share = rank_share(ParallelParameters(epochs=10, epoch_remainder="last_rank"), 4)
    assert (share.epochs, share.alone) == (2, 2)


@pytest.mark.parametrize(
    ("scaling", "ranks", "expected"),
    [("none", 48, 100), ("linear", 48, 4800), ("square_root", 48, 692), ("cubic_root", 48, 363),
     ("cubic_root", 8, 200), ("square_root", 49, 700)],
)  # fmt: skip
def test_the_batch_grows_as_in_the_study(scaling, ranks, expected):
    parameters = ParallelParameters(epochs=ranks, batch_size=100, batch_scaling=scaling)
    assert rank_share(parameters, ranks).batch_size == expected


def test_the_learning_rate_grows_with_the_ranks():
    parameters = ParallelParameters(epochs=4, learning_rate=0.5)
    assert rank_share(parameters, 4).learning_rate == 2
    unscaled = dataclasses.replace(parameters, learning_rate_scaling="none")
    assert rank_share(unscaled, 4).learning_rate == 0.5


class OtherRank:
    """Stands for a second rank: the mean is that of this rank's gradients and of given ones."""

    size = 2

    def __init__(self, gradients):
        self.gradients = gradients

    def all_reduce_mean(self, gradients):
        return [(mine + other) / 2 for mine, other in zip(gradients, self.gradients, strict=True)]


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "RMSprop"])
def test_averaged_gradients_of_two_batches_are_those_of_one_batch_of_both(optimizer):
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import keras
    import tensorflow as tf

    random = np.random.default_rng(1)
    rows, truth = random.normal(size=(16, 5)).astype("f4"), random.normal(size=(16, 1)).astype("f4")
    kind = getattr(keras.optimizers, optimizer)

    def model(made):
        keras.utils.set_random_seed(3)
        built = keras.Sequential([keras.Input((5,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
        built.compile(loss="mse", optimizer=made)
        return built

    both = model(kind(learning_rate=0.1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((both(rows[8:]) - truth[8:]) ** 2)
    other = tape.gradient(loss, [variable.value for variable in both.trainable_variables])
    averaging = model(average_gradients(kind, OtherRank(other))(learning_rate=0.1))
    both.train_on_batch(rows, truth)
    averaging.train_on_batch(rows[:8], truth[:8])
    for expected, found in zip(both.get_weights(), averaging.get_weights(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_one_rank_uses_the_optimizer_as_it_is():
    ranks = Ranks(Context(seed=1, slot=SlotView()))
    assert average_gradients(dict, ranks) is dict


@pytest.fixture(scope="module")
def tissues(tmp_path_factory):
    directory = tmp_path_factory.mktemp("nt3")
    nt3_data.make(directory, 3, train_rows=80, test_rows=40, features=300)
    return directory


def metrics_of(report):
    assert report.code == 0, report.last
    return {one["name"]: one["value"] for one in report.last["result"]["metrics"]}


@pytest.mark.slow
def test_two_ranks_share_the_epochs_and_agree_and_resume(tissues, tmp_path, monkeypatch):
    monkeypatch.setenv("HOROVOD_TIMELINE", "DYNAMIC")
    parameters = SMALL_NT3 | {"epochs": 5, "epoch_remainder": "last_rank", "resume": True}
    first, second = map(metrics_of, run_ranks("nt3", parameters, 2, data=str(tissues), scratch=str(tmp_path)))
    assert first["epochs_run"] == second["epochs_run"] == 3
    assert first["samples_seen"] == (2 * 2 + 1) * 80
    assert first["learning_rate_of_rank"] == pytest.approx(0.02)
    assert first["test_accuracy"] == second["test_accuracy"]
    assert first["broadcast_slowest_rank"] in (0, 1)
    assert first["train_seconds_of_slowest_rank"] >= first["train_seconds_mean_of_ranks"] > 0
    assert 0 < first["import_seconds_mean_of_ranks"] <= first["import_seconds_of_slowest_rank"]
    assert 0 < first["import_seconds"] <= first["import_seconds_of_slowest_rank"]  # a single rank's, too
    read = first["train_file_seconds"] + first["test_file_seconds"]
    assert 0 < read < first["preprocess_seconds"] + read < first["load_seconds_of_slowest_rank"] + 1e-6
    assert first["train_file_seconds_of_slowest_rank"] >= first["train_file_seconds"]
    recorded = {"scratch": str(tmp_path), "timeline": str(tmp_path / "timeline.json.gz")}
    again, other = map(metrics_of, run_ranks("nt3", parameters, 2, data=str(tissues), **recorded))
    assert 0 < again["timeline_allreduce_share"] < 1
    assert again["timeline_allreduce_bytes"] > again["timeline_allreduce_calls"] > 0
    assert "timeline_seconds" not in other  # rank 0 records for all
    events = json.loads(gzip.decompress((tmp_path / "timeline.json.gz").read_bytes()))
    assert {"NEGOTIATE_BROADCAST", "BROADCAST"} <= {event.get("name") for event in events}
    assert again["resumed_from_epoch"] == 2  # the last rank's own epoch is trained again
    assert again["epochs_run"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["p1b1_parallel", "p1b2", "p1b3"])
def test_every_workload_trains_on_two_ranks(name, tmp_path):
    make, parameters = {
        "p1b1_parallel": (
            lambda: p1b1_data.make(tmp_path, 3, train_rows=60, test_rows=20, features=50),
            {"outer_width": 20, "inner_width": 10, "batch_size": 20},
        ),
        "p1b2": (lambda: p1b2_data.make(tmp_path, 3, train_rows=120, test_rows=40, features=50), {}),
        "p1b3": (
            lambda: p1b3_data.make(tmp_path, 3, **P1B3_SIZES),
            {"first_width": 20, "batch_size": 50, "batch_scaling": "cubic_root"},
        ),
    }[name]  # fmt: skip
    make()
    first, second = map(metrics_of, run_ranks(name, parameters | {"epochs": 2}, 2, data=str(tmp_path)))
    assert first["epochs_run"] == 1
    assert first["optimizer_steps"] == second["optimizer_steps"] > 0
    if name == "p1b3":
        assert first["batch_size_of_rank"] == 62  # 50 × ∛2, rounded down


def test_horovod_joins_ranks_of_tensorflow_only():
    workload = nt3.WORKLOAD
    given = {"epochs": 2, "framework": "jax"}
    with pytest.raises(
        WorkloadError, match=r"communication horovod joins ranks of TensorFlow only.*torch, mpi or jax$"
    ):
        workload.check_ranks(workload.resolve(given), 2)
    workload.check_ranks(workload.resolve(given), 1)
    parameters = workload.resolve(given | {"communication": "torch"})
    workload.check_ranks(parameters, 2)
    assert workload.packages(parameters, 2) == ("keras", "jax", "torch")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "build"),
    [
        (nt3.WORKLOAD, lambda one, share, ranks: nt3.build(60483, one, 0.001, ranks)),
        (p1b2.WORKLOAD, lambda one, share, ranks: p1b2.build(28204, 10, one, 1, share, ranks)),
        (p1b3.WORKLOAD, lambda one, share, ranks: p1b3.build(29532, one, 1, share, ranks)),
    ],
    ids=["nt3", "p1b2", "p1b3"],
)
@pytest.mark.usefixtures("shapes_only")
def test_the_full_model_has_the_published_shape(workload, build):
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    parameters = workload.typed(workload.resolve({}))
    ranks = Ranks(Context(seed=1, slot=SlotView()))
    model = build(parameters, rank_share(parameters, 1), ranks)
    assert trainable_parameters(model) == workload.sizes["trainable_parameters"]
    assert forward_flop(model) == workload.sizes["forward_flop_per_sample"]
