"""Hands arrays to Keras so that no framework makes a private copy of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Lent:
    """An array that TensorFlow does not know as one; it copies NumPy's arrays, as they may change."""

    array: NDArray[Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.array if copy is None and dtype is None else np.array(self.array, dtype, copy=copy)


def without_copy(array: NDArray[Any]) -> Any:
    """Return what ``fit``, ``evaluate`` and ``predict`` take in place of `array`, which must not change.

    Keras gives TensorFlow all of an array at once, and TensorFlow copies it, once for inputs and
    once more for targets. Here it gets one tensor in the array's own memory, which batches are
    gathered from in the same order. Arrays that do not begin at a multiple of 64 bytes are still
    copied; those of the dataset cache do. With JAX and PyTorch, Keras slices the array itself.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        return array
    import tensorflow as tf

    with tf.device("CPU:0"):  # or else all of it goes to the GPU and comes back
        return tf.convert_to_tensor(_Lent(array))
