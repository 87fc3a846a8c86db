"""Operators of the networks in NumPy, each with its gradient: the reference, which is no framework's code.

An operator is a function of arrays, images as batch × height × width × channels, that returns its output
and a function from the slope of the output to the slopes of its inputs and of its weights. All arrays
keep the type of what comes in; the reference gives float64.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, Array]
Slopes = tuple[list[Array], dict[str, Array]]
Pull = Callable[[Array], Slopes]
Computed = tuple[Array, Pull]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How an operator computes beside its products, which are in float64.

    Parameters
    ----------
    keep
        Rounds what is kept for the gradient.
    doubt
        The gradient decides the other way which side of a rectifier, or which place of a maximum, the slope
        goes to, wherever that is decided by less than this share of the largest magnitude.
    """

    keep: Callable[[Array], Array] = lambda array: array
    doubt: float = 0.0


EXACT = Arithmetic()


def same_padding(size: int, window: int, stride: int) -> tuple[int, int]:
    """Return what ``same`` adds before and after an axis, so that there are ⌈size ÷ stride⌉ places."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def apply(
    kind: str,
    inputs: Sequence[Array],
    weights: Weights,
    settings: Mapping[str, Any],
    *,
    training: bool,
    arithmetic: Arithmetic = EXACT,
) -> Computed:
    """Return the output of an operator, and its gradient.

    Parameters
    ----------
    kind
        Name of the layer's class in Keras.
    settings
        As of `workloads.deep500.networks.graph.Operator`.
    training
        Batch normalisation takes mean and variance of the batch.
    arithmetic
        Exact, or that of a shorter type.
    """
    more = {"training": training, "arithmetic": arithmetic}
    output, pull = _OPERATORS[kind](inputs, weights, {**settings, **more})
    if "activation" not in settings:
        return output, pull
    activated, slope_before = _activate(settings["activation"], output, arithmetic)
    return activated, lambda slope: pull(slope_before(slope))


def _activate(name: str, array: Array, arithmetic: Arithmetic) -> tuple[Array, Callable[[Array], Array]]:
    if name == "linear":
        return array, lambda slope: slope
    if name == "relu":
        passes = (array > 0) ^ (np.abs(array) < arithmetic.doubt * np.abs(array).max(initial=0.0))
        return np.maximum(array, 0), lambda slope: slope * passes
    if name == "sigmoid":
        once = arithmetic.keep(_sigmoid(array))
        return once, lambda slope: slope * once * (1 - once)
    if name == "softmax":
        powers = np.exp(array - array.max(axis=-1, keepdims=True))
        shares = arithmetic.keep(powers / powers.sum(axis=-1, keepdims=True))
        return shares, lambda slope: shares * (slope - (slope * shares).sum(axis=-1, keepdims=True))
    raise ValueError(f"no activation {name} in the reference")


def _sigmoid(array: Array) -> Array:
    share: Array = 0.5 * (1 + np.tanh(0.5 * array))
    return share


def _axes(array: Array, settings: Mapping[str, Any]) -> tuple[Array, list[int], list[int], list[Any]]:
    """Return images, window, strides and padding of two axes; a sequence is an image of height 1."""
    window, strides = list(settings["window"]), list(settings["strides"])
    if len(window) == 1:
        array, window, strides = array[:, None], [1, *window], [1, *strides]
    edges = [(0, 0), (0, 0)]
    if settings["padding"] == "same":
        edges = [same_padding(*one) for one in zip(array.shape[1:3], window, strides, strict=True)]
    return array, window, strides, edges


def _places(padded: Array, window: list[int], strides: list[int]) -> Iterator[tuple[int, int, Any]]:
    """Yield each offset in the window, with the index of all elements there."""
    counts = [
        (size - wide) // stride + 1
        for size, wide, stride in zip(padded.shape[1:3], window, strides, strict=True)
    ]
    for row, column in itertools.product(*map(range, window)):
        yield (
            row,
            column,
            (
                slice(None),
                slice(row, row + (counts[0] - 1) * strides[0] + 1, strides[0]),
                slice(column, column + (counts[1] - 1) * strides[1] + 1, strides[1]),
            ),
        )


def _inner(padded: Array, edges: list[Any]) -> Array:
    (top, bottom), (left, right) = edges
    return padded[:, top : padded.shape[1] - bottom, left : padded.shape[2] - right]


def _padded(array: Array, edges: list[Any], value: float = 0.0) -> Array:
    return np.pad(array, [(0, 0), *edges, (0, 0)], constant_values=value) if np.any(edges) else array


def _convolution(inputs: Sequence[Array], weights: Weights, settings: Mapping[str, Any]) -> Computed:
    """Add up one matrix product for each offset in the window."""
    (given,) = inputs
    images, window, strides, edges = _axes(given, settings)
    padded = _padded(images, edges)
    kernel = weights["kernel"].reshape(*window, *weights["kernel"].shape[-2:])
    places = list(_places(padded, window, strides))
    output: Array = sum(padded[at] @ kernel[row, column] for row, column, at in places)
    shape = output.shape
    if "bias" in weights:
        output += weights["bias"]

    def pull(slope: Array) -> Slopes:
        slope = slope.reshape(shape)
        flat = slope.reshape(-1, shape[-1])
        into, of_kernel = np.zeros_like(padded), np.empty_like(kernel)
        for row, column, at in places:
            into[at] += slope @ kernel[row, column].T
            of_kernel[row, column] = padded[at].reshape(-1, kernel.shape[2]).T @ flat
        slopes = {"kernel": of_kernel.reshape(weights["kernel"].shape)}
        if "bias" in weights:
            slopes["bias"] = flat.sum(axis=0)
        return [_inner(into, edges).reshape(given.shape)], slopes

    return output if given.ndim == 4 else output[:, 0], pull


def _maximum(inputs: Sequence[Array], _w: Weights, settings: Mapping[str, Any]) -> Computed:
    """Take the largest of each window; of equal ones the first gets the slope."""
    (given,) = inputs
    images, window, strides, edges = _axes(given, settings)
    padded = _padded(images, edges, -np.inf)
    places = [at for _, _, at in _places(padded, window, strides)]
    values = np.stack([padded[at] for at in places])
    chosen, output = values.argmax(axis=0), values.max(axis=0)
    if doubt := settings["arithmetic"].doubt:
        np.put_along_axis(values, chosen[None], -np.inf, axis=0)
        close = output - values.max(axis=0) < doubt * np.abs(output).max(initial=0.0)
        chosen = np.where(close, values.argmax(axis=0), chosen)

    def pull(slope: Array) -> Slopes:
        slope, into = slope.reshape(output.shape), np.zeros_like(padded)
        for number, at in enumerate(places):
            into[at] += slope * (chosen == number)
        return [_inner(into, edges).reshape(given.shape)], {}

    return output if given.ndim == 4 else output[:, 0], pull


def _mean(inputs: Sequence[Array], _w: Weights, settings: Mapping[str, Any]) -> Computed:
    (given,) = inputs
    images, window, strides, _edges = _axes(given, settings)
    places = [at for _, _, at in _places(images, window, strides)]
    output: Array = sum(images[at] for at in places) / len(places)

    def pull(slope: Array) -> Slopes:
        into = np.zeros_like(images)
        for at in places:
            into[at] += slope / len(places)
        return [into], {}

    return output, pull


def _global_mean(inputs: Sequence[Array], _w: Weights, _s: Mapping[str, Any]) -> Computed:
    (images,) = inputs
    pixels = images.shape[1] * images.shape[2]

    def pull(slope: Array) -> Slopes:
        return [np.broadcast_to(slope[:, None, None] / pixels, images.shape)], {}

    return images.mean(axis=(1, 2)), pull


def _dense(inputs: Sequence[Array], weights: Weights, _s: Mapping[str, Any]) -> Computed:
    (rows,) = inputs
    output = rows @ weights["kernel"]
    if "bias" in weights:
        output += weights["bias"]

    def pull(slope: Array) -> Slopes:
        slopes = {"kernel": rows.T @ slope}
        if "bias" in weights:
            slopes["bias"] = slope.sum(axis=0)
        return [slope @ weights["kernel"].T], slopes

    return output, pull


def _normalisation(inputs: Sequence[Array], weights: Weights, settings: Mapping[str, Any]) -> Computed:
    (given,) = inputs
    training = settings["training"]
    axes = tuple(range(given.ndim - 1))
    mean, variance = weights["moving_mean"], weights["moving_variance"]
    if training:
        mean, variance = given.mean(axis=axes), given.var(axis=axes)
    scale = 1 / np.sqrt(variance + settings["epsilon"])
    normal = settings["arithmetic"].keep((given - mean) * scale)

    def pull(slope: Array) -> Slopes:
        slopes = {"gamma": (slope * normal).sum(axis=axes), "beta": slope.sum(axis=axes)}
        into = slope * weights["gamma"]
        if training:
            into = into - into.mean(axis=axes) - normal * (into * normal).mean(axis=axes)
        return [into * scale], slopes

    return normal * weights["gamma"] + weights["beta"], pull


def _lstm(inputs: Sequence[Array], weights: Weights, _s: Mapping[str, Any]) -> Computed:
    """Run the cell over the sequence; gates are in Keras' order: enter, forget, new, leave."""
    (sequence,) = inputs
    kernel, recurrent = weights["kernel"], weights["recurrent_kernel"]
    state = output = np.zeros((sequence.shape[0], recurrent.shape[0]), sequence.dtype)
    steps = []
    for number in range(sequence.shape[1]):
        gates = sequence[:, number] @ kernel + output @ recurrent + weights["bias"]
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        enter, forget, leave, new = _sigmoid(enter), _sigmoid(forget), _sigmoid(leave), np.tanh(new)
        before = (state, output)
        state = forget * state + enter * new
        output = leave * np.tanh(state)
        steps.append((number, before, (enter, forget, new, leave), np.tanh(state)))

    def pull(slope: Array) -> Slopes:
        slopes = {name: np.zeros_like(weights[name]) for name in ("kernel", "recurrent_kernel", "bias")}
        into, of_state = np.zeros_like(sequence), np.zeros_like(slope)
        for number, (state, output), (enter, forget, new, leave), squeezed in reversed(steps):
            of_state = of_state + slope * leave * (1 - squeezed**2)
            of_gates = np.concatenate(
                [
                    of_state * new * enter * (1 - enter),
                    of_state * state * forget * (1 - forget),
                    of_state * enter * (1 - new**2),
                    slope * squeezed * leave * (1 - leave),
                ],
                axis=1,
            )
            slopes["kernel"] += sequence[:, number].T @ of_gates
            slopes["recurrent_kernel"] += output.T @ of_gates
            slopes["bias"] += of_gates.sum(axis=0)
            into[:, number] = of_gates @ kernel.T
            slope, of_state = of_gates @ recurrent.T, of_state * forget
        return [into], slopes

    return output, pull


