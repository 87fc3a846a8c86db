from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks
from workloads.context import Context, Paths, SlotView
from workloads.extreme_weather.benchmark import WORKLOAD, build_trainer, run
from workloads.extreme_weather.generator import make
from workloads.extreme_weather.pipeline import Batch
from workloads.extreme_weather.training import Training
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import configure_framework

SMALL = {
    "epochs": 2, "batch_size": 2, "learning_rate": 0.04, "warmup_steps": 4, "smallest_anchor": 4,
    "train_proposals": 40, "test_proposals": 20, "sampled_anchors": 32, "sampled_regions": 16,
    "image_height": 48, "image_width": 72, "width_divisor": 16, "depth_divisor": 6,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("weather")
    make(directory, 7, years=2, images_per_year=9, image_height=48, image_width=72)
    return directory


def train(parameters, data, scratch=None, seed=1):
    """Run with one rank in this process; return the result's metrics too."""
    context = Context(seed=seed, slot=SlotView(cores=(0,)), paths=Paths(data=data, scratch=scratch))
    result = run(WORKLOAD.typed(WORKLOAD.resolve(SMALL | parameters)), context)
    return result, {metric.name: metric.value for metric in result.metrics}


def metrics(report):
    return {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}


def state(scratch):
    """The arrays of the last checkpoint."""
    path = max((scratch / "checkpoints").glob("*.npz"))
    with path.open("rb") as file, np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "facts"}


def test_the_description_says_what_it_reports():
    assert (WORKLOAD.fom_time, WORKLOAD.accuracy_metric, WORKLOAD.ranks) == ("run", "map_50", True)


@pytest.mark.slow
@pytest.mark.parametrize("normalisation", ["group", "batch"])
def test_the_real_network_has_41_million_parameters_and_364_gflop(normalisation, shapes_only):
    from workloads.extreme_weather.network import Architecture, build_head, build_proposer
    from workloads.runtime.flops import forward_flop
    from workloads.runtime.framework import trainable_parameters

    architecture = Architecture(768, 1152, 16, 4, normalisation)
    proposer, head = build_proposer(architecture), build_head(architecture)
    assert trainable_parameters(proposer, head) == WORKLOAD.sizes["trainable_parameters"] == 41_408_424
    assert sum(level.shape[1] for level in proposer.outputs[5:10]) == 220_968
    assert [tuple(level.shape[1:]) for level in proposer.outputs[:5]] == [
        (192, 288, 256), (96, 144, 256), (48, 72, 256), (24, 36, 256), (12, 18, 256),
    ]  # fmt: skip
    if normalisation == "group":
        flop = forward_flop(proposer) + 512 * forward_flop(head)
        assert flop == WORKLOAD.sizes["forward_flop_per_sample"] == pytest.approx(364e9, rel=1e-3)
    for layer in proposer.layers:
        if layer.name.startswith(f"{normalisation}_normalization"):
            layer.trainable = False
    assert trainable_parameters(proposer, head) == 41_355_304


@pytest.fixture(scope="module")
def trainer():
    """A trainer on images of 48 × 72 pixels, whose channels keep their values."""
    context = Context(seed=1, slot=SlotView(cores=(0,)))
    return build_trainer(WORKLOAD.typed(WORKLOAD.resolve(SMALL)), ([0.0] * 16, [1.0] * 16), Ranks(context))


@pytest.mark.slow
def test_training_takes_three_times_the_forward_pass_less_the_gradient_of_the_images(trainer):
    forward, training = (metric.value for metric in trainer.flop_metrics())
    assert training == 3 * forward - 2 * (24 * 36) * 4 * (16 * 7 * 7)


