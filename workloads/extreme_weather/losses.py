"""Losses of the region proposal network and of the detection head.

Both are means over the images of a batch; an image without storms has no loss of boxes.
"""

from __future__ import annotations

from typing import Any

from workloads.extreme_weather.boxes import encode
from workloads.extreme_weather.sampling import Sample, Truth

BOX_WEIGHTS = (10.0, 10.0, 5.0, 5.0)
_ANCHOR_BETA = 1 / 9  # width of the quadratic part


def proposal_losses(
    objectness: Any, offsets: Any, anchors: Any, sample: Sample, storms: Truth
) -> tuple[Any, Any]:
    """Return the losses of objectness and of boxes.

    Parameters
    ----------
    objectness, offsets
        Of all anchors: images × anchors, images × anchors × 4.
    anchors
        Anchors × 4.
    """
    import tensorflow as tf

    scores = tf.gather(objectness, sample.places, batch_dims=1)
    moved = tf.gather(offsets, sample.places, batch_dims=1)
    wanted = encode(tf.gather(storms.boxes, sample.matched, batch_dims=1), tf.gather(anchors, sample.places))
    labels = tf.cast(sample.positive, tf.float32)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=scores)
    return (
        _mean_over(entropy, sample.chosen, sample.chosen),
        _mean_over(_huber(moved - wanted, _ANCHOR_BETA), sample.positive, sample.chosen),
    )


def head_losses(logits: Any, offsets: Any, regions: Any, sample: Sample, storms: Truth) -> tuple[Any, Any]:
    """Return the losses of classes and of boxes.

    Parameters
    ----------
    logits, offsets
        Of the sampled regions: images × regions × (classes + 1), the first for the background, and
        images × regions × (classes + 1) × 4.
    regions
        The sampled regions, images × regions × 4.
    sample
        Which of them count.
    """
    import tensorflow as tf

    classes = tf.gather(storms.classes, sample.matched, batch_dims=1)
    labels = tf.where(sample.positive, classes + 1, 0)
    wanted = encode(tf.gather(storms.boxes, sample.matched, batch_dims=1), regions) * tf.constant(BOX_WEIGHTS)
    moved = tf.gather(offsets, labels, batch_dims=2)
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return (
        _mean_over(entropy, sample.chosen, sample.chosen),
        _mean_over(_huber(moved - wanted, 1.0), sample.positive, sample.chosen),
    )


def _mean_over(values: Any, counted: Any, among: Any) -> Any:
    """Return each image's sum of the counted values over its number of places `among`, mean over images."""
    import tensorflow as tf

    total = tf.reduce_sum(tf.where(counted, values, 0.0), -1)
    return tf.reduce_mean(total / tf.maximum(tf.reduce_sum(tf.cast(among, tf.float32), -1), 1))


def _huber(difference: Any, beta: float) -> Any:
    """Return the smooth absolute difference, summed over the four numbers of a box."""
    import tensorflow as tf

    size = tf.abs(difference)
    return tf.reduce_sum(tf.where(size < beta, 0.5 * size**2 / beta, size - 0.5 * beta), -1)
