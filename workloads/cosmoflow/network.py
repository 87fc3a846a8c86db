"""CosmoFlow's network: convolutions with pooling, then three dense layers."""

from __future__ import annotations

from typing import Any

from workloads.cosmoflow.sizes import REDSHIFTS, TARGETS

_FILTERS = 32
_UNITS = (128, 64)
_SLOPE = 0.3
_REACH = 1.2
"""Most that an output may be: the hyperbolic tangent reaches the parameters' bounds, -1 and 1, nowhere."""


def build(edge: int, *, conv_layers: int = 5, width_divisor: int = 1) -> Any:
    """Return the Keras model, from logarithms of counts to parameters in float32.

    Its layers after the input are three models, its `stages`. In training some outputs of each but the last
    are dropped, which is the trainer's to do, so that ranks drop as one process would.

    Parameters
    ----------
    edge
        Cells along each axis of an image.
    conv_layers
        Convolutions, each of twice as many filters as the one before.
    width_divisor
        Divides all filters and units, but those of the output.
    """
    import keras
    from keras import layers

    dense = [max(1, units // width_divisor) for units in _UNITS]
    convolutions: list[Any] = []
    for layer in range(conv_layers):
        filters = max(1, _FILTERS // width_divisor) * 2**layer
        convolutions += [
            layers.Conv3D(filters, 3, padding="same", data_format="channels_last"),
            layers.LeakyReLU(_SLOPE),
            layers.MaxPooling3D(2, data_format="channels_last"),
        ]
    first = [*convolutions, layers.Flatten(), layers.Dense(dense[0]), layers.LeakyReLU(_SLOPE)]
    last = [
        layers.Dense(TARGETS, activation="tanh", dtype="float32"),
        layers.Rescaling(_REACH, dtype="float32"),
    ]
    image = keras.Input((edge, edge, edge, REDSHIFTS))
    stages = [
        keras.Sequential([keras.Input(image.shape[1:]), *first], name="convolutions"),
        keras.Sequential(
            [keras.Input((dense[0],)), layers.Dense(dense[1]), layers.LeakyReLU(_SLOPE)], name="dense"
        ),
        keras.Sequential([keras.Input((dense[1],)), *last], name="output"),
    ]
    tensor = image
    for stage in stages:
        tensor = stage(tensor)
    return keras.Model(image, tensor, name="cosmoflow")


def stages(model: Any) -> list[Any]:
    """Return the parts of a model between which outputs are dropped in training."""
    found: list[Any] = model.layers[1:]
    return found
