"""Make images in the format of the CosmoFlow data set, whose statistics tell the parameters.

The fields are no simulation's. Each is a random field with structures of some size, whose exponential is
the density of matter, and the counts are drawn from that. Three parameters act on the densities: how much
matter there is, how strongly it clumps, and how fast both grow from one redshift to the next; the fourth is
the size of the structures.
"""

from __future__ import annotations

import gzip
import shutil
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.cosmoflow.layout import SPLITS, SUFFIX
from workloads.cosmoflow.sizes import REDSHIFTS, TARGETS, CosmoSizes
from workloads.data.synthetic import MARK_DIGITS, writing_synthetic
from workloads.data.tfrecords import encode_example, write_records
from workloads.data.threads import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COUNT_BITS, _LEAST_BITS = 16, 1  # of a cell; compressed ones take over 4 in the mean of many images
_MOST = np.iinfo(np.int16).max


def make(directory: Path, seed: int, **given: Any) -> tuple[Path, ...]:
    """Write synthetic images, a file each, and return their two folders.

    An image follows from the seed, its split, its number and its edge. What an earlier call made in
    `directory` is removed.

    Parameters
    ----------
    directory
        Created where it does not exist.
    seed
        All images follow from it.
    given
        Fields of `CosmoSizes` that differ from the real data set's.

    Raises
    ------
    DataError
        If the directory holds files that were not made here.
    """
    directory, sizes = Path(directory), CosmoSizes(**given)
    counts = dict(zip(SPLITS, (sizes.train_images, sizes.validation_images), strict=True))
    described = {"maker": f"{__name__}:make", "seed": seed, "sizes": asdict(sizes)}
    cells = REDSHIFTS * sizes.image_edge**3 * sum(counts.values())
    least = cells * (_COUNT_BITS if sizes.compression == "none" else _LEAST_BITS) // 8
    with writing_synthetic(directory, SPLITS, described, least):
        for split in SPLITS:
            with suppress(FileNotFoundError):
                shutil.rmtree(directory / split)
            (directory / split).mkdir()
        tasks = ((part, number) for part, split in enumerate(SPLITS) for number in range(counts[split]))
        for _ in in_threads(partial(_write, directory, seed, sizes), tasks):
            pass
    return tuple(directory / split for split in SPLITS)


def image(edge: int, draws: np.random.Generator) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the counts of an image, edge × edge × edge × 4, and its four parameters from -1 to 1."""
    parameters = draws.uniform(-1, 1, TARGETS).astype(np.float32)
    matter, clumping, growth, size = parameters.astype(np.float64)
    field = _structures(edge, 2.0**size, draws)
    ages = np.linspace(-1, 1, REDSHIFTS)
    strength = 0.75 + 0.5 * clumping
    levels = 1 + matter + 0.75 * growth * ages - strength**2 / 2
    density = np.exp(levels + strength * field[..., None])
    return np.minimum(draws.poisson(density), _MOST).astype("<i2"), parameters


def _structures(edge: int, size: float, draws: np.random.Generator) -> NDArray[np.float64]:
    """Return a field of mean 0 and deviation 1 whose structures have a radius of some cells."""
    waves = np.fft.rfftn(draws.standard_normal((edge, edge, edge)))
    along, last = 2 * np.pi * np.fft.fftfreq(edge), 2 * np.pi * np.fft.rfftfreq(edge)
    squares = along[:, None, None] ** 2 + along[:, None] ** 2 + last**2
    waves *= np.exp(-squares * size**2 / 2)
    waves[0, 0, 0] = 0
    field = np.fft.irfftn(waves, (edge, edge, edge), axes=(0, 1, 2))
    scaled: NDArray[np.float64] = field / field.std()
    return scaled


def _write(directory: Path, seed: int, sizes: CosmoSizes, task: tuple[int, int]) -> None:
    part, number = task
    counts, parameters = image(sizes.image_edge, np.random.default_rng([seed, part, number]))
    # Readers of the format pass over `origin`, and over the name that gzip keeps, which is not compressed.
    record = encode_example({"origin": MARK_DIGITS.encode(), "x": counts.tobytes(), "y": parameters.tolist()})
    path = directory / SPLITS[part] / f"made_{number:06d}{SUFFIX}"
    with path.open("wb") as file:
        if sizes.compression == "none":
            write_records(file, [record])
        else:
            with gzip.GzipFile(MARK_DIGITS, "wb", 6, file, mtime=0) as compressed:
                write_records(compressed, [record])
