"""OverFeat: time per batch, forward and in training."""

from __future__ import annotations

from functools import partial

from workloads.convnets import timing
from workloads.convnets.architecture import Architecture, Convolution, Dense, Pool

DESIGN = Architecture(
    layers=(
        Convolution(96, 11, 4, "valid"),
        Pool(2, 2),
        Convolution(256, 5, padding="valid"),
        Pool(2, 2),
        Convolution(512, 3),
        Convolution(1024, 3),
        Convolution(1024, 3),
        Pool(2, 2),
        Dense(3072),
        Dense(4096),
    )
)

WORKLOAD = timing.convnet_workload(
    "overfeat",
    "OverFeat",
    batch_size=128,
    image_size=231,
    smallest_image=71,
    parameter_count=145_920_872,
    forward_flop=5_602_807_808,
)

run = partial(timing.time_network, DESIGN)
