"""JAX's operators, each compiled as a whole by XLA."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

from workloads.deep500.operators.definition import Size
from workloads.deep500.operators.dense import EPSILON
from workloads.deep500.operators.native import Function, Step

UNSUPPORTED = (NotImplementedError, ValueError)
LAYOUTS: Mapping[str, Mapping[str, str]] = {}


def place(array: Any, precision: str) -> Any:
    return jax.device_put(array.astype(jnp.dtype(precision)))


def fetch(result: Any) -> Any:
    return np.asarray(result).astype(np.float32)


def compiled(operator: str, size: Size, inputs: Sequence[Any], slopes: Sequence[Any]) -> Step:
    function = _FUNCTIONS[operator](size)

    def gradient(inputs: Sequence[Any], slopes: Sequence[Any]) -> Sequence[Any]:
        outputs, pull_back = jax.vjp(function, *inputs)
        return [*outputs, *pull_back(tuple(slopes))]

    def forward(inputs: Sequence[Any], slopes: Sequence[Any]) -> Sequence[Any]:  # noqa: ARG001
        return list(function(*inputs))

    step = jax.jit(gradient if slopes else forward)
    return lambda: jax.block_until_ready(step(inputs, slopes))


def _conv2d(size: Size) -> Function:
    around = [(size["pad"], size["pad"])] * 2
    return lambda x, kernel: (
        lax.conv_general_dilated(
            x, kernel, (size["stride"],) * 2, around, dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
    )


def _batch_norm(size: Size) -> Function:  # noqa: ARG001
    def normalise(x: Any, scale: Any, offset: Any) -> tuple[Any]:
        wide = x.astype(jnp.float32)  # statistics are in float32 in every library
        mean, variance = jnp.mean(wide, (0, 1, 2)), jnp.var(wide, (0, 1, 2))
        return (((wide - mean) * lax.rsqrt(variance + EPSILON) * scale + offset).astype(x.dtype),)

    return normalise


def _max_pool(size: Size) -> Function:
    around = ((0, 0), (size["pad"],) * 2, (size["pad"],) * 2, (0, 0))
    return lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, *_window(size), around),)


def _average_pool(size: Size) -> Function:
    count = size["r"] * size["s"]
    return lambda x: (lax.reduce_window(x, 0.0, lax.add, *_window(size), "VALID") / count,)


def _window(size: Size) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (1, size["r"], size["s"], 1), (1, size["stride"], size["stride"], 1)


def _lstm_cell(size: Size) -> Function:  # noqa: ARG001
    def cell(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> tuple[Any, Any]:
        i, f, g, o = jnp.split(x @ kernel + h @ recurrent + bias, 4, axis=1)
        c_next = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        return nn.sigmoid(o) * jnp.tanh(c_next), c_next

    return cell


def _attention(size: Size) -> Function:
    def attend(q: Any, k: Any, v: Any) -> tuple[Any]:
        # What nn.dot_product_attention computes, which on cores has no float16.
        scores = jnp.einsum("bate,base->bats", q, k, preferred_element_type=jnp.float32)
        weights = nn.softmax(scores * size["e"] ** -0.5).astype(v.dtype)
        return (jnp.einsum("bats,base->bate", weights, v),)

    return attend


_FUNCTIONS: dict[str, Callable[[Size], Function]] = {
    "conv2d": _conv2d,
    "matmul": lambda _: lambda a, b: (jnp.matmul(a, b),),
    "batch_norm": _batch_norm,
    "max_pool": _max_pool,
    "average_pool": _average_pool,
    "softmax": lambda _: lambda x: (nn.softmax(x),),
    "lstm_cell": _lstm_cell,
    "attention": _attention,
    "add": lambda _: lambda a, b: (jnp.add(a, b),),
    "relu": lambda _: lambda x: (nn.relu(x),),
    "gelu": lambda _: lambda x: (nn.gelu(x, approximate=True),),
    "tanh": lambda _: lambda x: (jnp.tanh(x),),
}
