"""The reference's own gradients, by central differences: they are right for what its outputs are."""

from __future__ import annotations

import numpy as np
import pytest

from workloads.deep500.networks.numpy_operators import Arithmetic, apply, same_padding

RANDOM = np.random.default_rng(3)
IMAGE, ROWS, SEQUENCE = (2, 5, 6, 3), (3, 4), (2, 4, 3)
RELU = {"activation": "relu"}
OPERATORS = {
    "conv, padded": ("Conv2D", [IMAGE], {"kernel": (3, 2, 3, 4), "bias": (4,)},
                     {"window": (3, 2), "strides": (2, 1), "padding": "same", **RELU}),
    "conv, not padded": ("Conv2D", [IMAGE], {"kernel": (2, 3, 3, 4)},
                         {"window": (2, 3), "strides": (1, 2), "padding": "valid", "activation": "linear"}),
    "conv of a sequence": ("Conv1D", [(2, 7, 3)], {"kernel": (3, 3, 2), "bias": (2,)},
                           {"window": (3,), "strides": (2,), "padding": "valid", "activation": "sigmoid"}),
    "maximum, padded": ("MaxPooling2D", [IMAGE], {},
                        {"window": (3, 3), "strides": (2, 2), "padding": "same"}),
    "maximum of a sequence": ("MaxPooling1D", [(2, 7, 3)], {},
                              {"window": (2,), "strides": (2,), "padding": "valid"}),
    "mean": ("AveragePooling2D", [IMAGE], {}, {"window": (3, 2), "strides": (1, 2), "padding": "valid"}),
    "mean of all": ("GlobalAveragePooling2D", [IMAGE], {}, {}),
    "dense, softmax": ("Dense", [ROWS], {"kernel": (4, 5), "bias": (5,)}, {"activation": "softmax"}),
    "dense, sigmoid": ("Dense", [ROWS], {"kernel": (4, 5), "bias": (5,)}, {"activation": "sigmoid"}),
    "normalisation": ("BatchNormalization", [IMAGE],
                      {"gamma": (3,), "beta": (3,), "moving_mean": (3,), "moving_variance": (3,)},
                      {"epsilon": 1e-3}),
    "recurrent": ("LSTM", [SEQUENCE], {"kernel": (3, 8), "recurrent_kernel": (2, 8), "bias": (8,)}, {}),
    "zeros around": ("ZeroPadding2D", [IMAGE], {}, {"edges": ((1, 0), (2, 1))}),
    "sum": ("Add", [ROWS, ROWS], {}, {}),
    "joined": ("Concatenate", [IMAGE, (2, 5, 6, 2)], {}, {}),
    "flat": ("Flatten", [IMAGE], {}, {}),
    "rectified": ("ReLU", [ROWS], {}, RELU),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_every_gradient_is_that_of_the_output(name):
    kind, shapes, roles, settings = OPERATORS[name]
    inputs = [RANDOM.standard_normal(shape) for shape in shapes]
    weights = {role: RANDOM.random(shape) + 0.5 for role, shape in roles.items()}
    output, pull = apply(kind, inputs, weights, settings, training=True)
    slope = RANDOM.standard_normal(output.shape)
    of_inputs, of_weights = pull(slope)
    assert set(of_weights) == {role for role in roles if not role.startswith("moving")}
    pairs = [
        *zip(inputs, of_inputs, strict=True),
        *((weights[role], of_weights[role]) for role in of_weights),
    ]
    for array, found in pairs:
        right = np.empty_like(array)
        for place in np.ndindex(array.shape):
            before, step = array[place], 1e-6
            sums = []
            for moved in (before + step, before - step):
                array[place] = moved
                sums.append((apply(kind, inputs, weights, settings, training=True)[0] * slope).sum())
            array[place] = before
            right[place] = (sums[0] - sums[1]) / (2 * step)
        np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-6)


def test_inference_normalises_by_the_moving_statistics():
    weights = {"gamma": [2.0], "beta": [1.0], "moving_mean": [3.0], "moving_variance": [4.0]}
    arrays = {role: np.array(one) for role, one in weights.items()}
    output, _ = apply("BatchNormalization", [np.array([[5.0]])], arrays, {"epsilon": 0.0}, training=False)
    assert output == 2 * (5 - 3) / 2 + 1


def test_padding_is_that_of_tensorflow():
    assert same_padding(224, 7, 2) == (2, 3)
    assert same_padding(28, 3, 1) == (1, 1)
    assert same_padding(8, 2, 2) == (0, 0)


def test_a_doubtful_decision_is_taken_the_other_way():
    doubtful = Arithmetic(doubt=0.01)
    _, pull = apply(
        "ReLU", [np.array([[1.0, 1e-3, -1e-3, -1.0]])], {}, RELU, training=True, arithmetic=doubtful
    )
    np.testing.assert_array_equal(pull(np.ones((1, 4)))[0][0], [[1, 0, 1, 0]])
    window = {"window": (2,), "strides": (2,), "padding": "valid"}
    given = np.array([1.0, 0.999, 1.0, 0.5]).reshape(1, 4, 1)
    _, pull = apply("MaxPooling1D", [given], {}, window, training=True, arithmetic=doubtful)
    np.testing.assert_array_equal(pull(np.ones((1, 2, 1)))[0][0].ravel(), [0, 1, 1, 0])
