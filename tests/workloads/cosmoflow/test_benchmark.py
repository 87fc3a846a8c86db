from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks
from workloads.context import Context, Paths, SlotView
from workloads.cosmoflow.benchmark import WORKLOAD, CosmoFlowParameters, run
from workloads.cosmoflow.generator import make
from workloads.cosmoflow.network import build, stages
from workloads.cosmoflow.trainer import Trainer
from workloads.cosmoflow.training import Schedule
from workloads.description import WorkloadError
from workloads.runtime.collectives import Ranks
from workloads.runtime.flops import flop_metrics, forward_flop
from workloads.runtime.framework import configure_framework, trainable_parameters

CONTEXT = Context(seed=1, slot=SlotView(cores=(0,)))
SMALL = {
    "epochs": 2, "batch_size": 4, "learning_rate": 0.1, "warmup_epochs": 0, "image_edge": 8,
    "conv_layers": 2, "width_divisor": 8,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _framework():
    configure_framework(CONTEXT)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cosmo")
    make(directory, 7, train_images=34, validation_images=9, image_edge=8)
    return directory


def train(parameters, data, scratch=None):
    """Run with one rank in this process; return the result's metrics too."""
    context = Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(data=data, scratch=scratch))
    result = run(WORKLOAD.typed(WORKLOAD.resolve(SMALL | parameters)), context)
    return result, {metric.name: metric.value for metric in result.metrics}


def state(scratch):
    """The arrays of the last checkpoint."""
    path = max((scratch / "checkpoints").glob("*.npz"))
    with np.load(path) as arrays:
        return [arrays[name] for name in sorted(arrays.files) if name != "facts"]


def test_the_full_network_has_the_size_of_the_reference(shapes_only):
    model = build(128)
    filters = (4, 32, 64, 128, 256, 512)
    kernels = [27 * before * after for before, after in itertools.pairwise(filters)]
    dense = [512 * 4**3 * 128, 128 * 64, 64 * 4]
    weights = sum((*kernels, *dense, *filters[1:], 128, 64, 4))
    assert trainable_parameters(model) == WORKLOAD.sizes["trainable_parameters"] == weights
    products = [kernel * (128 >> layer) ** 3 for layer, kernel in enumerate(kernels)]
    assert forward_flop(model) == WORKLOAD.sizes["forward_flop_per_sample"] == 2 * sum(products + dense)


def test_a_small_network_has_parts_between_which_outputs_are_dropped():
    model = build(8, conv_layers=3, width_divisor=16)
    assert [stage.output_shape for stage in stages(model)] == [(None, 8), (None, 4), (None, 4)]
    forward, training = (metric.value for metric in flop_metrics(model))
    assert training == 3 * forward - 2 * 8**3 * 27 * 4 * 2
    outputs = model(np.full((1, 8, 8, 8, 4), 1e6, np.float32)).numpy()
    assert np.abs(outputs).max() <= 1.2


def test_rates_are_those_of_the_reference():
    schedule = Schedule(0.001, images_per_step=256, steps_per_epoch=10, warmup_epochs=4, drops=(33, 65))
    epochs = (0, 1, 3, 4, 32, 33, 64, 65, 127)
    assert [schedule.rate(10 * epoch + 9) for epoch in epochs] == pytest.approx(
        [0.001, 0.00175, 0.00325, 0.004, 0.004, 0.001, 0.001, 0.0005, 0.0005]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dropout": 1.0}, "dropout must be below 1, not 1"),
        ({"image_edge": 16}, "5 poolings leave nothing of images of edge 16; lower conv_layers"),
    ],
)
def test_parameters_that_make_no_training_are_refused(given, message):
    with pytest.raises(WorkloadError, match=message):
        CosmoFlowParameters(**given)


def test_float16_needs_a_gpu(data):
    with pytest.raises(WorkloadError, match="TensorFlow pools no float16 on CPUs; choose mixed_bfloat16"):
        train({"precision": "mixed_float16"}, data)


