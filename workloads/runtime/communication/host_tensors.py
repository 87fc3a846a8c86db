"""Tensors of a framework that ranks exchange through host memory, also inside a compiled function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEPT = 4
"""Vectors whose memory is kept: two for each of two types, as results may be held until the next exchange."""
_ALIGNED_BYTES = 64
"""TensorFlow copies arrays that begin elsewhere."""
_OWN_REFERENCES = 2
"""References to memory that no result shares, as `sys.getrefcount` counts them: a list and its argument."""


class HostMeans:
    """Means of tensors over all ranks, with one exchange for each type among the tensors of a call.

    Tensors of a type are packed into one vector, of which the results are parts. Its memory is used again
    once nothing refers to it: to get as much memory anew for each step took as long as the exchange.

    Parameters
    ----------
    size
        Number of ranks.
    add
        Replaces a vector in host memory by the sum over all ranks.
    """

    def __init__(self, size: int, add: Callable[[NDArray[Any]], None]) -> None:
        self._size, self._add = size, add
        self._memory: list[NDArray[Any]] = []

    def of_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the mean of each tensor; every rank gives the same shapes and types in the same order.

        Parameters
        ----------
        tensors
            Of the framework on which Keras runs.
        """
        import keras

        return list(_CALLS[keras.backend.backend()](list(tensors), self.of_arrays))

    def of_arrays(self, *arrays: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the mean of each array.

        Raises
        ------
        TypeError
            If one does not hold floating-point numbers.
        """
        import numpy as np

        for kind in {array.dtype for array in arrays}:
            if not np.issubdtype(kind, np.floating) and kind.name != "bfloat16":
                raise TypeError(f"ranks average floating-point numbers, not {kind.name}")
        means: dict[int, NDArray[Any]] = {}
        for kind in dict.fromkeys(array.dtype for array in arrays):
            places = [place for place, array in enumerate(arrays) if array.dtype == kind]
            step = _ALIGNED_BYTES // kind.itemsize
            ends = np.cumsum([-(-arrays[place].size // step) * step for place in places])
            vector = self._vector(kind, int(ends[-1]))
            for place, part in zip(places, np.split(vector, ends[:-1]), strict=True):
                means[place] = part[: arrays[place].size].reshape(arrays[place].shape)
                np.divide(arrays[place], self._size, out=means[place], casting="unsafe")
                part[arrays[place].size :] = 0  # what lies between two parts is added, too
            self._add(vector)
        return [means[place] for place in range(len(arrays))]

    def _vector(self, kind: Any, length: int) -> NDArray[Any]:
        """Return an aligned vector, in memory of an earlier exchange if none of its results is left."""
        import numpy as np

        size = length * kind.itemsize + _ALIGNED_BYTES
        free = [
            place
            for place in range(len(self._memory))
            if len(self._memory[place]) == size and sys.getrefcount(self._memory[place]) == _OWN_REFERENCES
        ]
        if not free:
            self._memory = [np.empty(size, np.uint8), *self._memory[: _KEPT - 1]]
        memory = self._memory[free[0] if free else 0]
        begin = -memory.ctypes.data % _ALIGNED_BYTES
        vector: NDArray[Any] = memory[begin : begin + length * kind.itemsize].view(kind)
        return vector


_Means = Callable[..., "list[NDArray[Any]]"]


def _call_from_tensorflow(tensors: list[Any], means: _Means) -> list[Any]:
    import tensorflow as tf

    exchanged = tf.numpy_function(means, tensors, [tensor.dtype for tensor in tensors])
    if not isinstance(exchanged, list):  # eager TensorFlow gives a single one as it is
        exchanged = [exchanged]
    for mean, tensor in zip(exchanged, tensors, strict=True):
        mean.set_shape(tensor.shape)
    return exchanged


def _call_from_torch(tensors: list[Any], means: _Means) -> list[Any]:
    import torch

    exchanged = means(*(tensor.detach().cpu().numpy() for tensor in tensors))
    return [
        torch.as_tensor(mean, device=tensor.device) for mean, tensor in zip(exchanged, tensors, strict=True)
    ]


def _call_from_jax(tensors: list[Any], means: _Means) -> list[Any]:
    import jax
    import numpy as np

    like = [jax.ShapeDtypeStruct(tensor.shape, tensor.dtype) for tensor in tensors]
    exchanged: list[Any] = jax.experimental.io_callback(
        lambda *held: means(*(np.asarray(one) for one in held)), like, *tensors, ordered=True
    )
    return exchanged


_CALLS = {"tensorflow": _call_from_tensorflow, "torch": _call_from_torch, "jax": _call_from_jax}
