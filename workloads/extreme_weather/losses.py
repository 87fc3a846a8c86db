"""Losses of the region proposal network and of the detection head.

Both are means over the images of a batch; an image without storms has no loss of boxes.
"""

from __future__ import annotations

from typing import Any

from workloads.extreme_weather.boxes import encode, picked
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
    from keras import ops

    scores = picked(objectness, sample.places)
    moved = picked(offsets, sample.places)
    wanted = encode(picked(storms.boxes, sample.matched), ops.take(anchors, sample.places, axis=0))
    labels = ops.cast(sample.positive, "float32")
    entropy = ops.binary_crossentropy(labels, scores, from_logits=True)
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
    from keras import ops

    classes = picked(storms.classes, sample.matched)
    labels = ops.where(sample.positive, classes + 1, 0)
    wanted = encode(picked(storms.boxes, sample.matched), regions) * ops.convert_to_tensor(
        BOX_WEIGHTS, "float32"
    )
    moved = picked(offsets, labels[..., None])[..., 0, :]
    entropy = ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    return (
        _mean_over(entropy, sample.chosen, sample.chosen),
        _mean_over(_huber(moved - wanted, 1.0), sample.positive, sample.chosen),
    )


def _mean_over(values: Any, counted: Any, among: Any) -> Any:
    """Return each image's sum of the counted values over its number of places `among`, mean over images."""
    from keras import ops

    total = ops.sum(ops.where(counted, values, 0.0), -1)
    return ops.mean(total / ops.maximum(ops.sum(ops.cast(among, "float32"), -1), 1))


def _huber(difference: Any, beta: float) -> Any:
    """Return the smooth absolute difference, summed over the four numbers of a box."""
    from keras import ops

    size = ops.abs(difference)
    return ops.sum(ops.where(size < beta, 0.5 * size**2 / beta, size - 0.5 * beta), -1)
