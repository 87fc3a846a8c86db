"""Where the images of a data set are between steps, and how a batch of them is fetched from there."""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from workloads.cifar10 import layout
from workloads.data import tfrecords
from workloads.description import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Indices = NDArray[np.int64]

_FRAME_BYTES = (12, 4)
"""Of a TFRecord, before and after its payload."""


class Storage(Protocol):
    """Images in the order in which they were stored, each a record as the binary form of CIFAR-10 has it."""

    def batch(self, indices: Indices) -> Bytes:
        """Return records, one a row.

        Raises
        ------
        DataError
            If one cannot be read.
        """

    def close(self) -> None:
        """Close what is open."""


class Memory:
    """Records in one array in host memory."""

    def __init__(self, records: Bytes) -> None:
        self._records = records

    def batch(self, indices: Indices) -> Bytes:
        """Return records, one a row."""
        return self._records[indices]

    def close(self) -> None:
        """Do nothing."""


class BinaryFiles:
    """Files in the binary form of CIFAR-10, of which each record is read where it stands.

    Parameters
    ----------
    paths
        Of the files, in the order of the samples.
    """

    def __init__(self, paths: list[Path]) -> None:
        counts = [path.stat().st_size // layout.RECORD_BYTES for path in paths]
        self._ends = list(accumulate(counts))
        self._files = [path.open("rb", buffering=0) for path in paths]

    def batch(self, indices: Indices) -> Bytes:
        """Return records, one a row."""
        import numpy as np

        return np.stack([np.frombuffer(self._read(int(index)), np.uint8) for index in indices])

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _read(self, index: int) -> bytes:
        number = bisect_right(self._ends, index)
        first = self._ends[number - 1] if number else 0
        return _read(self._files[number], layout.RECORD_BYTES, (index - first) * layout.RECORD_BYTES)


class RecordFile:
    """A TFRecord file of Example messages, whose places are known from one pass over their lengths."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._places: list[tuple[int, int]] = []
        offset, size = 0, path.stat().st_size
        while offset < size:
            (length,) = struct.unpack("<Q", _read(self._file, 8, offset))
            self._places.append((offset + _FRAME_BYTES[0], length))
            offset += length + sum(_FRAME_BYTES)

    def batch(self, indices: Indices) -> Bytes:
        """Return records, one a row; checksums are not looked at."""
        import numpy as np

        found = []
        for index in indices:
            offset, length = self._places[int(index)]
            features: dict[str, Any] = tfrecords.decode_example(_read(self._file, length, offset))
            (label,), (pixels,) = features["label"], features["pixels"]
            found.append(np.frombuffer(bytes([label]) + pixels, np.uint8))
        return np.stack(found)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def write_records(path: Path, records: Bytes) -> None:
    """Write records as the Example messages that `RecordFile` reads."""
    with path.open("wb") as file:
        tfrecords.write_records(
            file,
            (
                tfrecords.encode_example({"label": int(record[0]), "pixels": record[1:].tobytes()})
                for record in records
            ),
        )


def _read(file: IO[bytes], length: int, offset: int) -> bytes:
    content = os.pread(file.fileno(), length, offset)
    if len(content) < length:
        raise DataError(f"{file.name}: cut short at byte {offset + len(content)}; copy the file again")
    return content
