"""IDX files of bytes, as MNIST and Fashion-MNIST have them: a file of images and a file of their labels.

A file begins with two bytes of 0, the type of its elements (8: bytes), the number of its dimensions, and the
length of each as 32 bits, the highest byte first. Files that gzip compressed are read as they are published.
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.description import DataError
from workloads.image_sets.table import ImageSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IMAGES = "{}-images-idx3-ubyte"
LABELS = "{}-labels-idx1-ubyte"
_BYTES = 8
_GZIP = b"\x1f\x8b"
_PORTION = 1 << 20


def read(of: ImageSet, directory: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the images of a part, each a row of bytes, and their labels.

    Raises
    ------
    DataError
        If a file cannot be read, is none of its format, of other images, empty, cut short or too long, or a
        label is no class; names the file.
    """
    import numpy as np

    images_file = directory / IMAGES.format(part)
    labels_file = directory / LABELS.format(part)
    images = _read(of, images_file, of.shape[:2])
    labels = _read(of, labels_file, ())
    if len(images) != len(labels):
        raise DataError(
            f"{labels_file}: has {len(labels):,} labels, and {images_file.name} has {len(images):,} images; "
            "copy both files again"
        )
    if not len(images):
        raise DataError(f"{images_file}: has no image; copy the file again")
    wrong = np.flatnonzero(labels >= of.classes)
    if wrong.size:
        first = int(wrong[0])
        raise DataError(
            f"{labels_file}: label {first + 1} is {int(labels[first])}, which is none of 0 … "
            f"{of.classes - 1}; copy the file again"
        )
    return images.reshape(len(images), -1), labels


def write(path: Path, content: NDArray[np.uint8]) -> None:
    """Write bytes in as many dimensions as the array has."""
    header = struct.pack(f">HBB{content.ndim}I", 0, _BYTES, content.ndim, *content.shape)
    path.write_bytes(header + content.tobytes())


def _read(of: ImageSet, path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the elements of a file, each of the given shape."""
    import numpy as np

    if not path.exists() and path.with_name(f"{path.name}.gz").exists():
        path = path.with_name(f"{path.name}.gz")
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP
        with gzip.open(path) if compressed else path.open("rb") as file:
            lengths = _lengths(path, file, shape)
            size = math.prod(lengths)
            content = _at_most(file, size + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: is no whole gzip file ({error}); copy the file again") from error
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; {of.advice}") from error
    if len(content) != size:
        found = f"{len(content):,}" if len(content) < size else "more"
        raise DataError(
            f"{path}: has {found} bytes after its header, which says {size:,}; copy the file again"
        )
    return np.frombuffer(content, np.uint8).reshape(lengths)


def _lengths(path: Path, file: BufferedIOBase, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lengths of the dimensions of a file, the first of them how many elements it has."""
    dimensions = 1 + len(shape)
    expected = bytes([0, 0, _BYTES, dimensions])
    header = file.read(4 * (1 + dimensions))
    if header[:4] != expected[: len(header)]:
        raise DataError(
            f"{path}: begins with 0x{header[:4].hex()}, not with 0x{expected.hex()} as an IDX file of bytes "
            f"in {dimensions} dimension{'s'[: dimensions > 1]} does; copy the file again"
        )
    if len(header) < 4 * (1 + dimensions):
        raise DataError(f"{path}: is cut short in its header, at byte {len(header)}; copy the file again")
    lengths = struct.unpack(f">{dimensions}I", header[4:])
    if lengths[1:] != shape:
        found, wanted = (" × ".join(map(str, one)) for one in (lengths[1:], shape))
        raise DataError(f"{path}: has images of {found} pixels, not {wanted}; copy the file again")
    return lengths


def _at_most(file: BufferedIOBase, size: int) -> bytes:
    """Return what is left of a file, but no more bytes than so many, whatever its header promised."""
    found = bytearray()
    while len(found) < size and (portion := file.read(min(_PORTION, size - len(found)))):
        found += portion
    return bytes(found)
