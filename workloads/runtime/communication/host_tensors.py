"""Tensors of a framework that ranks exchange through host memory, also inside a compiled function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mean_over_host(tensors: Sequence[Any], mean: Callable[[NDArray[Any]], NDArray[Any]]) -> list[Any]:
    """Return the means of tensors over all ranks, with an exchange for each type among them.

    Parameters
    ----------
    tensors
        Of the framework on which Keras runs; every rank gives the same shapes and types in the same order.
    mean
        Returns the mean over all ranks of a vector in host memory, which it leaves as it is.
    """
    import keras

    ops = keras.ops
    means: list[Any] = [None] * len(tensors)
    for kind in dict.fromkeys(keras.backend.standardize_dtype(tensor.dtype) for tensor in tensors):
        places = [
            n for n, tensor in enumerate(tensors) if keras.backend.standardize_dtype(tensor.dtype) == kind
        ]
        shapes = [tuple(tensors[place].shape) for place in places]
        flat = [ops.reshape(tensors[place], (-1,)) for place in places]
        exchanged = _CALLS[keras.backend.backend()](
            flat[0] if len(flat) == 1 else ops.concatenate(flat), mean
        )
        begin = 0
        for place, shape, part in zip(places, shapes, flat, strict=True):
            end = begin + int(part.shape[0])
            means[place] = ops.reshape(exchanged[begin:end], shape)
            begin = end
    return means


def _call_from_tensorflow(vector: Any, mean: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
    import tensorflow as tf

    exchanged = tf.numpy_function(mean, [vector], vector.dtype)
    exchanged.set_shape(vector.shape)
    return exchanged


def _call_from_torch(vector: Any, mean: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
    import torch

    held = vector.detach().cpu().contiguous()
    return torch.as_tensor(mean(held.numpy()), device=vector.device)


def _call_from_jax(vector: Any, mean: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
    import jax
    import numpy as np

    like = jax.ShapeDtypeStruct(vector.shape, vector.dtype)
    return jax.experimental.io_callback(lambda held: mean(np.asarray(held)), like, vector, ordered=True)


_CALLS = {"tensorflow": _call_from_tensorflow, "torch": _call_from_torch, "jax": _call_from_jax}
