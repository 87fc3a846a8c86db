"""A training tests first, counts what it shows, ends by its conditions, and reports the time to accuracy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.requirements import needs
from tests.workloads.orders import send
from workloads import modules
from workloads.cifar10 import generator
from workloads.context import Context, Paths, SlotView
from workloads.deep500.training import trainer as trainer_module
from workloads.deep500.training.benchmark import WORKLOAD, TrainingParameters
from workloads.deep500.training.trainer import Images, Stopping, Summary, Trainer
from workloads.description import DataError, WorkloadError
from workloads.image_sets.generator import make
from workloads.metrics.measure import recorded_metrics

SMALL = {
    "network": "perceptron",
    "epochs": 2,
    "batch_size": 64,
    "learning_rate": 0.003,
    "target_accuracy": 0.0,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cifar10")
    generator.make(folder, seed=1, train_images=300, test_images=100)
    return folder


@pytest.fixture
def train(data):
    def run(directory=data, **changes):
        context = Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(data=directory))
        parameters = WORKLOAD.typed(WORKLOAD.resolve(SMALL | changes))
        result = modules.load(WORKLOAD.entry)(parameters, context)
        metrics = (*result.metrics, *recorded_metrics(context))
        return result, {one.name: one.value for one in metrics}

    return run


def table(text):
    lines = [line.split(",") for line in text.splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_a_training_tests_before_its_first_epoch_and_after_each(train, capsys):
    result, found = train()
    rows = table(capsys.readouterr().out)
    assert [(row["epoch"], row["part"]) for row in rows] == [
        ("0", "test"), ("1", "train"), ("1", "test"), ("2", "train"), ("2", "test"),
    ]  # fmt: skip
    assert {(row["batches"], row["samples"]) for row in rows if row["part"] == "train"} == {("4", "256")}
    assert {(row["batches"], row["samples"]) for row in rows if row["part"] == "test"} == {("2", "100")}
    for row in rows:
        right = int(row["samples"]) - int(row["wrong"])
        assert float(row["accuracy"]) == pytest.approx(100 * right / int(row["samples"]), abs=1e-3)
    assert found["initial_test_accuracy"] == float(rows[0]["accuracy"])
    assert found["last_test_accuracy"] == float(rows[-1]["accuracy"]) > found["initial_test_accuracy"]
    assert result.accuracy == found["best_test_accuracy"] >= found["last_test_accuracy"]
    assert found["test_accuracy"] == pytest.approx(result.accuracy / 100)
    assert found["training_accuracy"] == pytest.approx(float(rows[3]["accuracy"]) / 100, abs=1e-5)
    assert (found["epochs_run"], found["optimizer_steps"], found["samples_seen"]) == (2, 8, 512)
    assert result.observed["stopped_by"] == "epochs"
    assert result.data["synthetic"]
    assert "seconds_to_accuracy" not in found
    assert not found["target_reached"]


def test_images_of_other_sizes_and_classes_train(train, tmp_path):
    for name, classes in (("mnist", 10), ("cifar100", 100)):
        make(tmp_path / name, seed=1, dataset=name, train_images=200, test_images=50)
        result, found = train(tmp_path / name, dataset=name, epochs=3)
        assert (result.data["train_images"], result.data["classes"]) == (200, classes)
        assert found["test_loss"] < math.log(classes) * 1.2
        assert found["train_loss"] > 0
        assert found["last_test_accuracy"] > found["initial_test_accuracy"]


def test_a_partial_batch_counts_with_the_samples_it_has(train, capsys):
    _, found = train(drop_last=False, epochs=1)
    row = table(capsys.readouterr().out)[1]
    assert (row["batches"], row["samples"]) == ("5", "300")
    assert found["samples_seen"] == 300
    assert found["dataset_bias_samples"] == 300
    assert found["dataset_bias"] == pytest.approx(0)
    assert found["sampling_seconds_reruns"] == found["dataset_seconds_reruns"] >= 5


def test_the_time_to_accuracy_is_that_of_the_test_that_reaches_it(train):
    result, found = train(epochs=50, target_accuracy=60.0)
    assert result.observed["stopped_by"] == "accuracy"
    assert found["best_test_accuracy"] >= 60
    assert found["epochs_to_accuracy"] == found["epochs_run"] < 50
    assert found["seconds_to_accuracy"] > 0
    assert found["target_reached"]


def test_a_number_of_steps_ends_it_in_the_middle_of_an_epoch(train, capsys):
    result, found = train(max_steps=5)
    rows = table(capsys.readouterr().out)
    assert [row["batches"] for row in rows if row["part"] == "train"] == ["4", "1"]
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (5, 320, 2)
    assert rows[-1]["part"] == "test"
    assert result.observed["stopped_by"] == "steps"


def test_a_time_limit_ends_it_without_another_test(train, capsys):
    result, found = train(time_limit=1e-9)
    assert [row["part"] for row in table(capsys.readouterr().out)] == ["test"]
    assert found["optimizer_steps"] == found["epochs_run"] == 0
    assert result.observed["stopped_by"] == "time limit"
    assert result.accuracy == found["initial_test_accuracy"]


@pytest.mark.parametrize("sampler", ["ordered", "bucket", "choice"])
def test_the_samplers_train(train, sampler):
    _, found = train(sampler=sampler, epochs=1, optimizer="gradient_descent", batch_size=20)
    assert found["optimizer_steps"] > 0
    assert math.isfinite(found["train_loss"])


def test_a_rule_of_ones_own_trains_like_the_optimizer_that_it_is(train, tmp_path):
    file = tmp_path / "rule.py"
    file.write_text(
        "def update_rule(state, name, parameter, gradient):\n"
        "    return parameter - state['learning_rate'] * gradient\n",
        encoding="utf-8",
    )
    (own, found), (_, expected) = train(rule=str(file)), train(optimizer="gradient_descent")
    assert own.observed["optimizer"] == str(file)
    assert found["train_loss"] == pytest.approx(expected["train_loss"], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_other_frameworks_learn_too(data, framework):
    needs(framework)
    report = send("deep500_training", SMALL | {"framework": framework, "drop_last": False}, data=str(data))
    results = [line["result"] for line in report.lines if "result" in line]
    assert results, report.stderr
    found = {one["name"]: one["value"] for one in results[0]["metrics"]}
    assert (found["optimizer_steps"], found["samples_seen"]) == (10, 600)
    assert found["best_test_accuracy"] > found["initial_test_accuracy"]
    assert found["dataset_seconds_reruns"] == 10


def test_a_wrong_sign_does_not_learn(train, tmp_path):
    file = tmp_path / "rule.py"
    file.write_text(
        "def update_rule(state, name, parameter, gradient):\n"
        "    return parameter + state['learning_rate'] * gradient\n",
        encoding="utf-8",
    )
    assert train(rule=str(file))[1]["train_loss"] > train(optimizer="gradient_descent")[1]["train_loss"]


def test_a_loss_that_is_not_finite_ends_it(train):
    with pytest.raises(RuntimeError, match="the training diverged: its loss is nan in step"):
        train(optimizer="gradient_descent", learning_rate=1e30)


def test_a_batch_grows_until_it_is_a_tenth_of_the_images_and_then_the_rate_decays(train, capsys):
    changes = {"batch_size": 5, "epochs": 4, "schedule_epochs": 1, "schedule_factor": 2}
    _, found = train(schedule="growing_batch", **changes)
    rows = [row for row in table(capsys.readouterr().out) if row["part"] == "train"]
    assert [int(row["batches"]) for row in rows] == [60, 30, 15, 15]  # of 5, 10, 20 and 20 images of 300
    assert (found["last_batch_size"], found["last_learning_rate"]) == (20, pytest.approx(0.0015))
    assert (found["optimizer_steps"], found["samples_seen"]) == (120, 1200)
    assert found["last_test_accuracy"] > found["initial_test_accuracy"]


def test_buckets_that_a_grown_batch_does_not_fill_are_named(train, tmp_path):
    """A class has a hundredth of the images, and the batch grows to a tenth."""
    make(tmp_path, seed=1, dataset="cifar100", train_images=200, test_images=10)
    changes = {"schedule": "growing_batch", "schedule_epochs": 1, "sampler": "bucket", "batch_size": 4}
    with pytest.raises(DataError, match="sampler bucket has no full batch of 20; lower batch_size"):
        train(tmp_path, dataset="cifar100", **changes)


def test_accelegrad_trains(train):
    result, found = train(optimizer="accelegrad", learning_rate=1.0, epochs=10)
    assert result.observed["optimizer"] == "project"
    assert found["best_test_accuracy"] > found["initial_test_accuracy"] + 20


def test_too_few_images_for_a_batch_are_refused(train):
    with pytest.raises(DataError, match="300 training images do not fill a step of 301; lower batch_size"):
        train(batch_size=301)


def test_buckets_that_fill_no_batch_are_named(train):
    with pytest.raises(DataError, match="sampler bucket has no full batch of 64; lower batch_size"):
        train(sampler="bucket")


def test_a_target_that_cannot_be_reached_is_refused():
    with pytest.raises(WorkloadError, match="target_accuracy must be at most 100 %, not 101"):
        TrainingParameters(target_accuracy=101.0).check_ranks(1)


def test_a_growing_batch_of_sorted_images_that_leaves_out_classes_is_refused():
    sorted_images = {"schedule": "growing_batch", "sampler": "bucket"}
    TrainingParameters(**sorted_images, drop_last=False).check_ranks(1)
    with pytest.raises(WorkloadError, match="leaves out whole classes"):
        TrainingParameters(**sorted_images).check_ranks(1)


def test_a_share_of_one_is_refused(train):
    with pytest.raises(WorkloadError, match="rho must be below 1"):
        train(rho=1.0)


def test_conditions_are_met_in_their_order(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(trainer_module.time, "monotonic", lambda: now[0])
    conditions = Stopping(target_accuracy=50, time_limit=10, max_steps=3)
    conditions.after_test(49.9, 0)
    assert conditions.before_step()
    now[0] = 4.0
    conditions.after_test(50.0, 1)
    assert conditions.reached == (4.0, 1)
    assert (conditions.before_step(), conditions.reason) == (False, "accuracy")
    conditions.after_test(60.0, 2)
    assert conditions.reached == (4.0, 1)


def test_losses_and_accuracies_are_means_over_samples():
    summary = Summary(1, "train")
    assert (summary.loss, summary.accuracy) == (0, 0)
    summary.add(3, 3, 1.0)
    summary.add(1, 0, 5.0)
    assert (summary.batches, summary.samples, summary.right) == (2, 4, 3)
    assert (summary.loss, summary.accuracy) == (2.0, 75.0)


def test_each_batch_of_an_epoch_is_one_step():
    seen = []
    images = Images(np.zeros((5, 1)), np.arange(5) % 2, 2, lambda pixels: pixels)
    context = Context(seed=1, slot=SlotView(cores=(0,)))

    class Update:
        def begin(self, rate):
            seen.append(("begin", rate))

        def apply(self, gradients, rate):
            seen.append((gradients, rate))

    trainer = Trainer(
        context, lambda shown, labels: (1.0, 1, len(labels)), None, Update(), lambda value: value
    )
    found = trainer.train(images, iter([np.array([0, 1]), np.array([4])]), 0.5, 1, Stopping())
    assert seen == [("begin", 0.5), (2, 0.5), ("begin", 0.5), (1, 0.5)]
    assert (found.batches, found.samples, found.right, found.accuracy) == (2, 3, 2, pytest.approx(200 / 3))
    assert context.recorded["dataset_bias"] == [[1, 1], [1, 0]]
