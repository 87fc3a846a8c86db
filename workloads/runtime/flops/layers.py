"""Count the products of a Keras model from its layers, on frameworks that keep no graph."""

from __future__ import annotations

import math
import re
from typing import Any

_NO_PRODUCTS = re.compile(
    r"Activation|ReLU|LeakyReLU|PReLU|ELU|Softmax|Identity|\w*Dropout\w*|Gaussian\w*|Masking"
    r"|\w*Pooling\dD|UpSampling\dD|ZeroPadding\dD|Cropping\dD|Rescaling|\w*Normalization|Embedding"
    r"|Flatten|Reshape|Permute|RepeatVector|Add|Subtract|Multiply|Average|Maximum|Minimum|Concatenate"
)
"""Names of Keras' layers that multiply element by element, or not at all."""


def model_flop(model: Any, *, backward: bool, input_gradients: bool = False) -> int:
    """Return the FLOP of one sample's pass through a functional or sequential model of known layers.

    Parameters
    ----------
    backward, input_gradients
        Count gradients too: of trained weights, and of the inputs.

    Raises
    ------
    ValueError
        If it is no such model, or a layer is not known.
    """
    return _pass(model, [input_gradients] * len(model.inputs), backward)[0]


def _pass(model: Any, trained: list[bool], backward: bool) -> tuple[int, list[bool]]:
    """Return the FLOP of every application of a layer, and whether each output depends on trained weights.

    Parameters
    ----------
    model
        Of one sample or more.
    trained
        Whether each input depends on trained weights.
    backward
        Count gradients too.
    """
    functional = getattr(model, "_functional", None) or model
    if not hasattr(functional, "_nodes_by_depth"):
        raise ValueError(f"FLOP of {model.name}: the model is not functional; count it with TensorFlow")
    depends = {id(tensor): one for tensor, one in zip(functional.inputs, trained, strict=True)}
    total = 0
    for _, nodes in sorted(functional._nodes_by_depth.items(), reverse=True):
        for node in (one for one in nodes if not one.is_input):
            layer, inputs = node.operation, [depends[id(one)] for one in node.arguments.keras_tensors]
            if hasattr(layer, "layers"):
                flop, found = _pass(layer, inputs, backward)
            else:
                weights = bool(getattr(layer, "trainable_variables", ()))
                flop = _application(layer, node.outputs[0].shape) * (1 + backward * (weights + any(inputs)))
                found = [weights or any(inputs)] * len(node.outputs)
            total += flop
            depends |= {id(tensor): one for tensor, one in zip(node.outputs, found, strict=True)}
    return total, [depends[id(tensor)] for tensor in functional.outputs]


def _application(layer: Any, shape: tuple[int | None, ...]) -> int:
    """Return the FLOP of one forward application of a layer to one sample, from the shape of its output."""
    kind = type(layer).__name__
    if kind in ("Conv1D", "Conv2D", "Conv3D"):
        return 2 * _places(layer, shape[1:]) * int(math.prod(layer.kernel.shape[:-1]))
    if kind == "Dense":
        return 2 * _places(layer, shape[1:]) * int(layer.kernel.shape[0])
    if not _NO_PRODUCTS.fullmatch(kind):
        raise ValueError(f"FLOP of layer {layer.name}: {kind} is not known; count it with TensorFlow")
    return 0


def _places(layer: Any, shape: tuple[int | None, ...]) -> int:
    if None in shape:
        raise ValueError(f"FLOP of layer {layer.name}: the shape {shape} is not fixed; give fixed inputs")
    return math.prod(one or 0 for one in shape)
