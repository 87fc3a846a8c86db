"""Non-maximum suppression, and the regions that the region proposal network proposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.extreme_weather.boxes import area, clip, decode, intersection_over_union, picked

PROPOSAL_IOU = 0.7
NO_BOX = -1e9
"""Score of a place in a list of boxes that holds none."""


def suppress(boxes: Any, valid: Any, threshold: float) -> Any:
    """Tell which boxes greedy non-maximum suppression keeps, for many lists at once.

    The kept boxes are the only set in which a box is kept exactly if no kept box before it overlaps it. The
    iteration settles at least one more box each time, and nearly always all within a few.

    Parameters
    ----------
    boxes
        … × N × 4, from the highest score to the lowest.
    valid
        … × N; others are dropped and suppress nothing.
    threshold
        A box is dropped where its overlap with a kept one is above this.
    """
    from keras import ops

    count = boxes.shape[-2]
    before = ops.triu(ops.ones((count, count), "float32"), 1)  # row before column
    drops = ops.where(intersection_over_union(boxes, boxes) > threshold, before, 0.0)

    def step(kept: Any, _: Any) -> tuple[Any, Any]:
        dropped = ops.matmul(ops.cast(kept, "float32")[..., None, :], drops)[..., 0, :] > 0
        settled = valid & ~dropped
        return settled, ops.any(settled != kept)

    kept, _ = ops.while_loop(lambda _, changed: changed, step, (valid, ops.convert_to_tensor(True)))
    return kept


def propose(
    objectness: Sequence[Any],
    offsets: Sequence[Any],
    anchors: Sequence[Any],
    shape: tuple[int, int],
    most_per_level: int,
    most: int,
) -> tuple[Any, Any]:
    """Return the best regions of a batch, images × `most` × 4, and which of these places hold one.

    The regions with the highest objectness of each level are decoded, cut off at the border, and suppressed
    among themselves; the best of all levels follow.

    Parameters
    ----------
    objectness, offsets, anchors
        Of each level: images × N, images × N × 4, N × 4.
    shape
        Height and width of the image.
    most_per_level, most
        Regions of a level before suppression, and of all levels after it.
    """
    from keras import ops

    found, scores = [], []
    for level_scores, level_offsets, level_anchors in zip(objectness, offsets, anchors, strict=True):
        count = min(most_per_level, level_scores.shape[-1])
        best, places = ops.top_k(level_scores, count)
        moved = decode(picked(level_offsets, places), ops.take(level_anchors, places, axis=0))
        padding = [[0, 0], [0, most_per_level - count]]
        found.append(ops.pad(clip(moved, *shape), [*padding, [0, 0]]))
        scores.append(ops.pad(best, padding, constant_values=NO_BOX))
    boxes, ranked = ops.stack(found, 1), ops.stack(scores, 1)
    kept = suppress(boxes, (ranked > NO_BOX) & (area(boxes) > 0), PROPOSAL_IOU)
    batch, count = boxes.shape[0], len(anchors) * most_per_level
    ranked = ops.reshape(ops.where(kept, ranked, NO_BOX), (batch, count))
    best, places = ops.top_k(ranked, min(most, count))
    return picked(ops.reshape(boxes, (batch, count, 4)), places), best > NO_BOX
