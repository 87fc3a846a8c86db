from __future__ import annotations

import numpy as np
import pytest

from orchestrator.rulebooks.recipe_file import read
from tests.workloads.orders import send
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.cifar10.benchmark import WORKLOAD, run
from workloads.cifar10.generator import make
from workloads.cifar10.network import build
from workloads.context import Context, Paths, SlotView
from workloads.imagenet.trainer import Objective, Trainer
from workloads.runtime.collectives import Ranks
from workloads.runtime.flops import forward_flop
from workloads.runtime.framework import configure_framework, trainable_parameters

DEMO = read("cifar10-resnet44-demo")[0]
SMALL = {**DEMO.fixed, **DEMO.mutable}
CHANCE = 10


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cifar10")
    make(directory, seed=1, train_images=400, test_images=100)
    return directory


def train(parameters, data, scratch=None):
    context = Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(data=data, scratch=scratch))
    result = run(WORKLOAD.typed(WORKLOAD.resolve(SMALL | parameters)), context)
    return result, {metric.name: metric.value for metric in result.metrics}


def test_the_full_model_has_the_published_size_and_first_weights():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    model = build()
    assert trainable_parameters(model) == WORKLOAD.sizes["trainable_parameters"] == 661_338
    assert forward_flop(model) == WORKLOAD.sizes["forward_flop_per_sample"] == 194_872_576
    kinds = [type(layer).__name__ for layer in model.layers]
    assert (kinds.count("Conv2D"), kinds.count("Add"), kinds.count("Dense")) == (1 + 42 + 2, 21, 1)
    for layer in model.layers:
        if type(layer).__name__ == "Conv2D" and layer.kernel.shape[-1] == 64:
            size = layer.kernel.shape[0]
            assert layer.kernel.numpy().std() == pytest.approx((2 / (size**2 * 64)) ** 0.5, rel=0.05)
            assert not layer.use_bias
    # blocks begin with a last γ of 0, so that only the way past them reaches the classifier
    gammas = [layer.gamma.numpy() for layer in model.layers if type(layer).__name__ == "BatchNormalization"]
    assert [bool(gamma.any()) for gamma in gammas].count(False) == 21


@pytest.mark.slow
def test_it_learns_and_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(data, tmp_path, capsys):
    straight, found = train({}, data, tmp_path)
    assert straight.accuracy == found["best_test_accuracy"] >= 3 * CHANCE
    assert found["best_test_accuracy"] >= found["last_test_accuracy"] > 0
    assert found["untrained_test_accuracy"] <= 2 * CHANCE
    assert (found["optimizer_steps"], found["samples_seen"], found["epochs_run"]) == (150, 2400, 6)
    assert (found["checkpoints_written"], straight.data["resumed"]) == (6, False)
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    assert float(rows[-1][3]) < float(rows[0][3]) - 0.5
    assert max(float(row[-1]) for row in rows) == pytest.approx(straight.accuracy)
    assert int(found["best_epoch"]) == 1 + int(np.argmax([float(row[-1]) for row in rows]))
    (tmp_path / "checkpoints" / "checkpoint-000006.npz").unlink()
    again, found = train({"target_accuracy": 1.0}, data, tmp_path)
    assert (found["resumed_from_epoch"], again.data["resumed"], again.accuracy) == (
        5,
        True,
        straight.accuracy,
    )
    assert "untrained_test_accuracy" not in found


def test_kernels_decay_and_nothing_else():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    model = build(width_divisor=8, depth_divisor=7)
    ranks = Ranks(Context(seed=1, slot=SlotView(cores=(0,))))
    draws = np.random.default_rng(1)
    batch = draws.normal(0, 1, (4, 32, 32, 3)).astype(np.float32), draws.integers(0, 10, 4)
    first = [variable.numpy() for variable in model.variables]
    ends = []
    for decay in (0.0, 0.25):
        for variable, value in zip(model.variables, first, strict=True):
            variable.assign(value)
        objective = Objective(weight_decay=decay, decay_kernels_alone=True, rate_outside=True)
        Trainer(model, 10, ranks, objective).train([batch], [1.0], [0.9])
        ends.append([variable.numpy() for variable in model.trainable_variables])
    for begin, free, decayed in zip(
        [one for one, of in zip(first, model.variables, strict=True) if of.trainable], *ends, strict=True
    ):
        expected = 0.25 * begin if begin.ndim > 1 else np.zeros_like(begin)
        assert np.allclose(free - decayed, expected, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_other_frameworks_learn_and_go_on_from_their_checkpoint(framework, data, tmp_path):
    parameters = SMALL | {"framework": framework}
    first, second = (
        send("cifar10_resnet44", parameters | {"epochs": epochs}, data=str(data), scratch=str(tmp_path))
        for epochs in (5, 6)
    )
    assert [first.code, second.code] == [0, 0], [first.stderr, second.stderr]
    found = {metric["name"]: metric["value"] for metric in second.last["result"]["metrics"]}
    assert found["best_test_accuracy"] >= 3 * CHANCE
    assert (found["resumed_from_epoch"], found["epochs_run"], found["optimizer_steps"]) == (5, 6, 25)
    assert WORKLOAD.packages(WORKLOAD.resolve(parameters), 1) == ("keras", framework)


@pytest.mark.slow
def test_two_ranks_hold_the_same_weights(data):
    reports = run_ranks("cifar10_resnet44", SMALL | {"epochs": 1}, 2, data=str(data))
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        found = {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}
        assert (found["ranks"], found["equal_weights_proven"], found["optimizer_steps"]) == (2, 2, 12)
        assert found["communicated_bytes_per_step"] == 4 * found["trainable_parameters"]
