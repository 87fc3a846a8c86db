"""Floating-point operations of a model."""

from __future__ import annotations

import math
from typing import Any


def forward_flop(model: Any) -> int:
    """Return 2 × the multiply-accumulates of one image's forward pass: convolutions and dense layers."""
    import keras

    flop = 0
    for layer in model.layers:
        if isinstance(layer, keras.layers.Conv2D):
            _, height, width, _ = layer.output.shape
            flop += 2 * height * width * math.prod(layer.kernel.shape)
        elif isinstance(layer, keras.layers.Dense):
            flop += 2 * math.prod(layer.kernel.shape)
    return flop
