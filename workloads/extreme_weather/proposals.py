"""Non-maximum suppression, and the regions that the region proposal network proposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.extreme_weather.boxes import area, clip, decode, intersection_over_union

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
    import tensorflow as tf

    count = boxes.shape[-2]
    before = tf.constant(1.0) - tf.linalg.band_part(tf.ones((count, count)), -1, 0)  # row before column
    drops = tf.where(intersection_over_union(boxes, boxes) > threshold, before, 0.0)

    def step(kept: Any, _: Any) -> tuple[Any, Any]:
        dropped = tf.linalg.matvec(drops, tf.cast(kept, tf.float32), transpose_a=True) > 0
        settled = valid & ~dropped
        return settled, tf.reduce_any(settled != kept)

    kept, _ = tf.while_loop(lambda _, changed: changed, step, (valid, tf.constant(True)))
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
    import tensorflow as tf

    found, scores = [], []
    for level_scores, level_offsets, level_anchors in zip(objectness, offsets, anchors, strict=True):
        count = min(most_per_level, level_scores.shape[-1])
        best, places = tf.math.top_k(level_scores, count)
        moved = decode(tf.gather(level_offsets, places, batch_dims=1), tf.gather(level_anchors, places))
        padding = [[0, 0], [0, most_per_level - count]]
        found.append(tf.pad(clip(moved, *shape), [*padding, [0, 0]]))
        scores.append(tf.pad(best, padding, constant_values=NO_BOX))
    boxes, ranked = tf.stack(found, 1), tf.stack(scores, 1)
    kept = suppress(boxes, (ranked > NO_BOX) & (area(boxes) > 0), PROPOSAL_IOU)
    batch, count = tf.shape(boxes)[0], len(anchors) * most_per_level
    ranked = tf.reshape(tf.where(kept, ranked, NO_BOX), (batch, count))
    best, places = tf.math.top_k(ranked, min(most, count))
    return tf.gather(tf.reshape(boxes, (batch, count, 4)), places, batch_dims=1), best > NO_BOX
