"""RoIAlign: features of a fixed size for each region, read between the places of a pyramid level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.extreme_weather.anchors import STRIDES

BINS = 7
_SAMPLES = 2  # of a bin, in each direction
_CANONICAL_LEVEL = 2
_CANONICAL_SIDES = (
    7  # smallest anchors' sides: a region of 224 pixels belongs to the third level of 32, 64, …
)


def region_levels(regions: Any, smallest: int, levels: int) -> Any:
    """Return the pyramid level, from 0, of each region: one more for each doubling of its side.

    Parameters
    ----------
    regions
        … × 4.
    smallest
        Side of the smallest anchor; 32 gives the rule of the pyramid's authors, in which a region of
        224 × 224 pixels belongs to the level of stride 16.
    """
    import tensorflow as tf

    sides = tf.maximum(regions[..., 2:] - regions[..., :2], 1e-3)
    side = tf.sqrt(sides[..., 0] * sides[..., 1])
    level = tf.floor(
        _CANONICAL_LEVEL + tf.math.log(side / (_CANONICAL_SIDES * smallest) + 1e-8) / tf.math.log(2.0)
    )
    return _whole(level, levels - 1)


def roi_align(features: Sequence[Any], regions: Any, smallest: int) -> Any:
    """Return features of each region, images × regions × 7 × 7 × channels.

    A bin is the mean of 2 × 2 points, spread evenly over it, each interpolated bilinearly between the four
    nearest places; a place stands for the middle of its pixels, and points beyond the outermost places take
    their values. All points of all regions are read by one gather.

    Parameters
    ----------
    features
        Pyramid levels from the finest, images × height × width × channels.
    regions
        Images × regions × 4, in pixels of the image.
    smallest
        See `region_levels`.
    """
    import tensorflow as tf

    shapes = [tuple(level.shape[1:3]) for level in features]
    sizes = [height * width for height, width in shapes]
    channels, total = features[0].shape[-1], sum(sizes)
    table = tf.concat(
        [tf.reshape(level, (-1, size, channels)) for level, size in zip(features, sizes, strict=True)], 1
    )
    images, count = tf.shape(regions)[0], regions.shape[1]
    level = region_levels(regions, smallest, len(features))
    stride = tf.gather(tf.constant(STRIDES[: len(features)], tf.float32), level)[..., None]
    height, width = (tf.gather(tf.constant(side), level)[..., None] for side in zip(*shapes, strict=True))
    first = tf.gather(tf.constant([sum(sizes[:number]) for number in range(len(sizes))]), level)
    first += tf.range(images)[:, None] * total
    rows, row_weights = _points(regions[..., 0:1], regions[..., 2:3], stride, height)
    columns, column_weights = _points(regions[..., 1:2], regions[..., 3:4], stride, width)
    places = first[..., None, None] + rows[..., :, None] * width[..., None] + columns[..., None, :]
    values = tf.gather(tf.reshape(table, (-1, channels)), places)
    weights = tf.cast(row_weights[..., :, None] * column_weights[..., None, :], values.dtype)
    each = 2 * _SAMPLES
    values = tf.reshape(values * weights[..., None], (images, count, BINS, each, BINS, each, channels))
    return tf.reduce_sum(values, (3, 5))


def _whole(values: Any, most: Any) -> Any:
    """Return whole numbers from 0 to `most`, also of NaN: a training that diverges ends by its loss."""
    import tensorflow as tf

    return tf.clip_by_value(tf.cast(values, tf.int32), 0, most)


def _points(low: Any, high: Any, stride: Any, places: Any) -> tuple[Any, Any]:
    """Return the places on both sides of the points of one direction, and their weights in the bin's mean."""
    import tensorflow as tf

    count = BINS * _SAMPLES
    share = (tf.range(count, dtype=tf.float32) + 0.5) / count
    point = (low + share * (high - low)) / stride - 0.5
    point = tf.clip_by_value(point, 0.0, tf.cast(places - 1, tf.float32))
    before = tf.floor(point)
    after = point - before
    index = _whole(before, places - 1)
    both = tf.stack([index, tf.minimum(index + 1, places - 1)], -1)
    weights = tf.stack([1 - after, after], -1) / _SAMPLES
    shape = (tf.shape(low)[0], low.shape[1], 2 * count)
    return tf.reshape(both, shape), tf.reshape(weights, shape)
