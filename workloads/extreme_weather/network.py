"""Faster R-CNN: ResNet-50 with a feature pyramid, the region proposal network, and the detection head.

HPC AI500 states Faster R-CNN with 41 million gradients; its program is not public. This network is our
inference from that number: ResNet-50 with stride in the 3×3 convolutions, a pyramid of 256 channels, and a
head of two dense layers of 1024 have 41 408 424 trainable parameters with 16 input channels and 4 classes.

Nothing is frozen, because training starts from random weights. Normalisation is our choice as well: group
normalisation by default, with 32 groups, because the suite's batch is one image per GPU, whose statistics
differ from the moving ones that batch normalisation scores with. Both have the same number of parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from workloads.extreme_weather.anchors import RATIOS
from workloads.extreme_weather.roi_align import BINS
from workloads.imagenet.resnet50.network import BATCH_NORM_EPSILON, BATCH_NORM_MOMENTUM, STAGES, STEM_FILTERS

GROUP, BATCH = "group", "batch"
PYRAMID_FILTERS = 256
HEAD_UNITS = 1024
_GROUPS = 32


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of the network.

    Parameters
    ----------
    classes
        Kinds of storms, without the background.
    normalisation
        ``group`` or ``batch``.
    width_divisor, depth_divisor
        Divide all filters and units, and the blocks of every stage, rounded down, to 1 at least.
    """

    height: int
    width: int
    channels: int
    classes: int
    normalisation: str = GROUP
    width_divisor: int = 1
    depth_divisor: int = 1

    def divided(self, filters: int) -> int:
        """Return filters divided by the width divisor."""
        return max(1, filters // self.width_divisor)


def build_proposer(architecture: Architecture) -> Any:
    """Return the Keras model from images (channels last) to pyramid levels, objectness and offsets.

    Its outputs are a list of fifteen: the five levels from the finest, the objectness of each, images ×
    anchors, and the offsets of each, images × anchors × 4, in float32.
    """
    import keras

    image = keras.Input((architecture.height, architecture.width, architecture.channels))
    levels = _pyramid(_backbone(image, architecture), architecture.divided(PYRAMID_FILTERS))
    filters = levels[0].shape[-1]

    def convolution(outputs: int, size: int, name: str) -> Any:
        start = keras.initializers.RandomNormal(stddev=0.01)
        return keras.layers.Conv2D(outputs, size, padding="same", kernel_initializer=start, name=name)

    shared = convolution(filters, 3, "proposal_convolution")
    score = convolution(len(RATIOS), 1, "proposal_objectness")
    move = convolution(4 * len(RATIOS), 1, "proposal_offsets")
    objectness, offsets = [], []
    for level in levels:
        inside = keras.layers.Activation("relu")(shared(level))
        objectness.append(_float32(keras.layers.Reshape((-1,))(score(inside))))
        offsets.append(_float32(keras.layers.Reshape((-1, 4))(move(inside))))
    return keras.Model(image, [*levels, *objectness, *offsets])


def build_head(architecture: Architecture) -> Any:
    """Return the Keras model from one region's features to logits and offsets of all classes, in float32."""
    import keras

    features = keras.Input((BINS, BINS, architecture.divided(PYRAMID_FILTERS)))
    tensor = keras.layers.Flatten()(features)
    for _ in range(2):
        tensor = keras.layers.Dense(
            architecture.divided(HEAD_UNITS), activation="relu", kernel_initializer="he_normal"
        )(tensor)
    outputs = architecture.classes + 1
    normal = keras.initializers.RandomNormal
    logits = keras.layers.Dense(outputs, kernel_initializer=normal(stddev=0.01), name="classes")(tensor)
    offsets = keras.layers.Dense(4 * outputs, kernel_initializer=normal(stddev=0.001), name="offsets")(tensor)
    offsets = keras.layers.Reshape((outputs, 4))(offsets)
    return keras.Model(features, [_float32(logits), _float32(offsets)])


def _backbone(image: Any, architecture: Architecture) -> list[Any]:
    """Return the last outputs of the four stages of ResNet-50."""
    import keras

    tensor = _normalised(image, architecture.divided(STEM_FILTERS), 7, architecture, stride=2)
    tensor = keras.layers.Activation("relu")(tensor)
    tensor = keras.layers.MaxPooling2D(3, strides=2, padding="same")(tensor)
    found = []
    for stage in STAGES:
        for number in range(max(1, stage.blocks // architecture.depth_divisor)):
            stride = stage.stride if number == 0 else 1
            narrow, wide = architecture.divided(stage.narrow), architecture.divided(stage.wide)
            shortcut = _normalised(tensor, wide, 1, architecture, stride=stride) if number == 0 else tensor
            inside = keras.layers.Activation("relu")(_normalised(tensor, narrow, 1, architecture))
            inside = keras.layers.Activation("relu")(
                _normalised(inside, narrow, 3, architecture, stride=stride)
            )
            inside = _normalised(inside, wide, 1, architecture)
            tensor = keras.layers.Activation("relu")(keras.layers.Add()([shortcut, inside]))
        found.append(tensor)
    return found


def _pyramid(stages: list[Any], filters: int) -> list[Any]:
    """Return five levels: the stages with coarser ones added, and every other place of the coarsest."""
    import keras

    start = keras.initializers.VarianceScaling(1.0)
    merged: Any = None
    levels: list[Any] = []
    for stage in reversed(stages):
        lateral = keras.layers.Conv2D(filters, 1, kernel_initializer=start)(stage)
        if merged is not None:
            larger = keras.layers.UpSampling2D(2)(merged)
            beyond = [
                (0, many - few) for many, few in zip(larger.shape[1:3], lateral.shape[1:3], strict=True)
            ]
            if any(cut for _, cut in beyond):  # an odd number of places was halved and rounded up
                larger = keras.layers.Cropping2D(tuple(beyond))(larger)
            lateral = keras.layers.Add()([lateral, larger])
        merged = lateral
        levels.insert(0, keras.layers.Conv2D(filters, 3, padding="same", kernel_initializer=start)(merged))
    return [*levels, keras.layers.MaxPooling2D(1, strides=2, padding="same")(levels[-1])]


def _normalised(tensor: Any, filters: int, size: int, architecture: Architecture, stride: int = 1) -> Any:
    """Return a convolution without bias, and its normalisation."""
    import keras

    convolution = keras.layers.Conv2D(
        filters, size, strides=stride, padding="same", use_bias=False, kernel_initializer="he_normal"
    )
    tensor = convolution(tensor)
    if architecture.normalisation == BATCH:
        return keras.layers.BatchNormalization(momentum=BATCH_NORM_MOMENTUM, epsilon=BATCH_NORM_EPSILON)(
            tensor
        )
    groups = math.gcd(max(1, _GROUPS // architecture.width_divisor), filters)
    return keras.layers.GroupNormalization(groups, epsilon=BATCH_NORM_EPSILON)(tensor)


def _float32(tensor: Any) -> Any:
    import keras

    return keras.layers.Activation("linear", dtype="float32")(tensor)
