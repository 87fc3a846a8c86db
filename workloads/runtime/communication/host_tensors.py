"""Tensors of a framework that ranks exchange through host memory, also inside a compiled function."""

from __future__ import annotations

import functools
import math
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

StartSum = Callable[["NDArray[Any]"], Callable[[], "NDArray[Any]"]]
"""Begins to add a vector over all ranks; the returned function waits for it, in the same or other memory."""


class HostMeans:
    """Means of tensors over all ranks, with one vector for each type among the tensors of a call.

    Tensors of a type are packed into one vector, of which the results are parts. Its memory is used again
    once nothing refers to it: to get as much memory anew for each step took as long as the exchange.

    Parameters
    ----------
    size
        Number of ranks.
    start
        Begins to add a vector, or a piece of it, over all ranks.
    piece_bytes
        A piece is exchanged once it has so many bytes, while the next is packed.
    """

    def __init__(self, size: int, start: StartSum, piece_bytes: float = math.inf) -> None:
        self._size, self._start, self._piece_bytes = size, start, piece_bytes
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
            means |= zip(places, self._of_one_type([arrays[place] for place in places]), strict=True)
        return [means[place] for place in range(len(arrays))]

    def _of_one_type(self, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return the mean of each array, all of one type."""
        import numpy as np

        kind = arrays[0].dtype
        step = _ALIGNED_BYTES // kind.itemsize
        lengths = [-(-array.size // step) * step for array in arrays]
        vector = self._vector(kind, sum(lengths))
        pieces: list[tuple[Callable[[], NDArray[Any]], list[NDArray[Any]]]] = []
        begin = end = first = 0
        for place, (array, length) in enumerate(zip(arrays, lengths, strict=True)):
            part = vector[end : end + length]
            np.divide(array, self._size, out=part[: array.size].reshape(array.shape), casting="unsafe")
            part[array.size :] = 0  # what lies between two parts is added, too
            end += length
            if (end - begin) * kind.itemsize >= self._piece_bytes or place == len(arrays) - 1:
                pieces.append((self._start(vector[begin:end]), arrays[first : place + 1]))
                begin, first = end, place + 1
        means = []
        for wait, packed in pieces:
            rest = wait()
            for array in packed:
                means.append(rest[: array.size].reshape(array.shape))
                rest = rest[-(-array.size // step) * step :]
        return means

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


def call_from_torch(tensors: Sequence[Any], means: _Means) -> list[Any]:
    """Return the means of tensors of PyTorch, by a function of their contents in host memory."""
    import torch

    exchanged = means(*(tensor.detach().cpu().numpy() for tensor in tensors))
    own = [mean if mean.flags.writeable else mean.copy() for mean in exchanged]  # JAX's arrays are constant
    return [torch.as_tensor(mean, device=tensor.device) for mean, tensor in zip(own, tensors, strict=True)]


def _call_from_jax(tensors: list[Any], means: _Means) -> list[Any]:
    return list(_jax_exchange().bind(*tensors, means=means))


@functools.cache
def _jax_exchange() -> Any:
    """Return an operation of JAX that calls a function with NumPy arrays, in order within a compiled step.

    `jax.experimental.io_callback` calls it with arrays of JAX. Reading a large one waits for a copy by the
    thread that has begun the step, and that thread waits for the function, so that the rank hangs.
    """
    import jax
    import numpy as np
    from jax._src.callback import _OrderedIOEffect
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    def lower(context: Any, *operands: Any, means: _Means) -> Any:
        results, token, _ = mlir.emit_python_callback(
            context, means, context.tokens_in.get(_OrderedIOEffect), operands, context.avals_in,
            context.avals_out, has_side_effect=True,
        )  # fmt: skip
        context.set_tokens_out(context.tokens_in.update_tokens(mlir.TokenSet({_OrderedIOEffect: token})))
        return results

    exchange = Primitive("exchange_of_ranks")
    exchange.multiple_results = True
    exchange.def_effectful_abstract_eval(lambda *tensors, means: (tensors, {_OrderedIOEffect}))  # noqa: ARG005
    exchange.def_impl(lambda *tensors, means: map(jax.numpy.asarray, means(*map(np.asarray, tensors))))
    mlir.register_lowering(exchange, lower, cacheable=False)
    return exchange


_CALLS = {"tensorflow": _call_from_tensorflow, "torch": call_from_torch, "jax": _call_from_jax}
