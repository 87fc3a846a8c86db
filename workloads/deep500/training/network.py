"""Small networks for images, and a step of them that each framework computes as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

NETWORKS = ("lenet", "perceptron")

Step = Callable[[Any, Any], tuple[Any, Any, Any]]
"""Returns mean loss, number of right answers, and the gradients, of images and labels."""


def build(name: str, shape: tuple[int, ...], classes: int) -> Any:
    """Return a Keras model from images to scores of classes.

    ``lenet`` is LeNet-5 with rectified units and maximum pooling (LeCun et al., Gradient-based learning
    applied to document recognition, 1998, has others); ``perceptron`` has one hidden layer of 64.
    """
    import keras
    from keras import layers

    hidden = {
        "lenet": [
            layers.Conv2D(6, 5, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 5, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(120, activation="relu"),
            layers.Dense(84, activation="relu"),
        ],
        "perceptron": [layers.Flatten(), layers.Dense(64, activation="relu")],
    }
    scores = layers.Dense(classes, dtype="float32")
    return keras.Sequential([keras.Input(shape), *hidden[name], scores])


def loss_of(model: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Return a function of images and labels: the mean cross-entropy, and the number of right answers."""
    from keras import losses, ops

    cross_entropy = losses.SparseCategoricalCrossentropy(from_logits=True)

    def loss(images: Any, labels: Any) -> tuple[Any, Any]:
        scores = model(images, training=True)
        right = ops.equal(ops.cast(ops.argmax(scores, axis=-1), "int32"), ops.cast(labels, "int32"))
        return cross_entropy(labels, scores), ops.sum(ops.cast(right, "int32"))

    return loss


def step_of(framework: str, model: Any) -> Step:
    """Return the step of a model: loss, right answers and gradients with respect to the trained variables."""
    step = {"tensorflow": _tensorflow, "jax": _jax, "torch": _torch}[framework]
    return step(loss_of(model), model.trainable_variables)


def _tensorflow(loss: Any, variables: Sequence[Any]) -> Step:
    import tensorflow as tf

    @tf.function(jit_compile=False, reduce_retracing=True)  # type: ignore[untyped-decorator]
    def step(images: Any, labels: Any) -> tuple[Any, Any, Any]:
        with tf.GradientTape() as tape:
            value, right = loss(images, labels)
        return value, right, tape.gradient(value, [one.value for one in variables])

    return lambda images, labels: step(tf.constant(images), tf.constant(labels))


def _jax(loss: Any, variables: Sequence[Any]) -> Step:
    import jax
    import keras

    def pure(values: Sequence[Any], images: Any, labels: Any) -> Any:
        with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
            return loss(images, labels)

    compiled = jax.jit(jax.value_and_grad(pure, has_aux=True))

    def step(images: Any, labels: Any) -> tuple[Any, Any, Any]:
        (value, right), gradients = compiled([one.value for one in variables], images, labels)
        return value, right, gradients

    return step


def _torch(loss: Any, variables: Sequence[Any]) -> Step:
    import keras
    import torch

    def step(images: Any, labels: Any) -> tuple[Any, Any, Any]:
        moved = (keras.ops.convert_to_tensor(one) for one in (images, labels))
        value, right = loss(*moved)
        return value.detach(), right, torch.autograd.grad(value, [one.value for one in variables])

    return step
