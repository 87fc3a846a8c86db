"""Sizes of the CosmoFlow data set; defaults are those of MLPerf HPC 1.0 and later."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter

REDSHIFTS = 4
TARGETS = 4
EDGE = 128


@dataclass(frozen=True, slots=True)
class CosmoSizes:
    """Sizes of made images."""

    train_images: int = parameter(524_288, "images to train on, a file each", minimum=1)
    validation_images: int = parameter(65_536, "images to score, a file each", minimum=1)
    image_edge: int = parameter(EDGE, "edge of the images", unit="cells", minimum=2)
    compression: str = parameter("gzip", "of each file", choices=("gzip", "none"))
