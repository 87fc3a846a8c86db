"""Arithmetic of boxes: rows of ymin, xmin, ymax, xmax in pixels, the last dimension of a tensor."""

from __future__ import annotations

import math
from typing import Any

_LARGEST_LOG = math.log(1000 / 16)  # of a decoded size over its anchor's, against overflow


def area(boxes: Any) -> Any:
    """Return height × width, 0 where a maximum is below its minimum."""
    from keras import ops

    sides = ops.maximum(boxes[..., 2:] - boxes[..., :2], 0)
    return sides[..., 0] * sides[..., 1]


def intersection_over_union(one: Any, other: Any) -> Any:
    """Return the overlap of each of N boxes with each of M: … × N × M, 0 where both have no area.

    Parameters
    ----------
    one, other
        … × N × 4 and … × M × 4.
    """
    from keras import ops

    one, other = one[..., :, None, :], other[..., None, :, :]
    begin = ops.maximum(one[..., :2], other[..., :2])
    sides = ops.maximum(ops.minimum(one[..., 2:], other[..., 2:]) - begin, 0)
    shared = sides[..., 0] * sides[..., 1]
    return ops.divide_no_nan(shared, area(one) + area(other) - shared)


def encode(boxes: Any, anchors: Any) -> Any:
    """Return boxes as offsets from anchors: of the centre in the anchor's sides, and logarithms of ratios."""
    from keras import ops

    centres, sides = _centres_and_sides(boxes)
    anchor_centres, anchor_sides = _centres_and_sides(anchors)
    anchor_sides = ops.maximum(anchor_sides, 1e-3)  # boxes without area occur only where the loss is masked
    return ops.concatenate(
        [(centres - anchor_centres) / anchor_sides, ops.log(ops.maximum(sides, 1e-3) / anchor_sides)], -1
    )


def decode(offsets: Any, anchors: Any) -> Any:
    """Return the boxes that `encode` made offsets of."""
    from keras import ops

    anchor_centres, anchor_sides = _centres_and_sides(anchors)
    centres = offsets[..., :2] * anchor_sides + anchor_centres
    half = ops.exp(ops.minimum(offsets[..., 2:], _LARGEST_LOG)) * anchor_sides / 2
    return ops.concatenate([centres - half, centres + half], -1)


def clip(boxes: Any, height: int, width: int) -> Any:
    """Return boxes cut off at the image's border."""
    from keras import ops

    most = ops.convert_to_tensor([height, width, height, width], boxes.dtype)
    return ops.maximum(ops.minimum(boxes, most), ops.zeros_like(most))


def picked(rows: Any, places: Any) -> Any:
    """Return the rows of each list of rows that stand at given places.

    Parameters
    ----------
    rows
        … × N, or … × N × width.
    places
        … × M, from 0 to N - 1.
    """
    from keras import ops

    shape, (*outer, _) = tuple(rows.shape), tuple(places.shape)
    lists, count = math.prod(outer), shape[len(outer)]
    begins = ops.reshape(ops.arange(lists, dtype="int32") * count, (*outer, 1))
    table = ops.reshape(rows, (lists * count, *shape[len(outer) + 1 :]))
    return ops.take(table, ops.cast(places, "int32") + begins, axis=0)


def _centres_and_sides(boxes: Any) -> tuple[Any, Any]:
    return (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
