"""Sizes of made images."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.image_sets.table import DATASET
from workloads.parameters import common, parameter


@dataclass(frozen=True, slots=True)
class ImageSetSizes:
    """Sizes of made data; the defaults are those of CIFAR-10."""

    dataset: str = common(DATASET)
    train_images: int = parameter(
        50_000, "images to train with; MNIST and Fashion-MNIST have 60,000", minimum=10
    )
    test_images: int = parameter(10_000, "images of the test set", minimum=1)
