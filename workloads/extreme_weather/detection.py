"""Storms that a network finds: its regions, moved, suppressed class by class, the best ones of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.extreme_weather.boxes import clip, decode, picked
from workloads.extreme_weather.losses import BOX_WEIGHTS
from workloads.extreme_weather.proposals import NO_BOX, suppress

DETECTION_IOU = 0.5
LEAST_SCORE = 0.05
MOST_DETECTIONS = 100


@dataclass(frozen=True, slots=True)
class Detections:
    """Detections in a batch of images, from the highest score to the lowest.

    Parameters
    ----------
    boxes, classes, scores
        Images × N × 4, images × N from 0, images × N.
    valid
        Images × N: which places hold a detection.
    """

    boxes: Any
    classes: Any
    scores: Any
    valid: Any


def detect(
    logits: Any, offsets: Any, regions: Any, valid: Any, shape: tuple[int, int], most: int = MOST_DETECTIONS
) -> Detections:
    """Return the detections with a score of 0.05 or more, suppressed above an overlap of 0.5 in their class.

    Parameters
    ----------
    logits, offsets
        Images × regions × (classes + 1), and the same × 4; the first class is the background.
    regions, valid
        Images × regions × 4, and which of them count.
    shape
        Height and width of the image.
    """
    from keras import ops

    scores = ops.transpose(ops.softmax(logits)[..., 1:], (0, 2, 1))
    moved = decode(
        offsets[..., 1:, :] / ops.convert_to_tensor(BOX_WEIGHTS, "float32"), regions[:, :, None, :]
    )
    boxes = clip(ops.transpose(moved, (0, 2, 1, 3)), *shape)
    scores = ops.where(valid[:, None, :] & (scores >= LEAST_SCORE), scores, NO_BOX)
    classes, count = logits.shape[-1] - 1, logits.shape[1]
    scores, places = ops.top_k(scores, count)
    boxes = picked(boxes, places)
    scores = ops.where(suppress(boxes, scores > NO_BOX, DETECTION_IOU), scores, NO_BOX)
    images = logits.shape[0]
    best, places = ops.top_k(ops.reshape(scores, (images, classes * count)), min(most, classes * count))
    boxes = picked(ops.reshape(boxes, (images, classes * count, 4)), places)
    return Detections(boxes, places // count, best, best > NO_BOX)
