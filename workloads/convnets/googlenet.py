"""GoogLeNet: time per batch, forward and in training."""

from __future__ import annotations

from functools import partial

from workloads.convnets import timing
from workloads.convnets.architecture import Architecture, Convolution, Inception, Pool

DESIGN = Architecture(
    layers=(
        Convolution(64, 7, 2),
        Pool(3, 2, "same"),
        Convolution(64, 1),
        Convolution(192, 3),
        Pool(3, 2, "same"),
        Inception(64, 96, 128, 16, 32, 32),
        Inception(128, 128, 192, 32, 96, 64),
        Pool(3, 2, "same"),
        Inception(192, 96, 208, 16, 48, 64),
        Inception(160, 112, 224, 24, 64, 64),
        Inception(128, 128, 256, 24, 64, 64),
        Inception(112, 144, 288, 32, 64, 64),
        Inception(256, 160, 320, 32, 128, 128),
        Pool(3, 2, "same"),
        Inception(256, 160, 320, 32, 128, 128),
        Inception(384, 192, 384, 48, 128, 128),
        Pool(7, 1, kind="average"),
    )
)

WORKLOAD = timing.convnet_workload(
    "googlenet",
    "GoogLeNet",
    batch_size=128,
    image_size=224,
    smallest_image=193,
    parameter_count=6_998_552,
    forward_flop=3_165_343_744,
)

run = partial(timing.time_network, DESIGN)
