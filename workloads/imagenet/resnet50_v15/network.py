"""ResNet-50, version 1.5, as HPC AI500 V2.0 has it.

It differs from version 1: the 3×3 convolution of a stage's first block has the stage's stride, convolutions
have no bias, and what is strided is padded by hand, (k − 1) // 2 before and the rest after.
"""

from __future__ import annotations

from typing import Any

from workloads.imagenet.resnet50.network import BATCH_NORM_EPSILON, BATCH_NORM_MOMENTUM, STAGES, STEM_FILTERS

UNUSED_OUTPUTS = 1
"""The classifier has 1001 outputs for labels 0 … 999."""


def build(classes: int, image_size: int, *, width_divisor: int = 1, depth_divisor: int = 1) -> Any:
    """Return the Keras model, from square images to logits in float32, one more than there are classes.

    Parameters
    ----------
    image_size
        Height and width of the images.
    width_divisor, depth_divisor
        Divide all filters, and the blocks of every stage, rounded down, to 1 at least.
    """
    import keras

    def initializer() -> Any:
        return keras.initializers.VarianceScaling(2.0, "fan_out", "truncated_normal")

    def relu(tensor: Any) -> Any:
        return keras.layers.Activation("relu")(tensor)

    def normalised(tensor: Any, filters: int, size: int, stride: int = 1) -> Any:
        """Return a convolution with batch normalisation after it."""
        if stride > 1 and size > 1:
            before = (size - 1) // 2
            edges = (before, size - 1 - before)
            tensor = keras.layers.ZeroPadding2D((edges, edges))(tensor)
        convolution = keras.layers.Conv2D(
            max(1, filters // width_divisor),
            size,
            strides=stride,
            padding="valid" if stride > 1 else "same",
            data_format="channels_last",
            use_bias=False,
            kernel_initializer=initializer(),
        )
        normalisation = keras.layers.BatchNormalization(
            momentum=BATCH_NORM_MOMENTUM, epsilon=BATCH_NORM_EPSILON
        )
        return normalisation(convolution(tensor))

    image = keras.Input((image_size, image_size, 3))
    tensor = relu(normalised(image, STEM_FILTERS, 7, 2))
    tensor = keras.layers.MaxPooling2D(3, strides=2, padding="same")(tensor)
    for stage in STAGES:
        for number in range(max(1, stage.blocks // depth_divisor)):
            stride = 1 if number else stage.stride
            shortcut = tensor if number else normalised(tensor, stage.wide, 1, stride)
            inside = relu(normalised(tensor, stage.narrow, 1))
            inside = relu(normalised(inside, stage.narrow, 3, stride))
            inside = normalised(inside, stage.wide, 1)
            tensor = relu(keras.layers.Add()([shortcut, inside]))
    tensor = keras.layers.GlobalAveragePooling2D()(tensor)
    logits = keras.layers.Dense(classes + UNUSED_OUTPUTS, kernel_initializer=initializer())(tensor)
    return keras.Model(image, keras.layers.Activation("linear", dtype="float32")(logits))
