from __future__ import annotations

import numpy as np
import pytest

from orchestrator.rulebooks.recipe_file import read
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.context import Context, Paths, Result, SlotView
from workloads.description import WorkloadError
from workloads.imagenet.generator import make
from workloads.imagenet.resnet50_v15 import benchmark
from workloads.imagenet.resnet50_v15.benchmark import WORKLOAD, run
from workloads.imagenet.trainer import Objective
from workloads.imagenet.training import Training

SMALL = {
    "epochs": 3, "batch_size": 8, "classes": 3, "image_size": 32, "width_divisor": 8, "depth_divisor": 6,
    "warmup_epochs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("imagenet")
    make(
        directory, 7, layout="tfrecords", train_images=40, validation_images=11, classes=3, image_edge=40,
        images_per_shard=15,
    )  # fmt: skip
    return directory


def train(parameters, data, scratch=None):
    context = Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(data=data, scratch=scratch))
    result = run(WORKLOAD.typed(WORKLOAD.resolve(SMALL | parameters)), context)
    return result, {metric.name: metric.value for metric in result.metrics}


def state(scratch):
    path = max((scratch / "checkpoints").glob("*.npz"))
    with np.load(path) as arrays:
        return [arrays[name] for name in sorted(arrays.files) if name != "facts"]


@pytest.fixture
def untrained(monkeypatch):
    """Top-1 of every training before its first step."""
    found, restore = [], Training.restore

    def scored(training):
        restore(training)
        found.append(training.score().top_1)

    monkeypatch.setattr(Training, "restore", scored)
    return found


def test_it_learns_and_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(
    tmp_path, tmp_path_factory, untrained, capsys
):
    data = tmp_path_factory.mktemp("four_classes")
    make(data, 7, layout="tfrecords", train_images=96, validation_images=40, classes=4, image_edge=40)
    parameters = {"epochs": 8, "learning_rate": 1.0, "classes": 4}
    straight, found = train(parameters, data, tmp_path)
    # One in four is chance, of the untrained net as well; three standard deviations of 40 images are 21 %.
    assert straight.accuracy == found["top_1_percent"] > max(50, untrained[0] + 20)
    losses = [float(line.split(",")[3]) for line in capsys.readouterr().out.splitlines()[1:]]
    assert losses[-1] < losses[0] / 2
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (96, 768, 8)
    assert found["training_seconds"] > 0
    assert "communicated_bytes_per_step" not in found
    assert straight.observed["xla"] is False
    end = state(tmp_path)
    (tmp_path / "checkpoints" / "checkpoint-000008.npz").unlink()
    # validation between epochs changes nothing
    again, found = train(parameters | {"validate_every": 1, "target_accuracy": 1.0}, data, tmp_path)
    assert (found["resumed_from_epoch"], found["epochs_to_target"], again.data["resumed"]) == (7, 8, True)
    assert again.accuracy == straight.accuracy == found["best_top_1_percent"]
    assert all(np.array_equal(one, other) for one, other in zip(state(tmp_path), end, strict=True))
    counted = {metric.name: metric.value for metric in again.measure_after()}
    assert 2.5 < counted["training_flop_per_sample"] / counted["forward_flop_per_sample"] < 3


def test_the_shipped_recipe_trains_as_published(monkeypatch):
    seen = []

    def keep(recipe, _parameters, _context):
        seen.append(recipe)
        return Result()

    monkeypatch.setattr(benchmark, "run_recipe", keep)
    shipped, _ = read("imagenet-resnet50")
    for changes in (shipped.fixed | shipped.mutable, {}):
        run(WORKLOAD.typed(WORKLOAD.resolve(changes)), Context(seed=1, slot=SlotView(cores=(0,))))
    recipe, suite = seen
    schedule = recipe.schedule(1, 10)
    rates = {epoch: schedule.rate(10 * epoch) for epoch in (0, 29, 30, 60, 80, 89)}
    assert rates == pytest.approx({0: 0.1, 29: 0.1, 30: 0.01, 60: 0.001, 80: 0.0001, 89: 0.0001})
    assert schedule.momentum_of(5) == 0.9
    assert recipe.objective == Objective(weight_decay=1e-4, decay_kernels_alone=True, rate_outside=True)
    assert (recipe.validate_every, suite.validate_every) == (1, 0)
    assert suite.objective.decay_kernels_alone is False


def test_labels_that_are_spread_whole_are_refused(data):
    with pytest.raises(WorkloadError, match="which leaves nothing of a label"):
        train({"label_smoothing": 1.0}, data)


@pytest.mark.slow
def test_two_ranks_hold_the_same_weights_and_say_what_they_communicate(data):
    exchange = {"communication": "torch", "gradient_precision": "bfloat16"}
    parameters = SMALL | exchange | {"epochs": 2, "precision": "mixed_bfloat16", "xla": True}
    reports = run_ranks("resnet50_v15", parameters, 2, data=str(data))
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        result = report.last["result"]
        found = {metric["name"]: metric["value"] for metric in result["metrics"]}
        assert found["equal_weights_proven"] == 3
        assert (found["ranks"], found["samples_seen"], found["optimizer_steps"]) == (2, 64, 4)
        assert found["communicated_bytes_per_step"] == 2 * found["trainable_parameters"]
        assert found["training_flop_per_sample"] > 2 * found["forward_flop_per_sample"]
        seen = result["seen"]
        assert (seen["precision"], seen["xla"], seen["deterministic"]) == ("mixed_bfloat16", True, False)
