"""The binary form of CIFAR-10: records of a label and an image of 32 × 32 pixels in red, green and blue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.data.synthetic import is_marked, is_synthetic
from workloads.description import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRAINING = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST = "test_batch.bin"
NAMES = "batches.meta.txt"
"""The names of the classes, one a line, in the order of the labels."""
CLASSES = 10
EDGE = 32
COLOURS = 3
RECORD_BYTES = 1 + COLOURS * EDGE * EDGE


def read(path: Path) -> NDArray[np.uint8]:
    """Return the records of a file, one a row.

    Raises
    ------
    DataError
        If the file cannot be read, is empty or cut short, or a label is none of 0 … 9; names file and record.
    """
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; copy the binary version of CIFAR-10 here") from error
    whole, rest = divmod(len(content), RECORD_BYTES)
    if rest:
        raise DataError(
            f"{path}: record {whole + 1} has {rest} of {RECORD_BYTES:,} bytes; copy the file again"
        )
    if not whole:
        raise DataError(f"{path}: has no record; copy the file again")
    records = np.frombuffer(content, np.uint8).reshape(whole, RECORD_BYTES)
    wrong = np.flatnonzero(records[:, 0] >= CLASSES)
    if wrong.size:
        first = int(wrong[0])
        raise DataError(
            f"{path}: record {first + 1} has label {int(records[first, 0])}, which is none of 0 … "
            f"{CLASSES - 1}; copy the file again"
        )
    return records


def images(records: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the images of records: number, row, column, colour."""
    return records[:, 1:].reshape(-1, COLOURS, EDGE, EDGE).transpose(0, 2, 3, 1)


def facts(directory: Path, train: int, test: int) -> dict[str, Any]:
    """Return the facts of data with so many images."""
    marked = is_synthetic(directory) or any(is_marked(directory / name) for name in (*TRAINING, TEST))
    return {"train_images": train, "test_images": test, "classes": CLASSES, "synthetic": marked}


def check(directory: Path) -> dict[str, Any]:
    """Read everything and return facts.

    Raises
    ------
    DataError
        As `read`, or if a class has no training image or no name of its own.
    """
    import numpy as np

    labels = np.concatenate([read(directory / name)[:, 0] for name in TRAINING])
    absent = sorted(set(range(CLASSES)) - set(np.unique(labels).tolist()))
    if absent:
        raise DataError(
            f"{directory}: no training record has label {absent[0]}; copy the training files again"
        )
    check_names(directory / NAMES)
    return facts(directory, len(labels), len(read(directory / TEST)))


def check_names(path: Path) -> None:
    """Check the names of the classes.

    Raises
    ------
    DataError
        If the file cannot be read, or does not hold a name of its own for each class.
    """
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no text"
        raise DataError(f"{path}: {reason}; copy the binary version of CIFAR-10 here") from error
    if len(names) != CLASSES or len(set(names)) != CLASSES:
        raise DataError(
            f"{path}: has {len(set(names))} different names of classes in {len(names)} lines, not "
            f"{CLASSES} in {CLASSES}; copy the file again"
        )