@pytest.mark.slow
def test_a_step_follows_the_gradient_as_momentum_and_decay_say(trainer):
    models = (trainer.proposer, trainer.head)
    variables = [variable for model in models for variable in model.trainable_variables]
    assert trainer.gradient_bytes == 4 * sum(variable.value.numpy().size for variable in variables)
    batch = Batch(np.zeros((2, 16, 48, 72), np.float32), np.full((2, 15, 5), -1, np.float32), np.arange(2))
    before = trainer.values()
    assert trainer.train([batch], [0.5], [1])[0] == 1
    first = trainer.values()
    trainer.train([batch], [0.25], [2])
    second = trainer.values()
    count = len(variables)
    for old, new, velocity in zip(before[:count], first[:count], first[-count:], strict=True):
        assert np.allclose(new, old + velocity, atol=1e-6)
    # Images are all 0, so that the loss has no gradient in the first kernel, which only decays.
    assert np.allclose(first[-count], -0.5e-4 * before[0], atol=1e-9)
    assert np.allclose(second[-count], 0.9 * first[-count] - 0.25e-4 * first[0], atol=1e-9)


@pytest.mark.slow
def test_a_small_detector_learns_and_reports(tmp_path, capsys, monkeypatch):
    untrained, restore = [], Training.restore

    def scored(training):
        restore(training)
        untrained.append(training.score().map_50)

    monkeypatch.setattr(Training, "restore", scored)
    make(tmp_path, 2017, years=2, images_per_year=80, image_height=96, image_width=144, storms_per_image=3)
    result, found = train(
        {
            "epochs": 4, "validate_every": 2, "batch_size": 4, "learning_rate": 0.03, "warmup_steps": 20,
            "smallest_anchor": 8, "train_proposals": 60, "test_proposals": 40, "sampled_anchors": 64,
            "sampled_regions": 64, "image_height": 96, "image_width": 144, "width_divisor": 8,
        },
        tmp_path,
    )  # fmt: skip
    assert untrained[0] < 0.01
    assert 0.15 < result.accuracy == found["map_50"] <= 1
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (80, 320, 4)
    assert found["ranks"] == 1
    assert "communicated_bytes_per_step" not in found
    assert found["training_seconds"] > 0
    assert result.data == {
        "synthetic": True, "train_images": 80, "validation_images": 80, "train_years": "1979",
        "validation_years": "1980", "classes": 4, "resumed": False,
    }  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0] == (
        "epoch,seconds,learning_rate,objectness_loss,proposal_boxes_loss,classes_loss,boxes_loss,map_50"
    )
    assert [bool(line.split(",")[-1]) for line in lines[1:]] == [False, True] * 2
    assert float(lines[-1].split(",")[-1]) == pytest.approx(result.accuracy, abs=1e-4)


@pytest.mark.slow
def test_a_training_that_diverges_ends_by_its_loss(data):
    with pytest.raises(RuntimeError, match="the training diverged: its losses are"):
        train({"epochs": 3, "learning_rate": 1e6, "warmup_steps": 0, "normalisation": "batch"}, data)


@pytest.mark.slow
def test_two_ranks_train_one_detector_and_go_on_from_its_checkpoint(data, tmp_path):
    parameters = SMALL | {"epochs": 2, "batch_size": 1}
    straight = run_ranks("extreme_weather", parameters, 2, data=str(data), scratch=str(tmp_path))
    assert [report.code for report in straight] == [0, 0], [report.stderr for report in straight]
    zero, one = (metrics(report) for report in straight)
    assert zero["map_50"] == one["map_50"]
    assert (zero["ranks"], zero["steps_per_epoch"], zero["samples_seen"]) == (2, 4, 16)
    assert zero["equal_weights_proven"] == 3
    assert zero["communicated_bytes_per_step"] == 4 * zero["trainable_parameters"]
    assert [zero["checkpoints_written"], one["checkpoints_written"]] == [2, 0]
    assert straight[1].stdout == ""

    whole = state(tmp_path)
    (tmp_path / "checkpoints" / "checkpoint-000002.npz").unlink()
    again = run_ranks("extreme_weather", parameters, 2, data=str(data), scratch=str(tmp_path))
    assert [metrics(report)["resumed_from_epoch"] for report in again] == [1, 1]
    assert metrics(again[0])["map_50"] == zero["map_50"]
    found = state(tmp_path)
    assert all(np.array_equal(whole[name], found[name]) for name in whole)