def _zeros_around(inputs: Sequence[Array], _w: Weights, settings: Mapping[str, Any]) -> Computed:
    edges = list(settings["edges"])
    return _padded(inputs[0], edges), lambda slope: ([_inner(slope, edges)], {})


def _add(inputs: Sequence[Array], _w: Weights, _s: Mapping[str, Any]) -> Computed:
    total: Array = sum(inputs[1:], start=inputs[0])
    return total, lambda slope: ([slope] * len(inputs), {})


def _joined(inputs: Sequence[Array], _w: Weights, _s: Mapping[str, Any]) -> Computed:
    ends = np.cumsum([one.shape[-1] for one in inputs])[:-1]
    return np.concatenate(inputs, axis=-1), lambda slope: (np.split(slope, ends, axis=-1), {})


def _flat(inputs: Sequence[Array], _w: Weights, _s: Mapping[str, Any]) -> Computed:
    (given,) = inputs
    return given.reshape(len(given), -1), lambda slope: ([slope.reshape(given.shape)], {})


def _as_it_is(inputs: Sequence[Array], _w: Weights, _s: Mapping[str, Any]) -> Computed:
    return inputs[0], lambda slope: ([slope], {})


_OPERATORS: dict[str, Callable[[Sequence[Array], Weights, Mapping[str, Any]], Computed]] = {
    "Conv1D": _convolution,
    "Conv2D": _convolution,
    "MaxPooling1D": _maximum,
    "MaxPooling2D": _maximum,
    "AveragePooling2D": _mean,
    "GlobalAveragePooling2D": _global_mean,
    "Dense": _dense,
    "BatchNormalization": _normalisation,
    "LSTM": _lstm,
    "ZeroPadding2D": _zeros_around,
    "Add": _add,
    "Concatenate": _joined,
    "Flatten": _flat,
    "Activation": _as_it_is,
    "ReLU": _as_it_is,
}
