"""Gradients for the check of an optimizer: drawn, or those of a small network along the reference's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_INPUTS, _HIDDEN, _CLASSES, _ROWS = 32, 64, 10, 64
NETWORK_SHAPES = ((_INPUTS, _HIDDEN), (_HIDDEN,), (_HIDDEN, _CLASSES), (_CLASSES,))
"""Of the weights of a perceptron with one hidden layer."""
_SMALLEST = 0.25


def initial(shapes: Sequence[tuple[int, ...]], seed: int) -> Floats:
    """Return parameters before the first step, one array after another: normal, of variance 1/32."""
    import numpy as np

    draws = np.random.default_rng([seed, 0])
    values: Floats = draws.standard_normal(sum(int(np.prod(shape)) for shape in shapes)) / np.sqrt(_INPUTS)
    return values


def drawn(number: int, seed: int, step: int) -> Floats:
    """Return gradients with magnitudes from 0.25 to 1 and random signs: their squares fit 16 bits."""
    import numpy as np

    draws = np.random.default_rng([seed, 1, step])
    values: Floats = draws.uniform(_SMALLEST, 1, number) * draws.choice((-1.0, 1.0), number)
    return values


def of_network(parameters: Floats, seed: int) -> Floats:
    """Return gradients of a perceptron's mean cross-entropy, one array of `NETWORK_SHAPES` after another."""
    import numpy as np

    rows, labels = _rows(seed)
    hidden, shares = _forward(parameters, rows)
    slope = (shares - np.eye(_CLASSES)[labels]) / _ROWS
    below = slope @ split(parameters, NETWORK_SHAPES)[2].T * (1 - hidden**2)
    parts = (rows.T @ below, below.sum(axis=0), hidden.T @ slope, slope.sum(axis=0))
    return np.concatenate([part.ravel() for part in parts])


def _rows(seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows and their classes: each row is its class's pattern with noise."""
    import numpy as np

    draws = np.random.default_rng([seed, 2])
    labels = np.arange(_ROWS) % _CLASSES
    patterns = draws.standard_normal((_CLASSES, _INPUTS))
    return patterns[labels] + draws.standard_normal((_ROWS, _INPUTS)) / 4, labels


def _forward(parameters: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return the hidden units, and the share that each class gets."""
    import numpy as np

    first, shift, second, last = split(parameters, NETWORK_SHAPES)
    hidden = np.tanh(rows @ first + shift)
    scores = hidden @ second + last
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return hidden, shares / shares.sum(axis=1, keepdims=True)


def split(values: Floats, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
    """Return a vector's parts in their shapes."""
    import numpy as np

    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(values, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
