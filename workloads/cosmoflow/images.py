"""The batches of one rank, read by threads while the step before is computed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.cosmoflow.layout import Image, facts, list_files, read
from workloads.data.threads import ahead
from workloads.description import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workloads.runtime.collectives import Ranks

Batch = tuple["NDArray[np.int16]", "NDArray[np.float32]"]
"""Counts of some images, and the parameters of their universes."""


class CosmoImages:
    """The images of a directory, read from their files whenever they are needed.

    Parameters
    ----------
    ranks
        Who shares the images.
    edge
        Cells along each axis of an image.
    batch_size
        Images of a rank's step.
    seed
        The order of the images follows from it and the epoch.
    threads
        Images that are read at once.

    Raises
    ------
    DataError
        On every rank, if folders or files are missing, or the training images do not fill one step.
    """

    def __init__(
        self, directory: Path, ranks: Ranks, *, edge: int, batch_size: int, seed: int, threads: int
    ) -> None:
        found = ranks.broadcast_object(lambda: _survey(directory))
        self._directory, self._files = directory, found["files"]
        self.facts: dict[str, Any] = found["facts"]
        self._ranks, self._batch_size, self._seed = ranks, batch_size, seed % 2**64
        self._read = partial(read, edge=edge)
        self._threads = threads
        images = len(self._files["train"])
        self.steps_per_epoch = images // (batch_size * ranks.size)
        if not self.steps_per_epoch:
            raise DataError(
                f"{directory}: {images} training images do not fill one step of {ranks.size} "
                f"ranks × {batch_size} images; lower batch_size, use fewer ranks, or give more images"
            )

    def training(self, epoch: int) -> Generator[Batch]:
        """Yield the batches of an epoch: this rank's share of the images that all ranks have in each step."""
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._files["train"]))
        shape = self.steps_per_epoch, self._ranks.size, self._batch_size
        mine = order[: int(np.prod(shape))].reshape(shape)[:, self._ranks.rank]
        return self._batches("train", mine.ravel())

    def validation(self) -> Generator[Batch]:
        """Yield the batches that this rank scores; together the ranks score each image once."""
        mine = np.arange(self._ranks.rank, len(self._files["validation"]), self._ranks.size)
        return self._batches("validation", mine)

    def _batches(self, split: str, numbers: NDArray[np.int64]) -> Generator[Batch]:
        names = self._files[split]
        paths = (self._directory / split / names[number] for number in numbers.tolist())
        most = self._threads + self._batch_size
        waiting: list[Image] = []
        with closing(ahead(self._read, paths, threads=self._threads, most=most)) as images:
            for image in images:
                waiting.append(image)
                if len(waiting) == self._batch_size:
                    yield _batch(waiting)
                    waiting = []
        if waiting:
            yield _batch(waiting)


def _survey(directory: Path) -> dict[str, Any]:
    files = list_files(directory)
    return {"files": files, "facts": facts(directory, files)}


def _batch(images: list[Image]) -> Batch:
    return np.stack([one.counts for one in images]), np.stack([one.parameters for one in images])
