from __future__ import annotations

import signal

import numpy as np
import pytest

from tests.workloads.orders import send
from tests.workloads.runtime.rank_processes import run_ranks, started
from workloads.context import Context, Paths, SlotView
from workloads.description import DataError, WorkloadError
from workloads.imagenet.generator import make
from workloads.imagenet.resnet50.benchmark import WORKLOAD, run
from workloads.imagenet.training import Progress, should_stop

SMALL = {
    "epochs": 3, "batch_size": 8, "classes": 3, "image_size": 32, "width_divisor": 8, "depth_divisor": 6,
    "warmup_epochs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("imagenet")
    make(directory, 7, train_images=200, validation_images=33, classes=3, image_edge=40)
    return directory


def train(parameters, data, scratch=None, seed=1):
    """Run with one rank in this process; return the result's metrics too."""
    context = Context(seed=seed, slot=SlotView(cores=(0,)), paths=Paths(data=data, scratch=scratch))
    result = run(WORKLOAD.typed(WORKLOAD.resolve(SMALL | parameters)), context)
    return result, {metric.name: metric.value for metric in result.metrics}


def metrics(report):
    return {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}


def state(scratch):
    """The arrays of the last checkpoint, whatever training it is of."""
    [path] = sorted((scratch / "checkpoints").glob("*.npz"))[-1:]
    with path.open("rb") as file, np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "facts"}


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_the_description_says_what_it_reports():
    assert (WORKLOAD.fom_time, WORKLOAD.accuracy_metric, WORKLOAD.ranks) == ("run", "top_1_percent", True)


@pytest.mark.parametrize(
    ("epochs", "top_1", "most", "ends"),
    [
        (89, 80.0, 0, False),
        (90, 10.0, 0, True),
        (90, 74.8, 120, False),
        (90, 74.9, 120, True),
        (119, 74.8, 120, False),
        (120, 74.8, 120, True),
        (89, 80.0, 120, False),
    ],
)
def test_a_training_ends_at_its_epochs_or_at_the_target(epochs, top_1, most, ends):
    assert should_stop(Progress(epochs=epochs, top_1=top_1), 90, most, 74.9) is ends


def test_fewer_epochs_at_most_than_at_least_are_refused(data):
    with pytest.raises(WorkloadError, match="max_epochs is 2, but epochs is 3"):
        train({"max_epochs": 2}, data)


def test_data_that_fill_no_step_are_refused(data):
    with pytest.raises(DataError, match="200 training images do not fill one step of 1 ranks × 201 images"):
        train({"batch_size": 201}, data)


