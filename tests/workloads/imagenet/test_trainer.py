"""The training step: float16 beside float32, gradients that are not finite, ranks beside one process."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks
from workloads.context import Context, SlotView
from workloads.expected_steps import LOSS_SCALE_GROWTH_STEPS
from workloads.imagenet.trainer import Objective, Trainer
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import configure_framework

OBJECTIVE = Objective(0.1, weight_decay=2.0**-15, rate_outside=True)
CONTEXT = Context(seed=1, slot=SlotView(cores=(0,)))
WARM_UP = [0.0, 0.02, 0.04, 0.06, 0.06, 0.06]


@pytest.fixture(autouse=True)
def _framework():
    configure_framework(CONTEXT)
    yield
    configure_framework(CONTEXT)


def batch(images=8, edge=8):
    """Images whose brightness follows from their labels."""
    import tensorflow as tf

    random = np.random.default_rng(1)
    labels = np.arange(images) % 3
    shown = random.normal(0, 0.5, (images, edge, edge, 3)) + labels[:, None, None, None] - 1
    return tf.constant(shown, tf.float32), tf.constant(labels)


def smooth_network():
    """A network without kinks, in which rounding changes gradients no more than values."""
    import keras

    image = keras.Input((8, 8, 3))
    tensor = keras.layers.Conv2D(6, 3, use_bias=False)(image)
    tensor = keras.layers.Activation("tanh")(keras.layers.BatchNormalization()(tensor))
    logits = keras.layers.Dense(4)(keras.layers.GlobalAveragePooling2D()(tensor))
    return keras.Model(image, keras.layers.Activation("linear", dtype="float32")(logits))


def trainers(build):
    """One in float32 and one in mixed precision with the same weights."""
    made = []
    for precision in ("float32", "mixed_float16"):
        configure_framework(CONTEXT, "tensorflow", precision)
        made.append(Trainer(build(), 4, Ranks(CONTEXT), OBJECTIVE))
    made[1].model.set_weights(made[0].model.get_weights())
    return made


def gradient(trainer, images, labels):
    """The gradient that one step gathers, of all weights together."""
    trainer.train([(images, labels)], [0.0], [0.9])
    return np.concatenate([variable.numpy().ravel() for variable in trainer._updates.state])


def skipped(trainer):
    return {metric.name: metric.value for metric in trainer.loss_scale.metrics()}


def test_gradients_in_float16_are_those_of_float32_to_rounding():
    exact, half = trainers(smooth_network)
    assert half.model.layers[1].compute_dtype == "float16"
    expected, found = gradient(exact, *batch()), gradient(half, *batch())
    assert np.linalg.norm(found - expected) < 1e-2 * np.linalg.norm(expected)
    assert skipped(half) == {"skipped_steps": 0, "loss_scale": 2.0**15}
    assert skipped(exact) == {}
    losses = [[one.train([batch()], [rate], [0.875])[1].loss for rate in WARM_UP] for one in (exact, half)]
    assert losses[0] == pytest.approx(losses[1], rel=5e-3)
    assert losses[1][-1] < losses[1][0]


def test_the_gradient_of_resnet_50_in_float16_has_the_length_and_direction_of_float32():
    from workloads.imagenet.resnet50_v15.network import build

    exact, half = trainers(lambda: build(3, 32, width_divisor=16, depth_divisor=6))
    images, labels = batch(edge=32)
    half.loss_scale.state[0].assign(128.0)  # the first scale overflows in a net without trained statistics
    expected, found = gradient(exact, images, labels), gradient(half, images, labels)
    assert skipped(half)["skipped_steps"] == 0
    # Rounding moves activations across a ReLU's kink: float32 with kernels rounded alike differs by 7 %.
    assert np.vdot(found, expected) / np.vdot(expected, expected) == pytest.approx(1, abs=0.1)
    assert np.linalg.norm(found - expected) < 0.3 * np.linalg.norm(expected)


def test_a_step_that_overflows_is_skipped_and_halves_the_scale():
    _, half = trainers(smooth_network)
    scale, finite_steps = half.loss_scale.state
    before = half.values()
    scale.assign(2.0**60)
    assert half.train([batch()] * 2, [0.1] * 2, [0.9] * 2)[0] == 2
    assert half.optimizer_steps == 0
    assert skipped(half) == {"skipped_steps": 2, "loss_scale": 2.0**58}
    weights = len(half.model.trainable_variables)
    for old, new in zip(before[:weights], half.values()[:weights], strict=True):
        assert np.array_equal(old, new)
    assert not any(velocity.numpy().any() for velocity in half._updates.state)
    scale.assign(2.0**10)
    finite_steps.assign(LOSS_SCALE_GROWTH_STEPS - 1)
    half.train([batch()], [0.1], [0.9])
    assert (half.optimizer_steps, float(finite_steps.numpy())) == (1, 0)
    assert skipped(half) == {"skipped_steps": 2, "loss_scale": 2.0**11}
    half.loss_scale.require_finite(half.state, "epoch 1")
    scale.assign(0.5)
    with pytest.raises(RuntimeError, match="in epoch 1 gradients overflow float16 even without a loss scale"):
        half.loss_scale.require_finite(half.state, "epoch 1")


def test_a_gradient_in_float32_that_is_not_finite_is_an_error():
    exact, _ = trainers(smooth_network)
    images, labels = batch()
    exact.train([(images, labels)], [0.1], [0.9])
    exact.loss_scale.require_finite(exact.state, "epoch 1")
    exact.train([(images * float("inf"), labels)], [0.0], [0.9])
    with pytest.raises(RuntimeError, match="weights are not finite after epoch 2; lower learning_rate"):
        exact.loss_scale.require_finite(exact.state, "epoch 2")


@pytest.mark.slow
def test_two_ranks_have_the_gradient_of_one_with_both_batches():
    reports = run_ranks("tests.workloads.imagenet.halves", {}, 2)
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        error = {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}
        assert error["own"] > 0.1  # each rank's labels are other ones
        assert error["exchanged"] < 1e-4
        assert error["exchanged"] < error["exchanged in float16"] < 1e-2
