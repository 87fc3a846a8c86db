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
    from keras import ops

    sides = ops.maximum(regions[..., 2:] - regions[..., :2], 1e-3)
    side = ops.sqrt(sides[..., 0] * sides[..., 1])
    level = ops.floor(_CANONICAL_LEVEL + ops.log(side / (_CANONICAL_SIDES * smallest) + 1e-8) / ops.log(2.0))
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
    from keras import ops

    shapes = [tuple(level.shape[1:3]) for level in features]
    sizes = [height * width for height, width in shapes]
    channels, total = features[0].shape[-1], sum(sizes)
    table = ops.concatenate(
        [ops.reshape(level, (-1, size, channels)) for level, size in zip(features, sizes, strict=True)], 1
    )
    images, count = regions.shape[0], regions.shape[1]
    level = region_levels(regions, smallest, len(features))
    stride = ops.take(ops.convert_to_tensor(STRIDES[: len(features)], "float32"), level)[..., None]
    height, width = (
        ops.take(ops.convert_to_tensor(side, "int32"), level)[..., None] for side in zip(*shapes, strict=True)
    )
    first = ops.take(
        ops.convert_to_tensor([sum(sizes[:number]) for number in range(len(sizes))], "int32"), level
    )
    first += ops.arange(images, dtype="int32")[:, None] * total
    rows, row_weights = _points(regions[..., 0:1], regions[..., 2:3], stride, height)
    columns, column_weights = _points(regions[..., 1:2], regions[..., 3:4], stride, width)
    places = first[..., None, None] + rows[..., :, None] * width[..., None] + columns[..., None, :]
    values = ops.take(ops.reshape(table, (-1, channels)), places, axis=0)
    weights = ops.cast(row_weights[..., :, None] * column_weights[..., None, :], values.dtype)
    each = 2 * _SAMPLES
    values = ops.reshape(values * weights[..., None], (images, count, BINS, each, BINS, each, channels))
    return ops.sum(values, (3, 5))


def _whole(values: Any, most: Any) -> Any:
    """Return whole numbers from 0 to `most`, also of NaN: a training that diverges ends by its loss."""
    from keras import ops

    return ops.maximum(ops.minimum(ops.cast(values, "int32"), most), 0)


def _points(low: Any, high: Any, stride: Any, places: Any) -> tuple[Any, Any]:
    """Return the places on both sides of the points of one direction, and their weights in the bin's mean."""
    from keras import ops

    count = BINS * _SAMPLES
    share = (ops.arange(count, dtype="float32") + 0.5) / count
    point = (low + share * (high - low)) / stride - 0.5
    point = ops.maximum(ops.minimum(point, ops.cast(places - 1, "float32")), 0.0)
    before = ops.floor(point)
    after = point - before
    index = _whole(before, places - 1)
    both = ops.stack([index, ops.minimum(index + 1, places - 1)], -1)
    weights = ops.stack([1 - after, after], -1) / _SAMPLES
    shape = (low.shape[0], low.shape[1], 2 * count)
    return ops.reshape(both, shape), ops.reshape(weights, shape)