def test_the_optimizer_is_the_one_that_keras_has_while_the_momentum_stands_still():
    import keras
    import tensorflow as tf

    from workloads.imagenet.resnet50.network import build
    from workloads.imagenet.trainer import Trainer
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework

    context = Context(seed=1, slot=SlotView(cores=(0,)))
    configure_framework(context)
    model = build(3, 32, weight_decay=1e-3, width_divisor=16, depth_divisor=6)
    other = keras.models.clone_model(model)
    other.set_weights(model.get_weights())
    other.compile(
        optimizer=keras.optimizers.SGD(0.01, momentum=0.9),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=False,
    )
    random = np.random.default_rng(1)
    images = random.normal(0, 50, (3, 8, 32, 32, 3)).astype(np.float32)
    labels = random.integers(0, 3, (3, 8))
    batches = [(tf.constant(one), tf.constant(two)) for one, two in zip(images, labels, strict=True)]
    steps, scores = Trainer(model, 3, Ranks(context)).train(batches, [0.01] * 3, [0.9] * 3)
    assert (steps, scores.images, scores.classes) == (3, 24, 3)
    for one, two in batches:
        other.train_on_batch(one, two)
    for ours, theirs in zip(model.get_weights(), other.get_weights(), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_one_rank_learns_without_a_rendezvous_and_ends_at_the_target(data):
    report = send(
        "resnet50", SMALL | {"epochs": 2, "max_epochs": 12, "target_accuracy": 70.0}, data=str(data)
    )
    assert report.marks == ["ready", "run_start", "run_stop"]
    result, found = report.last["result"], metrics(report)
    assert result["accuracy"] == found["top_1_percent"] >= 70
    assert 2 <= found["epochs_run"] < 12
    assert found["epochs_to_target"] <= found["epochs_run"]
    assert found["top_5_percent"] == 100
    assert (found["ranks"], found["steps_per_epoch"], found["images_per_step"]) == (1, 25, 8)
    assert found["equal_weights_proven"] == found["epochs_run"] + 1
    assert "resumed_from_epoch" not in found
    assert found["checkpoints_written"] == 0  # no place for them was given
    assert result["data"] == {
        "synthetic": True, "layout": "folders", "train_images": 200, "validation_images": 33,
        "classes": 3, "resumed": False,
    }  # fmt: skip
    assert {"load", "build", "train", "validate", "evaluate"} <= result["phases"].keys()
    assert "horovod_version" not in result["seen"]
    lines = report.stdout.splitlines()
    assert lines[0].startswith("epoch,seconds,learning_rate,")
    assert len(lines) == 1 + found["epochs_run"]


@pytest.mark.slow
def test_going_on_from_a_checkpoint_is_as_if_it_had_never_stopped(data, tmp_path, capsys):
    straight, _ = train({}, data, tmp_path / "straight")
    first, _ = train({"epochs": 2}, data, tmp_path / "broken")
    [torn] = (tmp_path / "broken" / "checkpoints").glob("*-000002.npz")
    torn.write_bytes(torn.read_bytes()[:-100])
    second, found = train({}, data, tmp_path / "broken")
    assert f"checkpoint {torn} is passed over" in capsys.readouterr().err
    assert found["resumed_from_epoch"] == 1
    assert found["checkpoints_written"] == 2
    assert found["epochs_run"] == 3
    assert (first.data["resumed"], second.data["resumed"]) == (False, True)
    assert second.accuracy == straight.accuracy
    assert same(state(tmp_path / "broken"), state(tmp_path / "straight"))
    again, found = train({}, data, tmp_path / "broken")  # all was done but the result was lost
    assert (again.accuracy, found["resumed_from_epoch"], found["epochs_run"]) == (straight.accuracy, 3, 3)
    assert "images_per_second" not in found
    _, found = train({"epochs": 1}, data, tmp_path / "broken", seed=2)
    assert "resumed_from_epoch" not in found  # another seed is another training


@pytest.mark.slow
def test_two_ranks_agree_learn_and_survive_the_death_of_one(data, tmp_path):
    parameters, folder = SMALL | {"epochs": 4}, tmp_path / "whole"
    whole = run_ranks("resnet50", parameters, 2, data=str(data), scratch=str(folder))
    assert [report.code for report in whole] == [0, 0], [report.stderr for report in whole]
    zero, one = (report.last["result"] for report in whole)
    assert zero["accuracy"] == one["accuracy"] > 50
    assert zero["seen"]["horovod_gloo"] is True
    for report in whole:
        assert report.marks == ["ready", "run_start", "run_stop"]
        assert metrics(report)["equal_weights_proven"] == 5
        assert (metrics(report)["ranks"], metrics(report)["steps_per_epoch"]) == (2, 12)
    assert [metrics(report)["checkpoints_written"] for report in whole] == [4, 0]
    assert whole[1].stdout == ""
    assert len(list((folder / "checkpoints").iterdir())) == 2

    broken = tmp_path / "broken"
    with started("resnet50", parameters, 2, data=str(data), scratch=str(broken)) as ranks:
        ranks[0].wait_for("\n1,", "stdout")  # a line comes after the epoch's checkpoint
        ranks[1].kill()
        left, killed = (rank.finish() for rank in ranks)
    assert killed.code == -signal.SIGKILL
    assert left.code == 1
    assert left.last["error"]["kind"] == "rank lost"
    assert left.last["error"]["message"].startswith("another rank of this instance ended")

    again = run_ranks("resnet50", parameters, 2, data=str(data), scratch=str(broken))
    assert [metrics(report)["resumed_from_epoch"] >= 1 for report in again] == [True, True]
    assert [report.last["result"]["accuracy"] for report in again] == [zero["accuracy"]] * 2
    assert same(state(broken), state(folder))


@pytest.mark.slow
def test_two_ranks_share_tfrecords_and_tell_the_same_error(tmp_path):
    make(
        tmp_path, 7, layout="tfrecords", train_images=60, validation_images=9, classes=3, image_edge=40,
        images_per_shard=25,
    )  # fmt: skip
    reports = run_ranks("resnet50", SMALL | {"epochs": 1}, 2, data=str(tmp_path))
    assert [report.code for report in reports] == [0, 0]
    found = reports[0].last["result"]["data"]
    assert (found["layout"], found["train_images"], found["validation_images"]) == ("tfrecords", 60, 9)
    (tmp_path / "train-00001-of-00003").write_bytes(b"cut")
    reports = run_ranks("resnet50", SMALL | {"epochs": 1}, 2, data=str(tmp_path))
    errors = [report.last["error"] for report in reports]
    assert [error["kind"] for error in errors] == ["data", "data"]
    assert errors[0]["message"] == errors[1]["message"]
    assert "train-00001-of-00003: record 1 is cut short" in errors[0]["message"]
