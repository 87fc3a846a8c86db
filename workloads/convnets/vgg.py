"""VGG, model A of 11 layers: time per batch, forward and in training."""

from __future__ import annotations

from functools import partial

from workloads.convnets import timing
from workloads.convnets.architecture import Architecture, Convolution, Dense, Pool

DESIGN = Architecture(
    layers=(
        Convolution(64, 3),
        Pool(2, 2),
        Convolution(128, 3),
        Pool(2, 2),
        Convolution(256, 3),
        Convolution(256, 3),
        Pool(2, 2),
        Convolution(512, 3),
        Convolution(512, 3),
        Pool(2, 2),
        Convolution(512, 3),
        Convolution(512, 3),
        Pool(2, 2),
        Dense(4096),
        Dense(4096),
    ),
    ones=True,
    omitted_steps=0,
)

WORKLOAD = timing.convnet_workload(
    "vgg",
    "VGG, model A",
    batch_size=64,
    image_size=224,
    smallest_image=32,
    parameter_count=132_863_336,
    forward_flop=15_218_180_096,
)

run = partial(timing.time_network, DESIGN)
