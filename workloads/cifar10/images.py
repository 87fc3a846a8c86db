"""The batches of one rank: images of all ranks in one random order, and each rank's share of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.cifar10 import layout
from workloads.cifar10.augmentation import augmented, normalised
from workloads.description import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workloads.runtime.collectives import Ranks


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How training images are changed; see `augmented`."""

    padding: int
    flip: bool
    cutout: int


class Cifar10Images:
    """The images of a directory, in memory.

    Parameters
    ----------
    ranks
        Who shares the images.
    batch_size
        Images of a rank's step.
    seed
        Every random choice follows from it, the epoch and the rank.
    augmentation
        How training images are changed.

    Raises
    ------
    DataError
        If a file cannot be used, or the training images do not fill one step.
    """

    def __init__(
        self, directory: Path, ranks: Ranks, batch_size: int, seed: int, augmentation: Augmentation
    ) -> None:
        train = np.concatenate([layout.read(directory / name) for name in layout.TRAINING])
        self._train, self._test = train, layout.read(directory / layout.TEST)
        self._ranks, self._batch_size = ranks, batch_size
        self._seed, self._augmentation = seed % 2**64, augmentation
        facts = layout.facts(directory, len(self._train), len(self._test))
        self.facts = facts | {"validation_images": len(self._test)}
        self.steps_per_epoch = len(self._train) // (batch_size * ranks.size)
        if not self.steps_per_epoch:
            raise DataError(
                f"{directory}: {len(self._train)} training images do not fill one step of {ranks.size} "
                f"ranks × {batch_size} images; lower batch_size, use fewer ranks, or give more images"
            )

    def training(self, epoch: int) -> Iterator[tuple[Any, Any]]:
        """Yield the batches of an epoch; no image is in two of them, on whatever ranks."""
        ranks, change = self._ranks, self._augmentation
        used = self.steps_per_epoch * self._batch_size * ranks.size
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._train))[:used]
        draws = np.random.default_rng([self._seed, epoch, ranks.rank])
        for images, labels in self._batches(self._train[order[ranks.rank :: ranks.size]]):
            shown = augmented(images, draws, padding=change.padding, flip=change.flip, cutout=change.cutout)
            yield shown, labels

    def validation(self) -> Iterator[tuple[Any, Any]]:
        """Yield the test batches that this rank scores; the last one may be smaller."""
        for images, labels in self._batches(self._test[self._ranks.rank :: self._ranks.size]):
            yield normalised(images), labels

    def _batches(self, records: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        size = self._batch_size
        for first in range(0, len(records), size):
            batch = records[first : first + size]
            yield layout.images(batch), batch[:, 0].astype(np.int64)
