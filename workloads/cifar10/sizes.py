"""Sizes of CIFAR-10."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class Cifar10Sizes:
    """Sizes of made data; the defaults are those of CIFAR-10."""

    train_images: int = parameter(50_000, "images of the five training files", minimum=10)
    test_images: int = parameter(10_000, "images of the test file", minimum=1)
