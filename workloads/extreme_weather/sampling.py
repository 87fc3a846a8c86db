"""Chooses the anchors and regions from which a training step learns, and their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.extreme_weather.boxes import intersection_over_union

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
    import tensorflow as tf

    valid = tf.reduce_any(rows > -1, -1)
    return Truth(rows[..., :4], tf.cast(tf.maximum(rows[..., 4], 0), tf.int32), valid)


def sample_anchors(anchors: Any, storms: Truth, number: int, seed: Any) -> Sample:
    """Choose up to `number` anchors of each image, at most half of them positive.

    Positive are those with an overlap of 0.7 or more with a storm, and the best ones of each storm; negative
    those with less than 0.3 with every storm. Without storms all are negative.
    """
    import tensorflow as tf

    overlaps = _overlaps(anchors, storms)
    largest = tf.reduce_max(overlaps, -1)
    of_storm = tf.reduce_max(overlaps, -2, keepdims=True)
    best = tf.reduce_any((overlaps == of_storm) & (of_storm > 0), -1)
    positive = best | (largest >= ANCHOR_POSITIVE_IOU)
    negative = ~positive & (largest < ANCHOR_NEGATIVE_IOU)
    return _sample(positive, negative, overlaps, number, ANCHOR_POSITIVE_SHARE, seed)


def sample_regions(regions: Any, valid: Any, storms: Truth, number: int, seed: Any) -> Sample:
    """Choose up to `number` regions of each image, at most a quarter positive: with an overlap of 0.5."""
    import tensorflow as tf

    overlaps = _overlaps(regions, storms)
    positive = valid & (tf.reduce_max(overlaps, -1) >= REGION_POSITIVE_IOU)
    return _sample(positive, valid & ~positive, overlaps, number, REGION_POSITIVE_SHARE, seed)


def _overlaps(boxes: Any, storms: Truth) -> Any:
    import tensorflow as tf

    return tf.where(storms.valid[:, None, :], intersection_over_union(boxes, storms.boxes), 0.0)


def _sample(positive: Any, negative: Any, overlaps: Any, number: int, share: float, seed: Any) -> Sample:
    """Choose at random: positives up to their share, then negatives."""
    import tensorflow as tf

    number = min(number, positive.shape[-1])
    keys = tf.random.stateless_uniform(tf.shape(positive), seed)
    drawn = tf.where(positive, keys, -1.0)
    least = tf.math.top_k(drawn, max(1, int(number * share))).values[..., -1:]
    taken = positive & (drawn >= least)
    order, places = tf.math.top_k(tf.where(taken, keys + 1, tf.where(negative, keys, -1.0)), number)
    matched = tf.gather(tf.argmax(overlaps, -1, tf.int32), places, batch_dims=1)
    return Sample(places, order >= 0, tf.gather(taken, places, batch_dims=1), matched)
