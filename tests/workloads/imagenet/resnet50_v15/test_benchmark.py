from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks
from workloads.context import Context, Paths, SlotView
from workloads.description import WorkloadError
from workloads.imagenet.generator import make
from workloads.imagenet.resnet50_v15.benchmark import WORKLOAD, run

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


def test_it_learns_and_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(data, tmp_path, capsys):
    parameters = {"epochs": 6, "learning_rate": 1.0}
    straight, found = train(parameters, data, tmp_path)
    assert straight.accuracy == found["top_1_percent"] > 40
    losses = [float(line.split(",")[3]) for line in capsys.readouterr().out.splitlines()[1:]]
    assert losses[-1] < losses[0] - 0.1
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (30, 240, 6)
    assert found["training_seconds"] > 0
    assert "communicated_bytes_per_step" not in found
    assert straight.observed["xla"] is False
    end = state(tmp_path)
    (tmp_path / "checkpoints" / "checkpoint-000006.npz").unlink()
    # validation between epochs changes nothing
    again, found = train(parameters | {"validate_every": 1, "target_accuracy": 1.0}, data, tmp_path)
    assert (found["resumed_from_epoch"], found["epochs_to_target"], again.data["resumed"]) == (5, 6, True)
    assert again.accuracy == straight.accuracy
    assert all(np.array_equal(one, other) for one, other in zip(state(tmp_path), end, strict=True))
    counted = {metric.name: metric.value for metric in again.measure_after()}
    assert 2.5 < counted["training_flop_per_sample"] / counted["forward_flop_per_sample"] < 3


def test_labels_that_are_spread_whole_are_refused(data):
    with pytest.raises(WorkloadError, match="which leaves nothing of a label"):
        train({"label_smoothing": 1.0}, data)


@pytest.mark.slow
def test_two_ranks_hold_the_same_weights_and_say_what_they_communicate(data):
    parameters = SMALL | {"epochs": 2, "precision": "mixed_bfloat16", "xla": True}
    reports = run_ranks("resnet50_v15", parameters, 2, data=str(data))
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        result = report.last["result"]
        found = {metric["name"]: metric["value"] for metric in result["metrics"]}
        assert found["equal_weights_proven"] == 3
        assert (found["ranks"], found["samples_seen"], found["optimizer_steps"]) == (2, 64, 4)
        assert found["communicated_bytes_per_step"] == 4 * found["trainable_parameters"]
        assert found["training_flop_per_sample"] > 2 * found["forward_flop_per_sample"]
        seen = result["seen"]
        assert (seen["precision"], seen["xla"], seen["deterministic"]) == ("mixed_bfloat16", True, False)
