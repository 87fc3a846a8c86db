"""Finds out if P1B1's bottleneck would start dead on given data, without a framework."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workloads.candle import philox
from workloads.candle.initial_weights import KERAS

_WEIGHTS_AT_ONCE = 1 << 22


def dead_units(rows: NDArray[np.float32], widths: Sequence[int], stream: str, seed: int) -> int:
    """Return how many units of the last of some ReLU layers are 0 for every row, before any training.

    The weights are those that Keras draws on TensorFlow.

    Parameters
    ----------
    rows
        Inputs, rows × features.
    widths
        Units of each layer.
    stream, seed
        As for `workloads.candle.initial_weights.kernel_initializer`.
    """
    numbers = philox.stateless(seed) if stream == KERAS else philox.stateful(seed)
    for width in widths:
        rows = _layer(rows, width, numbers)
    return int((rows <= 0).all(axis=0).sum())


def _layer(rows: NDArray[np.float32], width: int, numbers: philox.Stream) -> NDArray[np.float32]:
    """Return what a ReLU layer makes of rows; its kernel is drawn part by part."""
    features = rows.shape[1]
    limit = np.float32(math.sqrt(6 / (features + width)))
    total = np.zeros((len(rows), width), np.float32)
    step = max(1, _WEIGHTS_AT_ONCE // width)
    for begin in range(0, features, step):
        end = min(begin + step, features)
        kernel = numbers.uniform(begin * width, end * width).reshape(-1, width) * (2 * limit) - limit
        total += rows[:, begin:end] @ kernel
    return np.maximum(total, np.float32(0))
