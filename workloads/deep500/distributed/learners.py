"""The network's gradient in each framework, as a function of one flat vector of all parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.deep500.distributed.problem import Problem
from workloads.runtime.backends.torch import chosen_device

if TYPE_CHECKING:
    from numpy.typing import NDArray

Batch = Callable[[int], tuple[Any, Any]]
"""Rows and classes of this rank's step."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A network's vectors in one framework.

    Parameters
    ----------
    initial
        Parameters before the first step.
    gradient
        At some parameters, of the batch of a step.
    fetch, place
        A vector as a NumPy array, and the vector of a NumPy array.
    """

    initial: Any
    gradient: Callable[[Any, int], Any]
    fetch: Callable[[Any], NDArray[Any]]
    place: Callable[[NDArray[Any]], Any]


def tensorflow_learner(problem: Problem, batch: Batch, precision: str) -> Learner:
    """Return TensorFlow's vector and gradient; the gradient is compiled."""
    import tensorflow as tf

    dtype, sizes = tf.as_dtype(precision), problem.sizes

    @tf.function(autograph=False)  # type: ignore[untyped-decorator]
    def gradient(vector: Any, rows: Any, classes: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(vector)
            parts = zip(tf.split(vector, sizes.lengths), sizes.shapes, strict=True)
            weights, biases, out_weights, out_biases = (tf.reshape(part, shape) for part, shape in parts)
            scores = tf.tanh(rows @ weights + biases) @ out_weights + out_biases
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=scores)
            loss = tf.reduce_mean(losses)
        return tape.gradient(loss, vector)

    def of_step(vector: Any, step: int) -> Any:
        rows, classes = batch(step)
        return gradient(vector, tf.cast(tf.constant(rows), dtype), tf.constant(classes))

    initial = tf.cast(tf.constant(problem.initial), dtype)
    return Learner(initial, of_step, *VECTORS["tensorflow"])


def torch_learner(problem: Problem, batch: Batch, precision: str) -> Learner:
    """Return PyTorch's vector and gradient."""
    import torch

    dtype, sizes, device = getattr(torch, precision), problem.sizes, chosen_device()

    def of_step(vector: Any, step: int) -> Any:
        rows, classes = (torch.from_numpy(one).to(device) for one in batch(step))
        own = vector.detach().requires_grad_()
        parts = zip(torch.split(own, sizes.lengths), sizes.shapes, strict=True)
        weights, biases, out_weights, out_biases = (part.reshape(shape) for part, shape in parts)
        scores = torch.tanh(rows.to(dtype) @ weights + biases) @ out_weights + out_biases
        return torch.autograd.grad(torch.nn.functional.cross_entropy(scores, classes), own)[0]

    initial = torch.from_numpy(problem.initial).to(device, dtype)
    return Learner(initial, of_step, *VECTORS["torch"])


def _fetch_tensorflow(vector: Any) -> NDArray[Any]:
    values: NDArray[Any] = vector.numpy()
    return values


def _place_tensorflow(array: NDArray[Any]) -> Any:
    import tensorflow as tf

    return tf.constant(array)


def _fetch_torch(vector: Any) -> NDArray[Any]:
    values: NDArray[Any] = vector.detach().cpu().numpy()
    return values


def _place_torch(array: NDArray[Any]) -> Any:
    import torch

    return torch.from_numpy(array).to(chosen_device())


LEARNERS = {"tensorflow": tensorflow_learner, "torch": torch_learner}
VECTORS = {
    "tensorflow": (_fetch_tensorflow, _place_tensorflow),
    "torch": (_fetch_torch, _place_torch),
}
"""By framework: a function from a vector to a NumPy array, and one back."""
