"""TensorFlow's operators, each in a graph that is traced once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from workloads.deep500.operators.definition import Size
from workloads.deep500.operators.dense import EPSILON
from workloads.deep500.operators.native import Function, Step

UNSUPPORTED = (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError)
LAYOUTS: Mapping[str, Mapping[str, str]] = {}


def place(array: Any, precision: str) -> Any:
    return tf.cast(tf.constant(array), precision)


def fetch(result: Any) -> Any:
    return tf.cast(result, tf.float32).numpy()


def compiled(operator: str, size: Size, inputs: Sequence[Any], slopes: Sequence[Any]) -> Step:
    function = _FUNCTIONS[operator](size)

    def forward(*inputs: Any) -> Any:
        return function(*inputs)

    def gradient(*given: Any) -> Any:
        inputs, slopes = given[: -len(function_slopes)], given[-len(function_slopes) :]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = function(*inputs)
        return (*outputs, *tape.gradient(outputs, inputs, output_gradients=slopes))

    function_slopes = list(slopes)
    given = (*inputs, *slopes)
    # The graph of these shapes, as tf.function would find it at every call.
    step = tf.function(gradient if slopes else forward).get_concrete_function(*given)
    return lambda: step(*given)


def _conv2d(size: Size) -> Function:
    around = _around(size)
    return lambda x, kernel: (tf.nn.conv2d(x, kernel, size["stride"], around),)


def _batch_norm(size: Size) -> Function:  # noqa: ARG001
    def normalise(x: Any, scale: Any, offset: Any) -> tuple[Any]:
        wide = [
            tf.cast(one, tf.float32) for one in (scale, offset)
        ]  # the operator has these in float32 alone
        y, _, _ = tf.compat.v1.nn.fused_batch_norm(x, *wide, epsilon=EPSILON, is_training=True)
        return (y,)

    return normalise


def _max_pool(size: Size) -> Function:
    around = _around(size) if size["pad"] else "VALID"
    return lambda x: (tf.nn.max_pool2d(x, (size["r"], size["s"]), size["stride"], around),)


def _average_pool(size: Size) -> Function:
    return lambda x: (tf.nn.avg_pool2d(x, (size["r"], size["s"]), size["stride"], "VALID"),)


def _around(size: Size) -> list[list[int]]:
    pad = size["pad"]
    return [[0, 0], [pad, pad], [pad, pad], [0, 0]]


def _lstm_cell(size: Size) -> Function:  # noqa: ARG001
    def cell(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> tuple[Any, Any]:
        gates = tf.nn.bias_add(tf.matmul(x, kernel) + tf.matmul(h, recurrent), bias)
        i, f, g, o = tf.split(gates, 4, axis=1)
        c_next = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c_next), c_next

    return cell


def _attention(size: Size) -> Function:
    def attend(q: Any, k: Any, v: Any) -> tuple[Any]:
        scores = tf.matmul(q, k, transpose_b=True) * size["e"] ** -0.5
        return (tf.matmul(tf.nn.softmax(scores), v),)

    return attend


_FUNCTIONS: dict[str, Callable[[Size], Function]] = {
    "conv2d": _conv2d,
    "matmul": lambda _: lambda a, b: (tf.matmul(a, b),),
    "batch_norm": _batch_norm,
    "max_pool": _max_pool,
    "average_pool": _average_pool,
    "softmax": lambda _: lambda x: (tf.nn.softmax(x),),
    "lstm_cell": _lstm_cell,
    "attention": _attention,
    "add": lambda _: lambda a, b: (tf.add(a, b),),
    "relu": lambda _: lambda x: (tf.nn.relu(x),),
    "gelu": lambda _: lambda x: (tf.nn.gelu(x, approximate=True),),
    "tanh": lambda _: lambda x: (tf.tanh(x),),
}
