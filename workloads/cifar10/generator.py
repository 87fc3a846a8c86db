"""Make images in the binary form of CIFAR-10, with classes that a network can learn to tell apart."""

from __future__ import annotations

from pathlib import Path

from workloads.image_sets import generator


def make(directory: Path, *, seed: int, train_images: int, test_images: int) -> list[Path]:
    """Write seven files and return their paths; see `workloads.image_sets.generator.make`.

    Raises
    ------
    DataError
        As `workloads.data.synthetic.writing_synthetic`.
    """
    return generator.make(
        directory, seed=seed, dataset="cifar10", train_images=train_images, test_images=test_images
    )
