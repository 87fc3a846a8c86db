"""AlexNet: time per batch, forward and in training."""

from __future__ import annotations

from functools import partial

from workloads.convnets import timing
from workloads.convnets.architecture import Architecture, Convolution, Dense, Pool

DESIGN = Architecture(
    layers=(
        Convolution(64, 11, 4, "valid"),
        Pool(3, 2),
        Convolution(192, 5),
        Pool(3, 2),
        Convolution(384, 3),
        Convolution(256, 3),
        Convolution(256, 3),
        Pool(3, 2),
        Dense(4096),
        Dense(4096),
    )
)

WORKLOAD = timing.convnet_workload(
    "alexnet",
    "AlexNet",
    batch_size=128,
    image_size=227,
    smallest_image=67,
    parameter_count=61_100_840,
    forward_flop=1_428_376_960,
)

run = partial(timing.time_network, DESIGN)
