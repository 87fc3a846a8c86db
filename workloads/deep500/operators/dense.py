"""NumPy references in float64 of products, norms, the LSTM cell, attention and elementwise operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workloads.deep500.operators.definition import Size

if TYPE_CHECKING:
    from workloads.deep500.operators.definition import Floats

EPSILON = 1e-3
"""Added to the variance in batch norm: the default of Keras, and more than cuDNN's smallest."""

_GELU = math.sqrt(2.0 / math.pi)
_CUBE = 0.044715


def matmul(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return the wanted of y = a b, d_a and d_b."""
    results = {}
    if "y" in wanted:
        results["y"] = arrays["a"] @ arrays["b"]
    if "d_a" in wanted:
        results["d_a"] = arrays["d_y"] @ arrays["b"].T
    if "d_b" in wanted:
        results["d_b"] = arrays["a"].T @ arrays["d_y"]
    return results


def batch_norm(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return y, normalised by mean and variance of the batch, and the gradients by x, scale and offset."""
    x, over = arrays["x"], (0, 1, 2)
    deviation = np.sqrt(x.var(axis=over) + EPSILON)
    normal = (x - x.mean(axis=over)) / deviation
    results = {"y": normal * arrays["scale"] + arrays["offset"]}
    if "d_y" in arrays:
        slope = arrays["d_y"]
        by_scale, by_offset = (slope * normal).sum(axis=over), slope.sum(axis=over)
        count = x.size // x.shape[-1]
        centred = slope - by_offset / count - normal * by_scale / count
        results |= {"d_x": centred * arrays["scale"] / deviation, "d_scale": by_scale, "d_offset": by_offset}
    return results


def softmax(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return the softmax of each row, and d_x."""
    y = _softmax(arrays["x"])
    return {"y": y} | ({"d_x": _softmax_slope(y, arrays["d_y"])} if "d_y" in arrays else {})


def attention(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return softmax(q kᵀ / √e) v of every head, and the gradients by q, k and v."""
    q, k, v = (arrays[name] for name in "qkv")
    scale = 1.0 / math.sqrt(size["e"])
    weights = _softmax(q @ _transposed(k) * scale)
    results = {"y": weights @ v}
    if "d_y" in arrays:
        slope = arrays["d_y"]
        scores = _softmax_slope(weights, slope @ _transposed(v)) * scale
        results |= {"d_q": scores @ k, "d_k": _transposed(scores) @ q, "d_v": _transposed(weights) @ slope}
    return results


def lstm_cell(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return the next state h_next and c_next, and the gradients; gates are input, forget, cell, output."""
    gates = arrays["x"] @ arrays["kernel"] + arrays["h"] @ arrays["recurrent"] + arrays["bias"]
    i, f, g, o = np.split(gates, 4, axis=1)
    i, f, g, o = _sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)
    c_next = f * arrays["c"] + i * g
    bent = np.tanh(c_next)
    results = {"h_next": o * bent, "c_next": c_next}
    if "d_h_next" not in arrays:
        return results
    by_c = arrays["d_c_next"] + arrays["d_h_next"] * o * (1.0 - bent**2)
    slopes = (
        by_c * g * i * (1.0 - i),
        by_c * arrays["c"] * f * (1.0 - f),
        by_c * i * (1.0 - g**2),
        arrays["d_h_next"] * bent * o * (1.0 - o),
    )
    by_gates = np.concatenate(slopes, axis=1)
    products: dict[str, Callable[[], Floats]] = {
        "d_x": lambda: by_gates @ arrays["kernel"].T,
        "d_h": lambda: by_gates @ arrays["recurrent"].T,
        "d_c": lambda: by_c * f,
        "d_kernel": lambda: arrays["x"].T @ by_gates,
        "d_recurrent": lambda: arrays["h"].T @ by_gates,
        "d_bias": lambda: by_gates.sum(axis=0),
    }
    return results | {name: product() for name, product in products.items() if name in wanted}


def add(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return a + b, and both gradients."""
    slopes = {"d_a": arrays["d_y"], "d_b": arrays["d_y"]} if "d_y" in arrays else {}
    return {"y": arrays["a"] + arrays["b"]} | slopes


def relu(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return max(x, 0), and d_x; the slope at 0 is 0."""
    return _elementwise(arrays, np.maximum(arrays["x"], 0.0), lambda x: (x > 0).astype(float))


def tanh(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return tanh(x), and d_x."""
    y = np.tanh(arrays["x"])
    return _elementwise(arrays, y, lambda _: 1.0 - y**2)


def gelu(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:  # noqa: ARG001
    """Return x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, and d_x."""
    x = arrays["x"]
    bent = np.tanh(_GELU * (x + _CUBE * x**3))
    inner = _GELU * (1.0 + 3.0 * _CUBE * x**2)
    return _elementwise(
        arrays, 0.5 * x * (1.0 + bent), lambda x: 0.5 * (1.0 + bent) + 0.5 * x * (1.0 - bent**2) * inner
    )


def _elementwise(
    arrays: Mapping[str, Floats], y: Floats, slope: Callable[[Floats], Floats]
) -> dict[str, Floats]:
    return {"y": y} | ({"d_x": arrays["d_y"] * slope(arrays["x"])} if "d_y" in arrays else {})


def _softmax(x: Floats) -> Floats:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True))


def _softmax_slope(y: Floats, slope: Floats) -> Floats:
    return np.asarray(y * (slope - (slope * y).sum(axis=-1, keepdims=True)))


def _transposed(x: Floats) -> Floats:
    return x.swapaxes(-1, -2)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))
