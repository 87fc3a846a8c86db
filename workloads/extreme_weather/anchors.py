"""Anchors: the boxes that the region proposal network moves and scales.

Every place of a pyramid level has three, with the ratios of height to width 0.5, 1 and 2 and the area of
one size a level. Anchors that reach beyond the image take part like all others: our choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STRIDES = (4, 8, 16, 32, 64)
RATIOS = (0.5, 1.0, 2.0)


def level_shapes(height: int, width: int) -> list[tuple[int, int]]:
    """Return height and width of every pyramid level: the image's over the stride, rounded up."""
    return [(-(-height // stride), -(-width // stride)) for stride in STRIDES]


def make_anchors(
    height: int, width: int, smallest: int, strides: Sequence[int] = STRIDES
) -> list[NDArray[np.float32]]:
    """Return the anchors of each level, places × 3 in rows of 4, in the order of the network's outputs.

    Parameters
    ----------
    height, width
        Of the image, in pixels.
    smallest
        Side of the square anchor of the first level, in pixels; it doubles from level to level.
    strides
        Pixels between two places of a level.
    """
    import numpy as np

    made = []
    for number, (stride, (rows, columns)) in enumerate(
        zip(strides, level_shapes(height, width), strict=True)
    ):
        side = smallest * 2**number
        sides = np.array([(side * ratio**0.5, side / ratio**0.5) for ratio in RATIOS])
        down, across = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        centres = (np.stack([down, across], -1)[..., None, :] + 0.5) * stride
        boxes = np.concatenate([centres - sides / 2, centres + sides / 2], -1)
        made.append(boxes.reshape(-1, 4).astype(np.float32))
    return made
