"""Find, open and verify the yearly files of the ExtremeWeather data set.

A file ``climo_YYYY.h5`` has the datasets ``images``, images × 16 × height × width, and ``boxes``,
images × 15 × 5: ymin, xmin, ymax, xmax in pixels, and the class; rows of -1 are empty. A row holds a storm if
one of its values is above -1, as in the program of the data set's authors (eracah/hur-detect).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.data.synthetic import MARK, is_marked, is_synthetic
from workloads.description import DataError, WorkloadError
from workloads.extreme_weather.sizes import CHANNELS, CLASSES, MOST_BOXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMAGES, BOXES = "images", "boxes"
MARK_ATTRIBUTE = "origin"
_NAME = re.compile(r"climo_([1-9]\d{3})\.h5")
_YEARS = re.compile(r"(\d{4})(?:-(\d{4}))?")


@dataclass(frozen=True, slots=True)
class Year:
    """Contents of a yearly file.

    Parameters
    ----------
    images, height, width
        How many images there are, and their size in pixels.
    block
        Images that are stored together, so that reading one decodes all of them; 1 where each is alone.
    storms
        Boxes of each class.
    images_without_storms
        Images whose rows are all empty.
    marked
        Whether the file says that it was made.
    """

    path: Path
    images: int
    height: int
    width: int
    block: int
    storms: tuple[int, ...]
    images_without_storms: int
    marked: bool


def advice(directory: Path) -> str:
    """Return advice on how to get the files."""
    command = f"orchestrator data generate extreme_weather --output {directory}"
    return f"run `{command}`, or name the directory that has them"


def file_name(year: int) -> str:
    """Return the name of the file of a year."""
    return f"climo_{year:04d}.h5"


def find_years(directory: Path) -> dict[int, Path]:
    """Return the files of a directory by year, in order.

    Raises
    ------
    DataError
        If there is none.
    """
    found = {int(match[1]): path for path in directory.iterdir() if (match := _NAME.fullmatch(path.name))}
    if not found:
        raise DataError(f"{directory}: no file climo_YYYY.h5; {advice(directory)}")
    return dict(sorted(found.items()))


def split_years(directory: Path, train: str, validation: str) -> tuple[dict[int, Path], dict[int, Path]]:
    """Return the files to train on and to validate on.

    Parameters
    ----------
    train, validation
        Years such as ``1979-1982 1984``. Without validation years the last one found validates; without
        training years all others train.

    Raises
    ------
    DataError
        If a file is missing, or no year is left.
    WorkloadError
        If a text states no years, or a year is in both.
    """
    found = find_years(directory)
    chosen = _years("validation_years", validation) or list(found)[-1:]
    training = _years("train_years", train) or [year for year in found if year not in chosen]
    if shared := sorted(set(chosen) & set(training)):
        raise WorkloadError(f"extreme_weather: {shared[0]} is in train_years and in validation_years")
    for year in (*training, *chosen):
        if year not in found:
            raise DataError(f"{directory / file_name(year)}: no such file; {advice(directory)}")
    if not training:
        raise DataError(f"{directory}: one year alone, which validates; a training needs another file")
    return {year: found[year] for year in training}, {year: found[year] for year in chosen}


def _years(name: str, text: str) -> list[int]:
    found: set[int] = set()
    for part in re.split(r"[\s,]+", text.strip()):
        match = _YEARS.fullmatch(part)
        if part and not match:
            raise WorkloadError(f"extreme_weather: {name} is {text!r}; write years such as '1979-1982 1984'")
        if match:
            found |= set(range(int(match[1]), int(match[2] or match[1]) + 1))
    return sorted(found)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Any, Any]]:
    """Open a yearly file and yield its two datasets.

    Raises
    ------
    DataError
        If it cannot be opened, or lacks one of them.
    """
    h5py = hdf5()
    try:
        file = h5py.File(path, "r", locking="best-effort")
    except OSError as error:
        raise DataError(f"{path}: cannot be opened as HDF5 ({error}); copy the file again") from error
    with file:
        for name in (IMAGES, BOXES):
            if not isinstance(file.get(name), h5py.Dataset):
                raise DataError(f"{path}: has no dataset {name!r}; write the file again")
        yield file[IMAGES], file[BOXES]


def survey(path: Path) -> Year:
    """Read the shapes and all boxes of a yearly file, but no image.

    Raises
    ------
    DataError
        Naming the file, the dataset and the index of the first thing that is wrong.
    """
    with opened(path) as (images, boxes):
        _check_shapes(path, images, boxes)
        count, _, height, width = images.shape
        rows = read(path, BOXES, boxes, slice(None))
        storms = check_boxes(path, rows, height, width)
        marked = is_marked(path) or MARK in str(images.file.attrs.get(MARK_ATTRIBUTE, ""))
        marked = marked or MARK in str(images.attrs.get(MARK_ATTRIBUTE, ""))
        return Year(
            path,
            count,
            height,
            width,
            images.chunks[0] if images.chunks else 1,
            tuple(np.bincount(rows[storms][:, 4].astype(int), minlength=len(CLASSES)).tolist()),
            int(np.count_nonzero(~storms.any(1))),
            marked,
        )


def read(path: Path, name: str, dataset: Any, index: slice) -> NDArray[np.float32]:
    """Return a stretch of a dataset in single precision.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    try:
        values: NDArray[np.float32] = np.asarray(dataset[index], np.float32)
    except (OSError, RuntimeError) as error:
        begin, end, _ = index.indices(dataset.shape[0])
        raise DataError(
            f"{path}: {name}[{begin}:{end}] cannot be read ({error}); copy the file again"
        ) from error
    return values


