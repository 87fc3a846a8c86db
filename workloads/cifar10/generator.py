"""Make images in the binary form of CIFAR-10, with classes that a network can learn to tell apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workloads.cifar10.layout import CLASSES, COLOURS, EDGE, NAMES, RECORD_BYTES, TEST, TRAINING
from workloads.data.synthetic import MARK_DIGITS, atomic_write, writing_synthetic

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COARSE = 4
_NOISE = 40.0


def make(directory: Path, *, seed: int, train_images: int, test_images: int) -> list[Path]:
    """Write seven files and return their paths.

    Each class has a coarse pattern of colours, which every image of it shows under noise, mirrored in half of
    the cases as the training mirrors. The first bytes of each file's first image are the mark of made data.

    Raises
    ------
    DataError
        As `writing_synthetic`.
    """
    files = (*TRAINING, TEST)
    share, more = divmod(train_images, len(TRAINING))
    counts = [share + (number < more) for number in range(len(TRAINING))] + [test_images]
    sizes = {"train_images": train_images, "test_images": test_images}
    described = {"maker": f"{__name__}:make", "seed": seed, "sizes": sizes}
    coarse = np.random.default_rng([seed, 0]).uniform(60, 196, (CLASSES, COLOURS, _COARSE, _COARSE))
    patterns = coarse.repeat(EDGE // _COARSE, axis=2).repeat(EDGE // _COARSE, axis=3)
    first = 0
    with writing_synthetic(directory, (*files, NAMES), described, sum(counts) * RECORD_BYTES):
        for number, (name, count) in enumerate(zip(files, counts, strict=True), 1):
            partial = directory / f".{name}.partial"
            labels = np.arange(first, first + count) % CLASSES
            records = _records(patterns, labels, np.random.default_rng([seed, number]))
            try:
                partial.write_bytes(records.tobytes())
                partial.replace(directory / name)
            finally:
                partial.unlink(missing_ok=True)
            first += count
        with atomic_write(directory / NAMES) as names:
            names.writelines(f"class_{label}\n" for label in range(CLASSES))
    return [directory / name for name in (*files, NAMES)]


def _records(
    patterns: NDArray[np.float64], labels: NDArray[np.int64], draws: np.random.Generator
) -> NDArray[np.uint8]:
    """Return records of images of the given classes, in a random order."""
    records = np.empty((len(labels), RECORD_BYTES), np.uint8)
    records[:, 0] = draws.permutation(labels)
    for record in records:
        shown = patterns[record[0]][:, :, :: int(draws.choice((-1, 1)))]
        pixels = shown + draws.normal(0, _NOISE, shown.shape)
        record[1:] = np.clip(np.rint(pixels), 0, 255).astype(np.uint8).ravel()
    mark = np.frombuffer(MARK_DIGITS.encode(), np.uint8)
    records[0, 1 : 1 + mark.size] = mark
    return records
