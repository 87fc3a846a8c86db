"""soumith/convnet-benchmarks commit b458aab, tensorflow/: seconds per batch, forward and backward.

Changes: TensorFlow's interface of version 1 by ``tensorflow.compat.v1``; NHWC, the layout that TensorFlow
trains on processors; the sparse form of the same loss; size of images and divisor of widths are settings. A
step runs the operation of each gradient, where the programs run ``tf.group`` of them: today's TensorFlow
drops from a graph what only a group depends on, and such a step does nothing. The mean is over all timed
steps, where three of the four programs add up one too few.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

CLASSES = 1000


class Layers:
    """Layers as the programs make them, each with its kernel and biases in `parameters`."""

    def __init__(self, divisor: int) -> None:
        self.parameters: list[Any] = []
        self._divisor = divisor

    def convolution(
        self, tensor: Any, filters: int, size: int, stride: int = 1, padding: str = "SAME"
    ) -> Any:
        """Return a convolution with biases, rectified."""
        import tensorflow.compat.v1 as tf

        filters = max(1, filters // self._divisor)
        kernel, biases = self._parameters([size, size, tensor.shape[-1], filters])
        found = tf.nn.conv2d(tensor, kernel, [1, stride, stride, 1], padding=padding)
        return tf.nn.relu(tf.nn.bias_add(found, biases))

    def dense(self, tensor: Any, units: int) -> Any:
        """Return a dense layer, rectified."""
        import tensorflow.compat.v1 as tf

        if len(tensor.shape) > 2:
            tensor = tf.reshape(tensor, [tensor.shape[0], -1])
        units = units if units == CLASSES else max(1, units // self._divisor)
        kernel, biases = self._parameters([tensor.shape[1], units])
        return tf.nn.relu_layer(tensor, kernel, biases)

    def pool(self, tensor: Any, size: int, stride: int, padding: str = "VALID") -> Any:
        """Return the largest values."""
        import tensorflow.compat.v1 as tf

        return tf.nn.max_pool(tensor, [1, size, size, 1], [1, stride, stride, 1], padding)

    def inception(self, tensor: Any, *filters: int) -> Any:
        """Return the four branches of a block of GoogLeNet, joined."""
        import tensorflow.compat.v1 as tf

        one, three_reduce, three, five_reduce, five, projection = filters
        branches = [
            self.convolution(tensor, one, 1),
            self.convolution(self.convolution(tensor, three_reduce, 1), three, 3),
            self.convolution(self.convolution(tensor, five_reduce, 1), five, 5),
            self.convolution(self.pool(tensor, 3, 1, "SAME"), projection, 1),
        ]
        return tf.concat(branches, 3)

    def _parameters(self, shape: list[Any]) -> tuple[Any, Any]:
        import tensorflow.compat.v1 as tf

        kernel = tf.Variable(tf.truncated_normal(shape, stddev=0.1))
        biases = tf.Variable(tf.zeros([shape[-1]]))
        self.parameters += [kernel, biases]
        return kernel, biases


def alexnet(images: Any, layers: Layers) -> Any:
    """Return the logits of AlexNet."""
    tensor = layers.pool(layers.convolution(images, 64, 11, 4, "VALID"), 3, 2)
    tensor = layers.pool(layers.convolution(tensor, 192, 5), 3, 2)
    for filters in (384, 256, 256):
        tensor = layers.convolution(tensor, filters, 3)
    tensor = layers.pool(tensor, 3, 2)
    return layers.dense(layers.dense(layers.dense(tensor, 4096), 4096), CLASSES)


def overfeat(images: Any, layers: Layers) -> Any:
    """Return the logits of OverFeat."""
    tensor = layers.pool(layers.convolution(images, 96, 11, 4, "VALID"), 2, 2)
    tensor = layers.pool(layers.convolution(tensor, 256, 5, 1, "VALID"), 2, 2)
    for filters in (512, 1024, 1024):
        tensor = layers.convolution(tensor, filters, 3)
    tensor = layers.pool(tensor, 2, 2)
    return layers.dense(layers.dense(layers.dense(tensor, 3072), 4096), CLASSES)


def vgg(images: Any, layers: Layers) -> Any:
    """Return the logits of VGG-A."""
    tensor = images
    for stage in ((64,), (128,), (256, 256), (512, 512), (512, 512)):
        for filters in stage:
            tensor = layers.convolution(tensor, filters, 3)
        tensor = layers.pool(tensor, 2, 2)
    return layers.dense(layers.dense(layers.dense(tensor, 4096), 4096), CLASSES)


def googlenet(images: Any, layers: Layers) -> Any:
    """Return the logits of GoogLeNet."""
    import tensorflow.compat.v1 as tf

    tensor = layers.pool(layers.convolution(images, 64, 7, 2), 3, 2, "SAME")
    tensor = layers.convolution(layers.convolution(tensor, 64, 1), 192, 3)
    tensor = layers.pool(tensor, 3, 2, "SAME")
    for blocks in _STAGES:
        for filters in blocks:
            tensor = layers.inception(tensor, *filters)
        if blocks is not _STAGES[-1]:
            tensor = layers.pool(tensor, 3, 2, "SAME")
    return layers.dense(tf.nn.avg_pool(tensor, [1, 7, 7, 1], [1, 1, 1, 1], "VALID"), CLASSES)


_STAGES = (
    ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
    (
        (192, 96, 208, 16, 48, 64),
        (160, 112, 224, 24, 64, 64),
        (128, 128, 256, 24, 64, 64),
        (112, 144, 288, 32, 64, 64),
        (256, 160, 320, 32, 128, 128),
    ),
    ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
)
NETWORKS: Mapping[str, Callable[[Any, Layers], Any]] = {
    "alexnet": alexnet, "googlenet": googlenet, "overfeat": overfeat, "vgg": vgg,
}  # fmt: skip


def run(_data: Path | None, settings: Mapping[str, Any]) -> tuple[float, None]:
    """Return the mean seconds of the timed steps of a network, forward and backward."""
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    batch, edge = settings["batch_size"], settings["image_size"]
    ones = settings["network"] == "vgg"
    shape = [batch, edge, edge, 3]
    images = tf.Variable(tf.ones(shape) if ones else tf.random_normal(shape, stddev=0.1))
    labels = tf.Variable(tf.ones([batch], dtype=tf.int32))
    layers = Layers(settings["width_divisor"])
    logits = NETWORKS[settings["network"]](images, layers)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    gradients = tf.gradients(loss, layers.parameters)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        _mean_seconds(session, [logits], settings)
        return _mean_seconds(session, gradients, settings), None


def _mean_seconds(session: Any, target: list[Any], settings: Mapping[str, Any]) -> float:
    """Return the mean seconds of the steps after the untimed ones."""
    total, operations = 0.0, [tensor.op for tensor in target]
    for number in range(settings["burn_in"] + settings["steps"]):
        begin = time.monotonic()
        session.run(operations)
        if number >= settings["burn_in"]:
            total += time.monotonic() - begin
    return total / settings["steps"]
