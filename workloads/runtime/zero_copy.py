"""Pass arrays to Keras without a private copy of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _ArrayView:
    """An array of a type that TensorFlow does not copy; it copies those of NumPy, which may change."""

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

    with tf.device("CPU:0"):  # otherwise it is copied to the GPU and back
        return tf.convert_to_tensor(_ArrayView(array))


def of_tensorflow(tensor: Any) -> Any:
    """Return a tensor in host memory for another framework, without a copy: an array, or PyTorch's tensor.

    Nothing may write to it. PyTorch would warn of an array that says so.
    """
    import keras

    if keras.backend.backend() != "torch" or isinstance(tensor, np.ndarray):
        return np.asarray(tensor)
    import tensorflow as tf
    import torch

    return torch.from_dlpack(tf.experimental.dlpack.to_dlpack(tensor))
