from __future__ import annotations

import pytest

from orchestrator.catalog import registry
from workloads.context import Context, SlotView
from workloads.imagenet.resnet50.network import build
from workloads.runtime.flops import forward_flop
from workloads.runtime.framework import configure_framework, trainable_parameters


def layers(model, kind):
    return [layer for layer in model.layers if type(layer).__name__ == kind]


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture(scope="module")
def full():
    return build(1000, 224, weight_decay=5e-5)


def test_the_full_model_has_the_published_size(full):
    described = registry.describe("resnet50").sizes
    assert trainable_parameters(full) == described["trainable_parameters"] == 25_583_592
    assert full.count_params() == 25_636_712
    assert forward_flop(full) == described["forward_flop_per_sample"] == 7_715_946_496


def test_layer_by_layer_it_is_the_one_that_keras_ships(full):
    import keras

    shipped = keras.applications.ResNet50(weights=None)
    assert [v.shape for v in full.trainable_variables] == [v.shape for v in shipped.trainable_variables]
    for kind in ("Conv2D", "Dense", "MaxPooling2D", "ZeroPadding2D", "GlobalAveragePooling2D"):
        ours, theirs = layers(full, kind), layers(shipped, kind)
        assert [layer.output.shape for layer in ours] == [layer.output.shape for layer in theirs]
    for one, other in zip(layers(full, "Conv2D"), layers(shipped, "Conv2D"), strict=True):
        assert (one.kernel_size, one.strides) == (other.kernel_size, other.strides)


def test_the_same_weights_give_the_same_answer_as_the_one_that_keras_ships():
    import keras
    import numpy as np

    ours, theirs = (
        build(7, 48, weight_decay=5e-5),
        keras.applications.ResNet50(
            weights=None, input_shape=(48, 48, 3), classes=7, classifier_activation=None
        ),
    )
    theirs.set_weights(ours.get_weights())
    images = np.random.default_rng(1).normal(0, 50, (2, 48, 48, 3)).astype(np.float32)
    # Keras has epsilon 1.001e-5 where the recipe has 1e-5.
    assert np.allclose(ours(images), theirs(images), rtol=1e-2, atol=1e-3)


def test_kernels_alone_are_penalised_and_normalisation_is_the_recipes(full):
    import numpy as np

    kernels = [layer.kernel for kind in ("Conv2D", "Dense") for layer in layers(full, kind)]
    expected = 5e-5 * sum(float(np.square(kernel.numpy().astype(np.float64)).sum()) for kernel in kernels)
    assert len(kernels) == len(full.losses) == 54
    assert float(sum(full.losses)) == pytest.approx(expected, rel=1e-5)
    assert all(layer.bias_regularizer is None for layer in layers(full, "Conv2D"))
    found = {(layer.momentum, layer.epsilon) for layer in layers(full, "BatchNormalization")}
    assert found == {(0.9, 1e-5)}


def test_it_shrinks_in_width_and_depth_but_not_in_classes():
    small = build(10, 32, weight_decay=0.0, width_divisor=16, depth_divisor=3)
    assert len(layers(small, "Conv2D")) == 1 + (4 + 4 + 4 + 3 + 4)
    assert layers(small, "Conv2D")[0].filters == 4
    assert small.output.shape == (None, 10)
    assert len(layers(build(2, 32, weight_decay=0.0, width_divisor=64, depth_divisor=99), "Conv2D")) == 17