def test_a_step_follows_the_gradient_and_leaves_outputs_out():
    def gradient(trainer, step):
        model.set_weights(first)
        trainer.train([batch], [1.0], 5, step)
        return np.concatenate(
            [(old - new).ravel() for old, new in zip(first, model.get_weights(), strict=True)]
        )

    draws = np.random.default_rng(1)
    counts, targets = draws.poisson(3, (4, 8, 8, 8, 4)), draws.uniform(-1, 1, (4, 4))
    batch = counts.astype(np.int16), targets.astype(np.float32)
    model = build(8, conv_layers=2, width_divisor=8)
    first = model.get_weights()
    dropping = Trainer(model, Ranks(CONTEXT), momentum=0.0, dropout=0.1)
    assert np.array_equal(gradient(dropping, 1), gradient(dropping, 1))
    assert not np.array_equal(gradient(dropping, 1), gradient(dropping, 2))
    trainer = Trainer(model, Ranks(CONTEXT), momentum=0.0, dropout=0.0)
    many, plain = np.mean([gradient(dropping, step) for step in range(40)], axis=0), gradient(trainer, 1)
    assert np.vdot(many, plain) / np.vdot(plain, plain) == pytest.approx(1, abs=0.15)
    model.set_weights(first)
    before = trainer.evaluate([batch])
    after = [trainer.train([batch] * 4, [0.05] * 4, 5, 0)[1].loss, trainer.evaluate([batch]).loss]
    assert before.loss > after[0] > after[1]
    outputs = model(np.log1p(batch[0])).numpy()
    assert after[1] == pytest.approx(np.mean((outputs - batch[1]) ** 2), rel=1e-5)
    assert before.guess_error == pytest.approx(np.abs(batch[1]).mean())
    assert np.isnan(trainer.evaluate([(batch[0], np.full_like(batch[1], np.nan))]).loss)
    assert trainer.evaluate([batch]).loss == pytest.approx(after[1])  # what is not a number was forgotten


def test_it_reports_and_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(data, tmp_path, capsys):
    straight, found = train({}, data, tmp_path)
    assert straight.accuracy == found["mean_absolute_error"]
    assert 0.2 < found["guess_error"] < 0.8
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (16, 64, 2)
    facts = {"train_images": 34, "validation_images": 9, "synthetic": True}
    assert straight.data == facts | {"resumed": False}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "epoch,seconds,learning_rate,train_loss,validation_loss,mean_absolute_error"
    assert float(lines[2].split(",")[-1]) == pytest.approx(straight.accuracy, rel=1e-4)
    whole = state(tmp_path)
    (tmp_path / "checkpoints" / "checkpoint-000002.npz").unlink()
    again, found = train({"target_mae": 0.01}, data, tmp_path)
    assert (found["resumed_from_epoch"], again.data["resumed"], again.accuracy) == (
        1,
        True,
        straight.accuracy,
    )
    assert all(np.array_equal(old, new) for old, new in zip(whole, state(tmp_path), strict=True))


def test_it_ends_at_the_target(data):
    result, found = train({"target_mae": 10.0, "epochs": 50}, data)
    assert found["epochs_run"] == 1
    assert result.accuracy == found["mean_absolute_error"] < 10
    assert set(found) | {metric.name for metric in result.measure_after()} <= set(WORKLOAD.metrics)


@pytest.mark.slow
def test_it_learns(tmp_path):
    make(tmp_path, 7, train_images=160, validation_images=40, image_edge=8)
    _, found = train({"epochs": 10, "learning_rate": 0.3, "dropout": 0.0}, tmp_path)
    assert found["mean_absolute_error"] < 0.7 * found["guess_error"]


@pytest.mark.slow
def test_two_ranks_reach_the_weights_of_one_with_both_batches(data, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    one, _ = train({}, data, folders[0])
    given = SMALL | {"batch_size": 2, "communication": "torch"}
    reports = run_ranks("cosmoflow", given, 2, data=str(data), scratch=str(folders[1]))
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    results = [report.last["result"] for report in reports]
    found = {metric["name"]: metric["value"] for metric in results[1]["metrics"]}
    assert (found["ranks"], found["optimizer_steps"], found["equal_weights_proven"]) == (2, 16, 3)
    assert found["communicated_bytes_per_step"] == 4 * found["trainable_parameters"]
    assert [result["accuracy"] for result in results] == pytest.approx([one.accuracy] * 2, rel=1e-5)
    for single, joined in zip(*map(state, folders), strict=True):
        assert np.allclose(single, joined, atol=1e-5)
