"""Make images in the published formats, with classes that a network can learn to tell apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workloads.data.synthetic import MARK_DIGITS, atomic_write, writing_synthetic
from workloads.description import DataError
from workloads.image_sets import idx
from workloads.image_sets.table import DATASET, IMAGE_SETS, ImageSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

_COARSE = 4
_NOISE = 40.0


def make(directory: Path, *, seed: int, dataset: str, train_images: int, test_images: int) -> list[Path]:
    """Write the files of a data set and return their paths.

    Each class has a coarse pattern of colours, which every image of it shows under noise, mirrored in half of
    the cases. The first bytes of each file's first image are the mark of made data.

    Raises
    ------
    DataError
        If a class would have no training image, or as `writing_synthetic`.
    """
    of = IMAGE_SETS[dataset]
    least = max(of.label_classes)
    if train_images < least:
        raise DataError(
            f"train_images must be at least {least} for {of.title}, which has so many classes, "
            f"not {train_images}"
        )
    share, more = divmod(train_images, len(of.training))
    counts = [share + (number < more) for number in range(len(of.training))] + [test_images]
    parts = (*of.training, of.test)
    files = [name for part in parts for name in _files(of, part)]
    names = [of.names] if of.names else []
    # A size that is its default is left out: workloads that read CIFAR-10 alone share a folder with others.
    named = {} if dataset == DATASET.default else {"dataset": dataset}
    sizes = {**named, "train_images": train_images, "test_images": test_images}
    described = {"maker": f"{__name__}:make", "seed": seed, "sizes": sizes}
    patterns, first = _patterns(of, seed), 0
    with writing_synthetic(directory, [*files, *names], described, sum(counts) * of.record_bytes):
        for number, (part, count) in enumerate(zip(parts, counts, strict=True), 1):
            classes = np.arange(first, first + count) % least
            labels, rows = _drawn(of, patterns, classes, np.random.default_rng([seed, number]))
            _write(of, directory, part, labels, rows)
            first += count
        if of.names:
            with atomic_write(directory / of.names) as file:
                file.writelines(f"class_{label}\n" for label in range(of.classes))
    return [directory / name for name in (*files, *names)]


def _files(of: ImageSet, part: str) -> tuple[str, ...]:
    return (idx.IMAGES.format(part), idx.LABELS.format(part)) if of.format == "idx" else (part,)


def _patterns(of: ImageSet, seed: int) -> NDArray[np.float64]:
    """Return the pattern of each class: class, colour, row, column."""
    rows, columns, colours = of.shape
    classes = max(of.label_classes)
    coarse = np.random.default_rng([seed, 0]).uniform(60, 196, (classes, colours, _COARSE, _COARSE))
    return coarse.repeat(rows // _COARSE, axis=2).repeat(columns // _COARSE, axis=3)


def _drawn(
    of: ImageSet, patterns: NDArray[np.float64], classes: NDArray[np.int64], draws: np.random.Generator
) -> tuple[Bytes, Bytes]:
    """Return labels and images of the given classes, in a random order, each a row."""
    order, finest = draws.permutation(classes), max(of.label_classes)
    labels = np.stack([order * coarser // finest for coarser in of.label_classes], axis=1).astype(np.uint8)
    rows = np.empty((len(order), of.pixel_bytes), np.uint8)
    for row, label in zip(rows, order, strict=True):
        pattern = patterns[label][:, :, :: int(draws.choice((-1, 1)))]
        pixels = pattern + draws.normal(0, _NOISE, pattern.shape)
        row[:] = np.clip(np.rint(pixels), 0, 255).astype(np.uint8).ravel()
    mark = np.frombuffer(MARK_DIGITS.encode(), np.uint8)
    rows[0, : mark.size] = mark
    return labels, rows


def _write(of: ImageSet, directory: Path, part: str, labels: Bytes, rows: Bytes) -> None:
    if of.format == "records":
        content = np.concatenate([labels, rows], axis=1).tobytes()
        _replace(directory / part, lambda path: path.write_bytes(content))
        return
    arrays: Sequence[Bytes] = (rows.reshape(-1, *of.shape[:2]), labels[:, 0])
    for name, array in zip(_files(of, part), arrays, strict=True):
        _replace(directory / name, lambda path, array=array: idx.write(path, array))  # type: ignore[misc]


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let a file take the place of another when it is whole."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        write(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
