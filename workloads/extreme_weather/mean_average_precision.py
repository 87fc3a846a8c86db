"""Mean average precision at an overlap of 0.5.

HPC AI500 states the overlap alone. Our choice: the area under the precision–recall curve at all points,
with precision made non-increasing, and its mean over the classes that occur in the scored images. A
detection is right if the storm of its class that it overlaps most is overlapped by 0.5 or more, and no
detection with a higher score in the image was right about the same storm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workloads.extreme_weather.boxes import intersection_over_union
from workloads.extreme_weather.detection import Detections
from workloads.extreme_weather.sampling import Truth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RIGHT_IOU = 0.5


def right_detections(found: Detections, storms: Truth) -> Any:
    """Tell which detections of a batch are right, images × N."""
    from keras import ops

    alike = (found.classes[:, :, None] == storms.classes[:, None, :]) & storms.valid[:, None, :]
    overlaps = ops.where(alike, intersection_over_union(found.boxes, storms.boxes), 0.0)
    hit = found.valid & (ops.max(overlaps, -1) >= RIGHT_IOU)
    storm = ops.argmax(overlaps, -1)
    same = hit[:, None, :] & (storm[:, :, None] == storm[:, None, :])
    earlier = ops.any(same & ops.cast(ops.tril(ops.ones(same.shape[-2:], "int32"), -1), "bool"), -1)
    return hit & ~earlier


def average_precision(scores: NDArray[np.float64], right: NDArray[np.bool_], storms: int) -> float:
    """Return the area under the precision–recall curve of one class, at all points.

    Parameters
    ----------
    scores, right
        Of all detections of the class; among equal scores the given order holds.
    storms
        How many there are to find; at least 1.
    """
    import numpy as np

    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(right[order])
    precision = found / np.arange(1, len(order) + 1)
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(highest[right[order]]) / storms)


def average_precisions(rows: NDArray[np.float64], storms: Sequence[int]) -> dict[int, float]:
    """Return the average precision of each class that occurs.

    Parameters
    ----------
    rows
        Of all detections: number of the image, class, score, 1 if it is right.
    storms
        Storms of each class.
    """
    import numpy as np

    rows = rows[np.argsort(rows[:, 0], kind="stable")]  # one order, whichever rank scored an image
    found = {}
    for number, count in enumerate(storms):
        if count:
            of_class = rows[rows[:, 1] == number]
            found[number] = average_precision(of_class[:, 2], of_class[:, 3] > 0, int(count))
    return found