def check_images(path: Path, first: int, images: NDArray[np.float32]) -> None:
    """Raise `DataError` at the first value that is not finite.

    Parameters
    ----------
    path
        Where the images are from.
    first
        Index of the first one in its file.
    images
        Images × channels × height × width.
    """
    if not np.isfinite(images).all():
        image, channel, row, column = np.argwhere(~np.isfinite(images))[0].tolist()
        value = images[image, channel, row, column]
        raise DataError(
            f"{path}: {IMAGES}[{first + image}, {channel}, {row}, {column}] "
            f"({CHANNELS[channel]}) is {value}, "
            "not a finite number; correct it"
        )


def check_boxes(path: Path, rows: NDArray[np.float32], height: int, width: int) -> NDArray[np.bool_]:
    """Return which rows hold a storm, images × 15.

    Raises
    ------
    DataError
        At the first row that is not finite, outside the image, without area, or of an unknown class.
    """
    storms: NDArray[np.bool_] = (rows > -1).any(-1)
    low, high, kind = rows[..., :2], rows[..., 2:4], rows[..., 4]
    wrong: Sequence[tuple[NDArray[np.bool_], str]] = (
        (~np.isfinite(rows).all(-1), "holds a value that is not a finite number"),
        (storms & (high <= low).any(-1), "has a maximum that is not above its minimum"),
        (
            storms & ((low < 0).any(-1) | (high > (height, width)).any(-1)),
            f"reaches beyond the image of {height} × {width} pixels",
        ),
        (
            storms & ((kind < 0) | (kind >= len(CLASSES)) | (kind != np.floor(kind))),
            f"has a class that is none of 0 … {len(CLASSES) - 1}",
        ),
    )
    for places, what in wrong:
        if places.any():
            image, row = np.argwhere(places)[0].tolist()
            values = ", ".join(f"{value:g}" for value in rows[image, row].tolist())
            raise DataError(f"{path}: {BOXES}[{image}, {row}] = ({values}) {what}; correct the row")
    return storms


def check(directory: Path, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read every image and box; return the numbers of years, images and storms, and whether they were made.

    Parameters
    ----------
    parameters
        Of a training on the data, or None.

    Raises
    ------
    DataError
        With file, dataset and index of the first thing that is wrong, or if the files differ in size, or a
        training finds no storm in its training or validation years.
    """
    directory = Path(directory)
    synthetic = is_synthetic(directory)
    years = {year: survey(path) for year, path in find_years(directory).items()}
    same_size(list(years.values()))
    for year in years.values():
        with opened(year.path) as (images, _):
            for index in range(year.images):
                check_images(year.path, index, read(year.path, IMAGES, images, slice(index, index + 1)))
    if parameters is not None:
        train, validation = split_years(directory, parameters["train_years"], parameters["validation_years"])
        for name, chosen in (("train_years", train), ("validation_years", validation)):
            need_storms(name, [years[year] for year in chosen])
    warnings = [f"{year.path}: no image has a box" for year in years.values() if not sum(year.storms)]
    first = next(iter(years.values()))
    facts = {
        "synthetic": synthetic or any(year.marked for year in years.values()),
        "years": len(years),
        "images": sum(year.images for year in years.values()),
        "image_height": first.height,
        "image_width": first.width,
        "images_without_boxes": sum(year.images_without_storms for year in years.values()),
    }
    facts |= {
        name: sum(year.storms[number] for year in years.values()) for number, name in enumerate(CLASSES)
    }
    return facts | ({"warnings": warnings} if warnings else {})


def same_size(years: Sequence[Year]) -> None:
    """Raise `DataError` if the images of the files differ in height or width."""
    first = years[0]
    for year in years:
        if (year.height, year.width) != (first.height, first.width):
            raise DataError(
                f"{year.path}: {IMAGES} are of {year.height} × {year.width} pixels, those of "
                f"{first.path.name} of {first.height} × {first.width}; use files of one size"
            )


def need_storms(name: str, years: Sequence[Year]) -> None:
    """Raise `DataError` if no image of some years has a box."""
    if not any(sum(year.storms) for year in years):
        listed = ", ".join(year.path.name for year in years)
        raise DataError(f"{years[0].path.parent}: {name} ({listed}) hold no box; choose other years")


def hdf5() -> Any:
    """Return h5py.

    Raises
    ------
    WorkloadError
        If it is not installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise WorkloadError(
            "HDF5 files are made and read with h5py, which is not installed here; install it "
            "(`uv pip install h5py`; Keras brings it)"
        ) from error
    return h5py


def _check_shapes(path: Path, images: Any, boxes: Any) -> None:
    channels = len(CHANNELS)
    if images.ndim != 4 or boxes.ndim != 3 or 0 in images.shape:
        raise DataError(
            f"{path}: {IMAGES} have shape {images.shape} and {BOXES} {boxes.shape}, not "
            f"(n, {channels}, height, width) and (n, {MOST_BOXES}, 5); write the file again"
        )
    if images.shape[1] != channels:
        raise DataError(
            f"{path}: {IMAGES} have {images.shape[1]} channels (shape {images.shape}), not {channels}: "
            f"{', '.join(CHANNELS)}; write the file again"
        )
    if boxes.shape != (images.shape[0], MOST_BOXES, 5):
        raise DataError(
            f"{path}: {BOXES} have shape {boxes.shape}, not {(images.shape[0], MOST_BOXES, 5)} as for "
            f"{images.shape[0]} images; write the file again"
        )
    for name, dataset, kinds in ((IMAGES, images, "f"), (BOXES, boxes, "if")):
        if dataset.dtype.kind not in kinds:
            wanted = "floating-point numbers" if kinds == "f" else "whole or floating-point numbers"
            raise DataError(f"{path}: {name} are of type {dataset.dtype}, not {wanted}; write the file again")
