"""Images of the yearly files as batches for one rank, read by a thread while the step before is computed."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.data.synthetic import is_synthetic
from workloads.data.threads import ahead
from workloads.description import DataError
from workloads.extreme_weather.layout import (
    BOXES,
    IMAGES,
    Year,
    check_images,
    need_storms,
    opened,
    read,
    same_size,
    split_years,
    survey,
)
from workloads.extreme_weather.sizes import CHANNELS, CLASSES
from workloads.runtime.collectives import Ranks

_LARGEST_BLOCK_BYTES = 1 << 30
_SAMPLED_IMAGES = 32


@dataclass(frozen=True, slots=True)
class Batching:
    """Shape and order of a rank's batches.

    Parameters
    ----------
    batch_size
        Images of a rank's step.
    seed
        The order of the images follows from it and the epoch.
    train_years, validation_years
        See `layout.split_years`.
    """

    height: int
    width: int
    batch_size: int
    seed: int
    train_years: str = ""
    validation_years: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Images, channel first, with their rows of boxes; `numbers` are their places in their split."""

    images: NDArray[np.float32]
    boxes: NDArray[np.float32]
    numbers: NDArray[np.int64]


class Split:
    """The images of some years as one sequence."""

    def __init__(self, years: list[Year]) -> None:
        self._years = years
        self._ends = np.cumsum([year.images for year in years])
        self.count = int(self._ends[-1])
        self.storms = tuple(np.sum([year.storms for year in years], 0).tolist())

    def order(self, random: np.random.Generator) -> NDArray[np.int64]:
        """Return all numbers in random order; images that are stored together stay together."""
        blocks = []
        for end, year in zip(self._ends.tolist(), self._years, strict=True):
            image_bytes = 4 * len(CHANNELS) * year.height * year.width
            size = min(year.block, max(1, _LARGEST_BLOCK_BYTES // image_bytes))
            numbers = np.arange(end - year.images, end)
            blocks += np.split(numbers, range(size, year.images, size))
        return np.concatenate(
            [random.permutation(blocks[place]) for place in random.permutation(len(blocks))]
        )

    def batches(self, numbers: NDArray[np.int64], size: int) -> Generator[Batch]:
        """Yield batches of images by their numbers, read ahead by one thread; the last one may be smaller.

        Raises
        ------
        DataError
            If an image cannot be read, or holds what is not a finite number.
        """
        with ExitStack() as files:
            reader = _Reader(self._years, self._ends, files)
            parts = [numbers[begin : begin + size] for begin in range(0, len(numbers), size)]
            yield from ahead(reader.batch, parts)

    def sample(self, most: int = _SAMPLED_IMAGES) -> Iterator[NDArray[np.float32]]:
        """Yield images that are spread evenly over the sequence."""
        chosen = np.unique(np.linspace(0, self.count - 1, min(most, self.count)).astype(np.int64))
        for batch in self.batches(chosen, 1):
            yield batch.images[0]


class _Reader:
    """Reads images by their number in a split; keeps its files open, and the block that it read last."""

    def __init__(self, years: list[Year], ends: NDArray[np.int64], files: ExitStack) -> None:
        self._years, self._ends, self._files = years, ends, files
        self._opened: dict[int, tuple[Any, Any]] = {}
        self._bytes: dict[int, int] = {}
        self._block: tuple[int, int] = (-1, -1)
        self._images: NDArray[np.float32] = np.empty(0, np.float32)

    def batch(self, numbers: NDArray[np.int64]) -> Batch:
        pairs = [self._image(int(number)) for number in numbers]
        images, boxes = zip(*pairs, strict=True)
        return Batch(np.stack(images), np.stack(boxes), numbers)

    def _image(self, number: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        place = int(np.searchsorted(self._ends, number, side="right"))
        year = self._years[place]
        index = number - (int(self._ends[place]) - year.images)
        if place not in self._opened:
            self._opened[place] = self._files.enter_context(opened(year.path))
            self._bytes[place] = self._file_bytes(place)
        images, boxes = self._opened[place]
        size = min(year.block, max(1, _LARGEST_BLOCK_BYTES // (4 * len(CHANNELS) * year.height * year.width)))
        begin = index - index % size
        if self._block != (place, begin):
            self._images = read(year.path, IMAGES, images, slice(begin, begin + size))
            self._need_whole(place, f"{IMAGES}[{begin}:{begin + len(self._images)}]")
            check_images(year.path, begin, self._images)
            self._block = (place, begin)
        return self._images[index - begin], read(year.path, BOXES, boxes, slice(index, index + 1))[0]

    def _file_bytes(self, place: int) -> int:
        return os.fstat(self._opened[place][0].file.id.get_vfd_handle()).st_size

    def _need_whole(self, place: int, what: str) -> None:
        """Raise `DataError` if a file was cut short since it was opened: HDF5 reads zeros beyond its end."""
        before, now = self._bytes[place], self._file_bytes(place)
        if now < before:
            raise DataError(
                f"{self._years[place].path}: {what} cannot be read (the file has {now} bytes, and had "
                f"{before} when it was opened); copy the file again"
            )


class Images:
    """The batches of one rank.

    Parameters
    ----------
    means, spreads
        Of each channel, over a sample of the training images.
    """

    def __init__(self, train: Split, validation: Split, batching: Batching, ranks: Ranks, found: Any) -> None:
        self.facts: dict[str, Any] = found["facts"]
        self.means: list[float] = found["means"]
        self.spreads: list[float] = found["spreads"]
        self.storms = validation.storms
        self._train, self._validation = train, validation
        self._batch_size, self._seed, self._ranks = batching.batch_size, batching.seed % 2**64, ranks
        self.steps_per_epoch = train.count // (batching.batch_size * ranks.size)

    def training(self, epoch: int) -> Generator[Batch]:
        """Yield the batches of an epoch; no image is in two of them, on whatever ranks.

        All ranks share one random order, and each reads a stretch of it.
        """
        order = self._train.order(np.random.default_rng([self._seed, epoch]))
        count = self.steps_per_epoch * self._batch_size
        mine = order[self._ranks.rank * count : (self._ranks.rank + 1) * count]
        return self._train.batches(mine, self._batch_size)

    def validation(self) -> Generator[Batch]:
        """Yield the batches that this rank scores; together the ranks score each image once."""
        count, rank, ranks = self._validation.count, self._ranks.rank, self._ranks.size
        mine = np.arange(rank * count // ranks, (rank + 1) * count // ranks)
        return self._validation.batches(mine, self._batch_size)


def open_images(directory: Path, ranks: Ranks, batching: Batching) -> Images:
    """Survey a directory once for all ranks, and return this rank's batches of it.

    Raises
    ------
    DataError
        On every rank: if files are missing, cut short or of another size, if years have no box to learn or to
        score, or the training images do not fill one step.
    WorkloadError
        If a parameter states no years.
    """
    train_years, validation_years = split_years(directory, batching.train_years, batching.validation_years)
    found = ranks.broadcast_object(lambda: _survey(directory, train_years, validation_years, batching))
    splits = [
        Split([Year(**{**year, "path": Path(year["path"])}) for year in found[name]])
        for name in ("train", "validation")
    ]
    images = Images(splits[0], splits[1], batching, ranks, found)
    if not images.steps_per_epoch:
        raise DataError(
            f"{directory}: {splits[0].count} training images do not fill one step of {ranks.size} "
            f"ranks × {batching.batch_size} images; lower batch_size, use fewer ranks, or give more images"
        )
    return images


def _survey(
    directory: Path, train_years: dict[int, Path], validation_years: dict[int, Path], batching: Batching
) -> dict[str, Any]:
    """Return what rank 0 tells the others: the years, the facts, and the channels' means and spreads."""
    train = [survey(path) for path in train_years.values()]
    validation = [survey(path) for path in validation_years.values()]
    same_size([*train, *validation])
    need_storms("train_years", train)
    need_storms("validation_years", validation)
    if (train[0].height, train[0].width) != (batching.height, batching.width):
        raise DataError(
            f"{train[0].path}: {IMAGES} are of {train[0].height} × {train[0].width} pixels, but parameters "
            f"image_height and image_width are {batching.height} and {batching.width}"
        )
    means, spreads = channel_statistics(Split(train).sample())
    facts = {
        "synthetic": is_synthetic(directory) or any(year.marked for year in (*train, *validation)),
        "train_images": sum(year.images for year in train),
        "validation_images": sum(year.images for year in validation),
        "train_years": " ".join(map(str, train_years)),
        "validation_years": " ".join(map(str, validation_years)),
        "classes": len(CLASSES),
    }

    def rows(years: list[Year]) -> list[dict[str, Any]]:
        return [{**asdict(year), "path": str(year.path)} for year in years]

    return {
        "train": rows(train),
        "validation": rows(validation),
        "facts": facts,
        "means": means.tolist(),
        "spreads": spreads.tolist(),
    }


def channel_statistics(
    images: Iterable[NDArray[np.float32]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of each channel; the latter is 1 where a channel is constant."""
    collected = [(image.mean((1, 2), np.float64), image.var((1, 2), np.float64)) for image in images]
    means = np.array([mean for mean, _ in collected])
    variance = np.mean([spread for _, spread in collected], 0) + means.var(0)
    return means.mean(0), np.where(variance > 0, np.sqrt(variance), 1.0)
