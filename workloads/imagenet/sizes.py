"""Sizes of an ImageNet data set; the defaults are those of the real one."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class ImageNetSizes:
    """Sizes of synthetic images."""

    layout: str = parameter("folders", "class folders or TFRecord files", choices=("folders", "tfrecords"))
    train_images: int = parameter(1_281_167, "training images", minimum=1)
    validation_images: int = parameter(50_000, "validation images", minimum=1)
    classes: int = parameter(1000, "classes", minimum=2)
    image_edge: int = parameter(256, "longest side of a made image", unit="pixels", minimum=32)
    images_per_shard: int = parameter(1252, "images in a made TFRecord file", minimum=1)
