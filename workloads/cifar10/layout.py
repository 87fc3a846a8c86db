"""The binary form of CIFAR-10: records of a label and an image of 32 × 32 pixels in red, green and blue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.data.synthetic import is_marked, is_synthetic
from workloads.image_sets import images as image_sets
from workloads.image_sets import records
from workloads.image_sets.table import CIFAR10

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRAINING = CIFAR10.training
TEST = CIFAR10.test
CLASSES = CIFAR10.classes
EDGE, _, COLOURS = CIFAR10.shape
RECORD_BYTES = CIFAR10.record_bytes


def read(path: Path) -> NDArray[np.uint8]:
    """Return the records of a file, one a row.

    Raises
    ------
    DataError
        As `workloads.image_sets.records.read`.
    """
    return records.read(CIFAR10, path)


def images(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the images of records: number, row, column, colour."""
    return records.images(CIFAR10, rows)


def facts(directory: Path, train: int, test: int) -> dict[str, Any]:
    """Return the facts of data with so many images."""
    marked = is_synthetic(directory) or any(is_marked(directory / name) for name in (*TRAINING, TEST))
    return {"train_images": train, "test_images": test, "classes": CLASSES, "synthetic": marked}


def check(directory: Path) -> dict[str, Any]:
    """Read everything and return facts.

    Raises
    ------
    DataError
        As `workloads.image_sets.images.check_set`.
    """
    return image_sets.check_set(CIFAR10, directory)
