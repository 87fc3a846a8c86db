"""Generate images in ImageNet's two layouts, with classes that a network can learn to tell apart."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.data.synthetic import MARK, writing_synthetic
from workloads.data.tfrecords import encode_example, write_records
from workloads.data.threads import in_threads
from workloads.description import DataError
from workloads.imagenet.layout import ENCODED, FOLDERS, LABEL, SPLITS, pillow, shard_name
from workloads.imagenet.sizes import ImageNetSizes

_QUALITY = 90
_LEAST_IMAGE_BYTES = 600  # the tables in the header of a JPEG file
_IMAGES_AT_ONCE = 256
_FOLDER = "made{:04d}"
_GOLDEN = 0.6180339887  # multiples of it fall evenly on a circle, however many classes there are


def make(directory: Path, seed: int, **given: Any) -> tuple[Path, ...]:
    """Write synthetic JPEG files, or TFRecord files of them, and return the paths that hold them.

    Every class has two colours, and stripes of its own width and direction; place, contrast,
    brightness and shape differ from image to image, and there is noise. An image is the same in
    both layouts. Classes have equal shares; in TFRecord files they come in random order. Only the
    images in work are kept in memory. What an earlier call made in `directory` is removed.

    Parameters
    ----------
    directory
        Created where it does not exist.
    seed
        All images follow from it.
    given
        Fields of `ImageNetSizes` that differ from the real data set's.

    Raises
    ------
    DataError
        If the directory holds files that were not made here, or a split has fewer images than
        classes.
    """
    directory, sizes = Path(directory), ImageNetSizes(**given)
    classes = sizes.classes
    counts = dict(zip(SPLITS, (sizes.train_images, sizes.validation_images), strict=True))
    for split, count in counts.items():
        if count < classes:
            raise DataError(f"{split} needs at least {classes} images to show all of its {classes} classes")
    pillow()
    facts = {"maker": "workloads.imagenet.generator:make", "seed": seed, "sizes": asdict(sizes)}
    present = [entry.name for entry in directory.glob("*-of-*")] if directory.is_dir() else []
    with writing_synthetic(directory, (*SPLITS, *present), facts, _LEAST_IMAGE_BYTES * sum(counts.values())):
        _remove_made(directory)
        painters = [_Painter(seed, part, sizes.image_edge) for part in range(len(SPLITS))]
        try:
            if sizes.layout == FOLDERS:
                tasks = _folder_tasks(directory, painters, counts, classes)
                written = in_threads(lambda task: task(), tasks)
                paths = sorted({path for group in written for path in group})
            else:
                shards = _shard_tasks(directory, painters, counts, classes, sizes.images_per_shard)
                paths = list(in_threads(lambda task: task(), shards))
        except (MemoryError, ValueError):  # an image or a list of them is too large
            _remove_made(directory)
            raise
        os.sync()  # one for all files, before the marker says that they are there
    return tuple(paths)


class _Painter:
    """Draws the images of a split; every image follows from the seed and its number alone."""

    def __init__(self, seed: int, part: int, edge: int) -> None:
        self._seed = (seed, part)
        self._edge = edge

    def order(self, count: int) -> NDArray[np.int64]:
        """Return the numbers of all images in random order."""
        return np.random.default_rng([*self._seed, count, 0]).permutation(count)

    def jpeg(self, number: int, label: int) -> tuple[bytes, int, int]:
        """Return the file of an image, its height and its width."""
        random = np.random.default_rng([*self._seed, number])
        height, width = (int(size) for size in random.integers(self._edge * 3 // 4, self._edge + 1, size=2))
        turn, size = label * _GOLDEN % 1, label * _GOLDEN**2 % 1
        angle = np.pi * turn + random.normal(0, 0.1)
        waves = 2 * np.pi * (2 + 4 * size)
        down = np.arange(height, dtype=np.float32)[:, None] / height
        across = np.arange(width, dtype=np.float32)[None, :] / width
        phase = waves * (np.cos(angle) * down + np.sin(angle) * across) + random.uniform(0, 2 * np.pi)
        mix = (0.5 + 0.5 * np.sin(phase))[..., None].astype(np.float32)
        light = np.float32(random.uniform(0.6, 1.0))
        image = light * (mix * _colour(turn) + (1 - mix) * _colour(turn + 0.25 + 0.25 * size))
        image += random.normal(0, 0.1, 3).astype(np.float32)
        image += 0.1 * random.standard_normal(image.shape, dtype=np.float32)
        pixels = (255 * np.clip(image, 0, 1)).astype(np.uint8)
        file = io.BytesIO()
        pillow().fromarray(pixels).save(file, "JPEG", quality=_QUALITY, comment=MARK)
        return file.getvalue(), height, width


def _colour(turn: float) -> NDArray[np.float32]:
    """Return red, green and blue of a place on the colour circle, 0 … 1."""
    offsets = np.array([0.0, 1.0, 2.0]) / 3
    colour: NDArray[np.float32] = (0.5 + 0.45 * np.cos(2 * np.pi * (turn - offsets))).astype(np.float32)
    return colour


def _write_folders(folder: Path, painter: _Painter, numbers: range, classes: int) -> set[Path]:
    """Write images of one split, each into the folder of its class; return these folders."""
    folders = set()
    for number in numbers:
        place, label = divmod(number, classes)
        of_class = folder / _FOLDER.format(label)
        (of_class / f"{of_class.name}_{place:06d}.JPEG").write_bytes(painter.jpeg(number, label)[0])
        folders.add(of_class)
    return folders


def _write_shard(path: Path, painter: _Painter, numbers: NDArray[np.int64], classes: int) -> Path:
    """Write images of one split into one TFRecord file; return its path."""

    def payloads() -> Iterator[bytes]:
        for number in numbers.tolist():
            place, label = divmod(number, classes)
            content, height, width = painter.jpeg(number, label)
            name = _FOLDER.format(label)
            features: dict[str, Any] = {
                "image/height": height,
                "image/width": width,
                "image/colorspace": b"RGB",
                "image/channels": 3,
                LABEL: label + 1,
                "image/class/text": name.encode(),
                "image/format": b"JPEG",
                "image/filename": f"{name}_{place:06d}.JPEG".encode(),
                ENCODED: content,
            }
            yield encode_example(features)

    with path.open("wb") as file:
        write_records(file, payloads())
    return path


def _folder_tasks(
    directory: Path, painters: list[_Painter], counts: dict[str, int], classes: int
) -> Iterator[Callable[[], set[Path]]]:
    for (split, count), painter in zip(counts.items(), painters, strict=True):
        for label in range(classes):
            (directory / split / _FOLDER.format(label)).mkdir(parents=True)
        for begin in range(0, count, _IMAGES_AT_ONCE):
            numbers = range(begin, min(begin + _IMAGES_AT_ONCE, count))
            yield partial(_write_folders, directory / split, painter, numbers, classes)


def _shard_tasks(
    directory: Path, painters: list[_Painter], counts: dict[str, int], classes: int, images_per_shard: int
) -> Iterator[Callable[[], Path]]:
    for (split, count), painter in zip(counts.items(), painters, strict=True):
        shards = -(-count // images_per_shard)
        for number, chosen in enumerate(np.array_split(painter.order(count), shards)):
            yield partial(
                _write_shard, directory / shard_name(split, number, shards), painter, chosen, classes
            )


def _remove_made(directory: Path) -> None:
    """Remove what an earlier call made; the marker says that no file here is real."""
    for split in SPLITS:
        for folder in (directory / split).glob("made*"):
            shutil.rmtree(folder)
        with suppress(OSError):  # not there, or something else is in it
            (directory / split).rmdir()
        for shard in directory.glob(f"{split}-*-of-*"):
            shard.unlink()
