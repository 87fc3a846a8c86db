"""Chooses the anchors and regions from which a training step learns, and their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.extreme_weather.boxes import intersection_over_union, picked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANCHOR_POSITIVE_IOU, ANCHOR_NEGATIVE_IOU = 0.7, 0.3
REGION_POSITIVE_IOU = 0.5
ANCHOR_POSITIVE_SHARE, REGION_POSITIVE_SHARE = 0.5, 0.25


@dataclass(frozen=True, slots=True)
class Truth:
    """The storms of a batch of images, padded to the same number.

    Parameters
    ----------
    boxes
        Images × rows × 4.
    classes
        Images × rows, from 0.
    valid
        Images × rows: which rows hold a storm; none may.
    """

    boxes: Any
    classes: Any
    valid: Any


@dataclass(frozen=True, slots=True)
class Sample:
    """Chosen places in a list of boxes.

    Parameters
    ----------
    places
        Images × N, indices into the list.
    chosen, positive
        Images × N: whether a place counts, and whether it counts as a storm; the others fill up.
    matched
        Images × N: row of the storm with the largest overlap.
    """

    places: Any
    chosen: Any
    positive: Any
    matched: Any


def truth(rows: Any) -> Truth:
    """Return the storms in rows of the data set: ymin, xmin, ymax, xmax, class, all -1 where it is empty."""
    from keras import ops

    valid = ops.any(rows > -1, -1)
    return Truth(rows[..., :4], ops.cast(ops.maximum(rows[..., 4], 0), "int32"), valid)


def draw_keys(seed: NDArray[np.int32], images: int, numbers: Sequence[int]) -> list[Any]:
    """Return random numbers from 0 to below 1, images × N for each N; boxes with the highest are chosen.

    TensorFlow draws its own, so that its trainings are those of earlier versions; NumPy draws the others'.

    Parameters
    ----------
    seed
        Two whole numbers.
    """
    import keras
    import numpy as np

    if keras.backend.backend() != "tensorflow":
        random = np.random.default_rng(seed)
        return [random.random((images, number), np.float32) for number in numbers]
    import tensorflow as tf

    seeds = tf.unstack(tf.random.split(seed, len(numbers)))
    return [
        tf.random.stateless_uniform((images, number), one) for number, one in zip(numbers, seeds, strict=True)
    ]


def sample_anchors(anchors: Any, storms: Truth, number: int, keys: Any) -> Sample:
    """Choose up to `number` anchors of each image, at most half of them positive.

    Positive are those with an overlap of 0.7 or more with a storm, and the best ones of each storm; negative
    those with less than 0.3 with every storm. Without storms all are negative.

    Parameters
    ----------
    anchors
        Anchors × 4.
    keys
        Images × anchors, of `draw_keys`.
    """
    from keras import ops

    overlaps = _overlaps(anchors, storms)
    largest = ops.max(overlaps, -1)
    of_storm = ops.max(overlaps, -2, keepdims=True)
    best = ops.any((overlaps == of_storm) & (of_storm > 0), -1)
    positive = best | (largest >= ANCHOR_POSITIVE_IOU)
    negative = ~positive & (largest < ANCHOR_NEGATIVE_IOU)
    return _sample(positive, negative, overlaps, number, ANCHOR_POSITIVE_SHARE, keys)


def sample_regions(regions: Any, valid: Any, storms: Truth, number: int, keys: Any) -> Sample:
    """Choose up to `number` regions of each image, at most a quarter positive: with an overlap of 0.5.

    Parameters
    ----------
    regions, valid, keys
        Images × regions × 4, which of them count, and numbers of `draw_keys`, both images × regions.
    """
    from keras import ops

    overlaps = _overlaps(regions, storms)
    positive = valid & (ops.max(overlaps, -1) >= REGION_POSITIVE_IOU)
    return _sample(positive, valid & ~positive, overlaps, number, REGION_POSITIVE_SHARE, keys)


def _overlaps(boxes: Any, storms: Truth) -> Any:
    from keras import ops

    return ops.where(storms.valid[:, None, :], intersection_over_union(boxes, storms.boxes), 0.0)


def _sample(positive: Any, negative: Any, overlaps: Any, number: int, share: float, keys: Any) -> Sample:
    """Choose at random: positives up to their share, then negatives."""
    from keras import ops

    number = min(number, positive.shape[-1])
    drawn = ops.where(positive, keys, -1.0)
    least = ops.top_k(drawn, max(1, int(number * share)))[0][..., -1:]
    taken = positive & (drawn >= least)
    order, places = ops.top_k(ops.where(taken, keys + 1, ops.where(negative, keys, -1.0)), number)
    matched = picked(ops.argmax(overlaps, -1), places)
    return Sample(places, order >= 0, picked(taken, places), matched)
