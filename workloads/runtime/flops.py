"""Floating-point operations of a model."""

from __future__ import annotations

import math
from typing import Any


def forward_flop(model: Any) -> int:
    """Return 2 × the multiply-accumulates of one sample's forward pass: convolutions and dense layers."""
    import keras

    flop = 0
    for layer in model.layers:
        if isinstance(layer, keras.layers.Conv1D | keras.layers.Conv2D):
            flop += 2 * math.prod(layer.output.shape[1:-1]) * math.prod(layer.kernel.shape)
        elif isinstance(layer, keras.layers.Dense):
            flop += 2 * math.prod(layer.kernel.shape)
    return flop
