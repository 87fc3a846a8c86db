"""Find, read and verify the files of the CosmoFlow data set.

Below ``train`` and below ``validation`` is a TFRecord file for each image, ``*.tfrecord``, compressed with
gzip or not. Its one record is an Example: ``x`` has the counts of particles in each cell at four redshifts as
raw bytes, edge × edge × edge × 4 integers of 16 bits, and ``y`` the four parameters of the universe, scaled
to -1 … 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.cosmoflow.sizes import REDSHIFTS, TARGETS
from workloads.data.synthetic import is_marked, is_synthetic
from workloads.data.tfrecords import decode_example, read_records
from workloads.data.threads import in_threads
from workloads.description import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPLITS = ("train", "validation")
SUFFIX = ".tfrecord"
_SAMPLE = 16  # files of a split


@dataclass(frozen=True, slots=True)
class Image:
    """The counts of an image, edge × edge × edge × 4, and the parameters of its universe."""

    counts: NDArray[np.int16]
    parameters: NDArray[np.float32]


def list_files(directory: Path) -> dict[str, list[str]]:
    """Return the names of the files of each split, in order.

    Raises
    ------
    DataError
        If a folder is missing or has no file.
    """
    command = f"orchestrator data generate cosmoflow --output {directory}"
    advice = f"run `{command}`, or name the directory that has them"
    found = {}
    for split in SPLITS:
        folder = directory / split
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder; {advice}")
        found[split] = sorted(path.name for path in folder.glob(f"[!.]*{SUFFIX}"))
        if not found[split]:
            raise DataError(f"{folder}: no file *{SUFFIX} in it; {advice}")
    return found


def read(path: Path, edge: int | None = None) -> Image:
    """Return the image of a file.

    Parameters
    ----------
    edge
        Cells along each of its three axes; None: as many as there are.

    Raises
    ------
    DataError
        If the file cannot be read, is cut short or damaged, holds no image or several, or an image of another
        size; if a count is negative or a parameter not finite.
    """
    try:
        records = list(read_records(path, compressed=True))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); copy the file again") from error
    if len(records) != 1:
        raise DataError(f"{path}: has {len(records)} records, not one; write a file for each image")
    try:
        image = _decode(records[0], edge)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    return image


def facts(directory: Path, files: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the numbers of images, and whether they were made, by the marker and some files of each split.

    Raises
    ------
    DataError
        As `is_synthetic`.
    """
    sampled = [
        directory / split / name
        for split, names in files.items()
        for name in names[:: max(1, len(names) // _SAMPLE)]
    ]
    synthetic = is_synthetic(directory) or any(map(is_marked, sampled))
    return {f"{split}_images": len(names) for split, names in files.items()} | {"synthetic": synthetic}


def check(directory: Path, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read every image and return the numbers of images, their edge, and whether they were made.

    Parameters
    ----------
    parameters
        Of a training on the data, which says how large the images are; without them the first one does.

    Raises
    ------
    DataError
        With the file of the first thing that is wrong.
    """
    directory = Path(directory)
    files = list_files(directory)
    paths = [directory / split / name for split, names in files.items() for name in names]
    edge = parameters["image_edge"] if parameters else len(read(paths[0]).counts)
    for _ in in_threads(partial(_check, edge=edge), paths):
        pass
    return facts(directory, files) | {"image_edge": edge}


def _check(path: Path, edge: int) -> None:
    read(path, edge)  # and forget it


def _decode(record: bytes, edge: int | None) -> Image:
    """Return the image of a record; raise `ValueError` where it has none, or one of another size."""
    cell_bytes = REDSHIFTS * np.dtype(np.int16).itemsize
    try:
        features = decode_example(record)
    except ValueError as error:
        raise ValueError(f"its record is no Example ({error}); copy the file again") from error
    match features.get("x"), features.get("y"):
        case [bytes(content)], [float(), *_] as parameters:
            pass
        case _:
            raise ValueError("its record has no x of bytes and y of floats; write the file again")
    edge = edge or round((len(content) / cell_bytes) ** (1 / 3))
    if not content or len(content) != edge**3 * cell_bytes:
        raise ValueError(
            f"x has {len(content):,} bytes, an image of edge {edge} has {edge**3 * cell_bytes:,}; set "
            "image_edge to the edge of the images, or use other files"
        )
    counts = np.frombuffer(content, "<i2").reshape(edge, edge, edge, REDSHIFTS)
    if counts.min() < 0:
        place = np.unravel_index(int(counts.argmin()), counts.shape)
        listed = ", ".join(map(str, place))
        raise ValueError(f"x[{listed}] is {counts[place]}, and counts are not negative; write the file again")
    targets = np.array(parameters, np.float32)
    if len(targets) != TARGETS or not np.isfinite(targets).all():
        raise ValueError(f"y is {parameters}, not {TARGETS} finite numbers; write the file again")
    return Image(counts, targets)
