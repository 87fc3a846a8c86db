"""ResNet-44 for images of 32 × 32 pixels: three stages of seven blocks of two convolutions."""

from __future__ import annotations

from typing import Any

from workloads.cifar10.layout import CLASSES, COLOURS, EDGE

WIDTHS = (16, 32, 64)
BLOCKS = 7
_DENSE_DEVIATION = 0.01
_BATCH_NORM_MOMENTUM = 0.9
_BATCH_NORM_EPSILON = 1e-5


def build(*, width_divisor: int = 1, depth_divisor: int = 1) -> Any:
    """Return the Keras model, from normalised images to logits in float32.

    Convolutions have no bias; their weights are drawn from a normal distribution of variance
    2 ÷ (k² × filters). The last batch normalisation of a block begins with γ = 0, so that a block begins as
    its shortcut. A shortcut is a 1 × 1 convolution with batch normalisation where the width changes.

    Parameters
    ----------
    width_divisor, depth_divisor
        Divide all filters, and the blocks of every stage, rounded down, to 1 at least.
    """
    import keras
    from keras import layers

    def normalised(tensor: Any, filters: int, size: int, stride: int = 1, gamma: str = "ones") -> Any:
        if stride > 1 and size > 1:
            tensor = layers.ZeroPadding2D(size // 2)(tensor)
        deviation = (2 / (size**2 * filters)) ** 0.5
        tensor = layers.Conv2D(
            filters,
            size,
            strides=stride,
            padding="valid" if stride > 1 else "same",
            use_bias=False,
            kernel_initializer=keras.initializers.RandomNormal(0.0, deviation),
            data_format="channels_last",
        )(tensor)
        return layers.BatchNormalization(
            momentum=_BATCH_NORM_MOMENTUM, epsilon=_BATCH_NORM_EPSILON, gamma_initializer=gamma
        )(tensor)

    widths = [max(1, width // width_divisor) for width in WIDTHS]
    image = keras.Input((EDGE, EDGE, COLOURS))
    tensor = layers.ReLU()(normalised(image, widths[0], 3))
    for stage, width in enumerate(widths):
        for number in range(max(1, BLOCKS // depth_divisor)):
            stride = 2 if stage and not number else 1
            shortcut = normalised(tensor, width, 1, stride) if stride > 1 else tensor
            inside = layers.ReLU()(normalised(tensor, width, 3, stride))
            inside = normalised(inside, width, 3, gamma="zeros")
            tensor = layers.ReLU()(layers.Add()([shortcut, inside]))
    tensor = layers.GlobalAveragePooling2D(data_format="channels_last")(tensor)
    logits = layers.Dense(
        CLASSES,
        kernel_initializer=keras.initializers.RandomNormal(0.0, _DENSE_DEVIATION),
        dtype="float32",
    )(tensor)
    return keras.Model(image, logits, name="resnet44")
