"""Records of an image and its labels, a byte each: the binary versions of CIFAR-10 and CIFAR-100.

The labels stand before the image, and the image is one plane after another: red, green and blue.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workloads.description import DataError
from workloads.image_sets.table import ImageSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read(of: ImageSet, path: Path) -> NDArray[np.uint8]:
    """Return the records of a file, one a row.

    Raises
    ------
    DataError
        If the file cannot be read, is empty or cut short, or a label is no class; names file and record.
    """
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; {of.advice}") from error
    whole, rest = divmod(len(content), of.record_bytes)
    if rest:
        raise DataError(
            f"{path}: record {whole + 1} has {rest} of {of.record_bytes:,} bytes; copy the file again"
        )
    if not whole:
        raise DataError(f"{path}: has no record; copy the file again")
    records = np.frombuffer(content, np.uint8).reshape(whole, of.record_bytes)
    for number, classes in enumerate(of.label_classes):
        wrong = np.flatnonzero(records[:, number] >= classes)
        if wrong.size:
            first = int(wrong[0])
            which = f"label {number + 1}," if number else "label"
            raise DataError(
                f"{path}: record {first + 1} has {which} {int(records[first, number])}, which is none of "
                f"0 … {classes - 1}; copy the file again"
            )
    return records


def images(of: ImageSet, records: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the images of records: number, row, column, colour."""
    rows, columns, colours = of.shape
    pixels = records[:, len(of.label_classes) :]
    return pixels.reshape(-1, colours, rows, columns).transpose(0, 2, 3, 1)
