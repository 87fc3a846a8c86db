"""Means of figures of merit."""

from __future__ import annotations

import math
from collections.abc import Sequence


def geometric_mean(values: Sequence[float]) -> float:
    """Return the n-th root of v₁ × … × vₙ, for instance of the members of a group.

    Raises
    ------
    ValueError
        If there are no values, or one is not positive.
    """
    if not values:
        raise ValueError("no values to take a mean of")
    logarithms = [math.log(usable("value", value)) for value in values]
    mean = math.exp(math.fsum(logarithms) / len(values))
    return min(max(mean, min(values)), max(values))  # rounding must not leave the values' range


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return (w₁v₁ + … + wₙvₙ) ÷ (w₁ + … + wₙ), the weighted arithmetic mean.

    Raises
    ------
    ValueError
        If there are no values, lengths differ, or a value or weight is not positive.
    """
    if not values or len(values) != len(weights):
        raise ValueError(f"{len(values)} values and {len(weights)} weights make no mean")
    products = [usable("value", v) * usable("weight", w) for v, w in zip(values, weights, strict=True)]
    return usable("mean", sum(products) / sum(weights))


def usable(what: str, value: float) -> float:
    """Return a value if it is positive and finite; raises `ValueError` otherwise."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{what} must be a positive finite number, not {value!r}")
    return float(value)
