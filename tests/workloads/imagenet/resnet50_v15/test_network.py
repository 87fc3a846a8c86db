from __future__ import annotations

import numpy as np
import pytest

from orchestrator.catalog import registry
from workloads.context import Context, SlotView
from workloads.imagenet.resnet50_v15.network import build
from workloads.imagenet.trainer import Objective, Trainer, smoothed_cross_entropy
from workloads.runtime.collectives import Ranks
from workloads.runtime.flops import forward_flop, training_flop
from workloads.runtime.framework import configure_framework, trainable_parameters


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture(scope="module")
def full():
    return build(1000, 224)


def of_kind(model, kind):
    return [layer for layer in model.layers if type(layer).__name__ == kind]


def test_the_full_model_has_the_published_size(full):
    sizes = registry.describe("resnet50_v15").sizes
    assert trainable_parameters(full) == sizes["trainable_parameters"] == 25_559_081
    assert len(full.trainable_variables) == 161
    assert full.output_shape == (None, 1001)
    assert forward_flop(full) == sizes["forward_flop_per_sample"] == 8_178_372_608
    assert training_flop(full) == sizes["training_flop_per_sample"] == 3 * 8_178_372_608 - 236_027_904


def test_a_stage_strides_in_its_3x3_convolution_with_its_own_padding(full):
    strided = [layer for layer in of_kind(full, "Conv2D") if layer.strides == (2, 2)]
    assert sorted(layer.kernel_size[0] for layer in strided) == [1, 1, 1, 3, 3, 3, 7]
    assert {layer.padding for layer in strided} == {"valid"}
    assert [layer.padding for layer in of_kind(full, "ZeroPadding2D")] == [
        ((3, 3), (3, 3)), *[((1, 1), (1, 1))] * 3
    ]  # fmt: skip
    assert [layer.padding for layer in of_kind(full, "MaxPooling2D")] == ["same"]
    assert not any(layer.use_bias for layer in of_kind(full, "Conv2D"))
    sides = [layer.output.shape[1] for layer in of_kind(full, "Add")]
    assert sides == [56] * 3 + [28] * 4 + [14] * 6 + [7] * 3


def test_weights_begin_as_published(full):
    for layer in of_kind(full, "BatchNormalization"):
        assert (layer.momentum, layer.epsilon) == (0.9, 1e-5)
        assert (layer.gamma.numpy() == 1).all()
        assert not layer.beta.numpy().any()
    for layer in (*of_kind(full, "Conv2D"), *of_kind(full, "Dense")):
        kernel = layer.kernel.numpy()
        fan_out = np.prod(kernel.shape) / kernel.shape[-2]
        assert kernel.std() == pytest.approx(np.sqrt(2 / fan_out), rel=0.05)
        assert np.abs(kernel).max() < 2.4 * np.sqrt(2 / fan_out)  # truncated at two deviations
    assert not of_kind(full, "Dense")[0].bias.numpy().any()


def batch(images=6, classes=3):
    random = np.random.default_rng(1)
    return random.normal(0, 1, (images, 32, 32, 3)).astype(np.float32), random.integers(0, classes, images)


def test_labels_are_smoothed_over_all_outputs():
    logits = np.random.default_rng(2).normal(0, 3, (5, 4)).astype(np.float32)
    labels = np.array([0, 2, 1, 0, 2])
    spread = np.full((5, 4), 0.1 / 4)
    spread[np.arange(5), labels] += 0.9
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = -(spread * np.log(shares)).sum(axis=1)
    assert np.allclose(smoothed_cross_entropy(labels, logits, 0.1).numpy(), expected, rtol=1e-5)
    plain = -np.log(shares[np.arange(5), labels])
    assert np.allclose(smoothed_cross_entropy(labels, logits, 0.0).numpy(), plain, rtol=1e-5)


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["operations", "XLA"])
def xla(request):
    import tensorflow as tf

    from workloads.runtime.backends.tensorflow import allow_any_order

    if request.param:
        assert allow_any_order() == {"deterministic": False}
    yield request.param
    tf.config.experimental.enable_op_determinism()


def test_two_steps_decay_every_variable_and_the_rate_multiplies_the_gathered_gradients(xla):
    import tensorflow as tf

    ranks = Ranks(Context(seed=1, slot=SlotView(cores=(0,))))
    model = build(3, 32, width_divisor=32, depth_divisor=6)
    images, labels = batch()
    weights = [variable.numpy().astype(np.float64) for variable in model.trainable_variables]
    gathered = [np.zeros_like(weight) for weight in weights]
    decay, momentum, rates = 0.5, 0.875, (0.0, 0.01)
    trainer = Trainer(model, 4, ranks, Objective(0.1, weight_decay=decay, rate_outside=True, xla=xla))
    assert trainer.gradient_bytes == 4 * trainable_parameters(model)
    moving = [variable.numpy() for variable in model.non_trainable_variables]

    def slopes():
        with tf.GradientTape() as tape:
            entropy = tf.reduce_mean(smoothed_cross_entropy(labels, model(images, training=True), 0.1))
        return tape.gradient(entropy, [variable.value for variable in model.trainable_variables])

    for rate in rates:
        before = [variable.numpy() for variable in model.non_trainable_variables]
        gradients = [slope.numpy() + decay * weight for slope, weight in zip(slopes(), weights, strict=True)]
        for variable, value in zip(model.non_trainable_variables, before, strict=True):
            variable.assign(value)
        gathered = [momentum * old + new for old, new in zip(gathered, gradients, strict=True)]
        weights = [weight - rate * one for weight, one in zip(weights, gathered, strict=True)]
        done, scores = trainer.train([(tf.constant(images), tf.constant(labels))], [rate], [momentum])
        assert (done, scores.images) == (1, len(labels))
        for ours, theirs in zip(model.trainable_variables, weights, strict=True):
            assert np.allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-4), ours.name
    assert any(
        (one != two.numpy()).any() for one, two in zip(moving, model.non_trainable_variables, strict=True)
    )


def test_a_small_one_keeps_an_unused_output():
    small = build(3, 32, width_divisor=64, depth_divisor=99)
    assert small.output_shape == (None, 4)
    assert len(of_kind(small, "Conv2D")) == 17
    assert of_kind(small, "Conv2D")[0].filters == 1
