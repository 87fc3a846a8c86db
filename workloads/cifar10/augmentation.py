"""Images as the recipe shows them: normalised, and in training cropped, mirrored and cut out. NumPy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workloads.cifar10.layout import EDGE
from workloads.image_sets.images import shown as shown_images
from workloads.image_sets.table import CIFAR10

if TYPE_CHECKING:
    from numpy.typing import NDArray


def normalised(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return images in 255ths, around the data set's means, by its deviations."""
    return shown_images(CIFAR10, images)


def augmented(
    images: NDArray[np.uint8], draws: np.random.Generator, *, padding: int, flip: bool, cutout: int
) -> NDArray[np.float32]:
    """Return normalised images as a training step shows them.

    Parameters
    ----------
    padding
        Pixels of the mean colour on each side, out of which 32 × 32 are cropped.
    flip
        Whether half of the images are mirrored.
    cutout
        Side of a square around a random pixel that gets the mean colour; what of it is outside the image
        is lost. An odd side is one pixel less.
    """
    count, shown = len(images), normalised(images)
    if padding:
        padded = np.pad(shown, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
        rows, columns = draws.integers(0, 2 * padding + 1, (2, count, 1)) + np.arange(EDGE)
        shown = padded[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    if flip:
        mirrored = draws.random(count) < 0.5
        shown[mirrored] = shown[mirrored, :, ::-1]
    if cutout:
        first = draws.integers(0, EDGE, (2, count, 1)) - cutout // 2
        inside = (np.arange(EDGE) >= first) & (np.arange(EDGE) < first + cutout // 2 * 2)
        shown[inside[0][:, :, None] & inside[1][:, None, :]] = 0
    return shown
