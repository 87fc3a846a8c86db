"""ResNet-50, version 1: the network as a list of stages, and how it is built.

Written from the published description of Keras' ResNet50 as the Horovod recipe changes it: the
first 1×1 convolution of a stage and its shortcut have the stage's stride, convolutions have biases,
kernels of convolutions and of the classifier are under an L2 penalty, and batch normalisation has
momentum 0.9 and epsilon 1e-5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BATCH_NORM_MOMENTUM = 0.9
BATCH_NORM_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Stage:
    """Bottleneck blocks of one shape.

    Parameters
    ----------
    blocks
        How many; the first one changes the shape, so its shortcut is a convolution.
    narrow, wide
        Filters inside the bottleneck, and at its end.
    stride
        Of the first block.
    """

    blocks: int
    narrow: int
    wide: int
    stride: int


STEM_FILTERS = 64
STAGES = (
    Stage(3, 64, 256, 1),
    Stage(4, 128, 512, 2),
    Stage(6, 256, 1024, 2),
    Stage(3, 512, 2048, 2),
)


def build(
    classes: int, image_size: int, *, weight_decay: float, width_divisor: int = 1, depth_divisor: int = 1
) -> Any:
    """Return the Keras model, from square images to the logits of the classes in float32.

    Parameters
    ----------
    classes
        Units of the classifier.
    image_size
        Height and width of the images.
    weight_decay
        Factor of the sum of squares of every kernel in the loss.
    width_divisor, depth_divisor
        Divide all filters, and the blocks of every stage, rounded down, to 1 at least.
    """
    import keras

    layers = _Layers(keras, weight_decay, width_divisor)
    image = keras.Input((image_size, image_size, 3))
    tensor = keras.layers.ZeroPadding2D(3)(image)
    tensor = layers.relu(layers.normalised(tensor, STEM_FILTERS, 7, stride=2, padding="valid"))
    tensor = keras.layers.ZeroPadding2D(1)(tensor)
    tensor = keras.layers.MaxPooling2D(3, strides=2)(tensor)
    for stage in STAGES:
        tensor = layers.block(tensor, stage, changes_shape=True)
        for _ in range(1, stage.blocks // depth_divisor):
            tensor = layers.block(tensor, stage, changes_shape=False)
    tensor = keras.layers.GlobalAveragePooling2D()(tensor)
    logits = keras.layers.Dense(classes, kernel_regularizer=layers.penalty())(tensor)
    return keras.Model(image, keras.layers.Activation("linear", dtype="float32")(logits))


class _Layers:
    def __init__(self, keras: Any, weight_decay: float, width_divisor: int) -> None:
        self._keras = keras
        self._weight_decay = weight_decay
        self._width_divisor = width_divisor

    def penalty(self) -> Any:
        return self._keras.regularizers.L2(self._weight_decay)

    def relu(self, tensor: Any) -> Any:
        return self._keras.layers.Activation("relu")(tensor)

    def normalised(
        self, tensor: Any, filters: int, size: int, *, stride: int = 1, padding: str = "same"
    ) -> Any:
        """Return a convolution with batch normalisation after it."""
        convolution = self._keras.layers.Conv2D(
            max(1, filters // self._width_divisor),
            size,
            strides=stride,
            padding=padding,
            data_format="channels_last",
            kernel_regularizer=self.penalty(),
        )
        normalisation = self._keras.layers.BatchNormalization(
            momentum=BATCH_NORM_MOMENTUM, epsilon=BATCH_NORM_EPSILON
        )
        return normalisation(convolution(tensor))

    def block(self, tensor: Any, stage: Stage, *, changes_shape: bool) -> Any:
        """Return a bottleneck of 1×1, 3×3 and 1×1 convolutions, added to what comes in."""
        stride = stage.stride if changes_shape else 1
        shortcut = self.normalised(tensor, stage.wide, 1, stride=stride) if changes_shape else tensor
        inside = self.relu(self.normalised(tensor, stage.narrow, 1, stride=stride))
        inside = self.relu(self.normalised(inside, stage.narrow, 3))
        inside = self.normalised(inside, stage.wide, 1)
        return self.relu(self._keras.layers.Add()([shortcut, inside]))
