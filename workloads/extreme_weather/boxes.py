"""Arithmetic of boxes: rows of ymin, xmin, ymax, xmax in pixels, the last dimension of a tensor."""

from __future__ import annotations

import math
from typing import Any

_LARGEST_LOG = math.log(1000 / 16)  # of a decoded size over its anchor's, against overflow


def area(boxes: Any) -> Any:
    """Return height × width, 0 where a maximum is below its minimum."""
    import tensorflow as tf

    sides = tf.maximum(boxes[..., 2:] - boxes[..., :2], 0)
    return sides[..., 0] * sides[..., 1]


def intersection_over_union(one: Any, other: Any) -> Any:
    """Return the overlap of each of N boxes with each of M: … × N × M, 0 where both have no area.

    Parameters
    ----------
    one, other
        … × N × 4 and … × M × 4.
    """
    import tensorflow as tf

    one, other = one[..., :, None, :], other[..., None, :, :]
    begin = tf.maximum(one[..., :2], other[..., :2])
    sides = tf.maximum(tf.minimum(one[..., 2:], other[..., 2:]) - begin, 0)
    shared = sides[..., 0] * sides[..., 1]
    return tf.math.divide_no_nan(shared, area(one) + area(other) - shared)


def encode(boxes: Any, anchors: Any) -> Any:
    """Return boxes as offsets from anchors: of the centre in the anchor's sides, and logarithms of ratios."""
    import tensorflow as tf

    centres, sides = _centres_and_sides(boxes)
    anchor_centres, anchor_sides = _centres_and_sides(anchors)
    anchor_sides = tf.maximum(anchor_sides, 1e-3)  # boxes without area occur only where the loss is masked
    return tf.concat(
        [(centres - anchor_centres) / anchor_sides, tf.math.log(tf.maximum(sides, 1e-3) / anchor_sides)], -1
    )


def decode(offsets: Any, anchors: Any) -> Any:
    """Return the boxes that `encode` made offsets of."""
    import tensorflow as tf

    anchor_centres, anchor_sides = _centres_and_sides(anchors)
    centres = offsets[..., :2] * anchor_sides + anchor_centres
    half = tf.exp(tf.minimum(offsets[..., 2:], _LARGEST_LOG)) * anchor_sides / 2
    return tf.concat([centres - half, centres + half], -1)


def clip(boxes: Any, height: int, width: int) -> Any:
    """Return boxes cut off at the image's border."""
    import tensorflow as tf

    most = tf.constant([height, width, height, width], boxes.dtype)
    return tf.clip_by_value(boxes, tf.zeros_like(most), most)


def _centres_and_sides(boxes: Any) -> tuple[Any, Any]:
    return (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
