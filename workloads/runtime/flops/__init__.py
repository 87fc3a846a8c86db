"""Count the floating-point operations of a model: 2 × the multiply-accumulates of its products.

Products are convolutions and matrix products, however a layer writes them: dense and recurrent layers,
attention, einsum. A window at the border counts whole, padding included. Elementwise operations, pooling,
normalisation, interpolation, losses and the optimizer's update are not counted.

The backward pass counts the products of the gradients with respect to the trainable weights, and with
respect to those activations that depend on trainable weights. The first layer's input does not, so that
training a chain of layers takes three times the forward pass, less the first layer's product.

With TensorFlow the operations of a traced graph are counted (`workloads.runtime.flops.graph`), with other
frameworks the layers of a Keras model (`workloads.runtime.flops.layers`); both count the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workloads.context import Metric


def forward_flop(model: Any) -> int:
    """Return the FLOP of one sample's forward pass in training.

    Raises
    ------
    ValueError
        If something in the model cannot be counted, by name.
    """
    return _pass_flop(model, backward=False)


def training_flop(model: Any, *, input_gradients: bool = False) -> int:
    """Return the FLOP of one sample's forward and backward pass.

    The gradient is that of a loss of all outputs, with respect to all trainable weights.

    Parameters
    ----------
    input_gradients
        Count the gradient of all inputs too, which the model before this one needs.

    Raises
    ------
    ValueError
        If something in the model cannot be counted, by name.
    """
    return _pass_flop(model, backward=True, input_gradients=input_gradients)


def function_flop(function: Callable[..., Any], *inputs: Any) -> int:
    """Return the FLOP of a function of tensors, such as a whole training step; TensorFlow only.

    Products that no returned value needs are not counted: return the gradients.

    Parameters
    ----------
    function
        Is traced once and not run. What it returns may be nested.
    inputs
        A ``tf.TensorSpec`` of fixed shape, batch included, or a tensor, for each argument.

    Raises
    ------
    ValueError
        If an operation cannot be counted, or a loop's number of turns is not known, by name.
    """
    from workloads.runtime.flops import graph

    return graph.function_flop(function, *inputs)


def flop_metrics(model: Any) -> tuple[Metric, ...]:
    """Return both counts of a sample as metrics."""
    return (
        Metric("forward_flop_per_sample", forward_flop(model), "FLOP"),
        Metric("training_flop_per_sample", training_flop(model), "FLOP"),
    )


def _pass_flop(model: Any, *, backward: bool, input_gradients: bool = False) -> int:
    import keras

    from workloads.runtime.flops import graph, layers

    count = graph.model_flop if keras.backend.backend() == "tensorflow" else layers.model_flop
    return count(model, backward=backward, input_gradients=input_gradients)
