"""Layers and architectures of the convnets, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Padding = Literal["same", "valid"]


@dataclass(frozen=True, slots=True)
class Convolution:
    """A square convolution with bias and ReLU."""

    filters: int
    size: int
    stride: int = 1
    padding: Padding = "same"


@dataclass(frozen=True, slots=True)
class Pool:
    """The maximum, or the mean, of square patches."""

    size: int
    stride: int
    padding: Padding = "valid"
    kind: Literal["max", "average"] = "max"


@dataclass(frozen=True, slots=True)
class Inception:
    """Four branches over one input, joined by channel in this order.

    Parameters
    ----------
    one
        Filters of the 1×1 branch.
    three_reduce, three
        Filters of the 1×1 and the 3×3 convolution of the second branch.
    five_reduce, five
        Filters of the 1×1 and the 5×5 convolution of the third branch.
    projection
        Filters of the 1×1 convolution that follows a 3×3 maximum of stride 1.
    """

    one: int
    three_reduce: int
    three: int
    five_reduce: int
    five: int
    projection: int


@dataclass(frozen=True, slots=True)
class Dense:
    """A fully connected layer with bias and ReLU; what comes in is flattened."""

    units: int


Layer = Convolution | Pool | Inception | Dense


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes that make one network differ from another.

    Parameters
    ----------
    layers
        From the image to the last hidden layer. The classifier that ends every network, `CLASSES`
        rectified units, is not listed.
    ones
        The images are all ones, instead of normal with mean 0 and standard deviation 0.1.
    omitted_steps
        Timed steps whose duration the published script leaves out of its sum, though it divides
        by all of them.
    """

    layers: tuple[Layer, ...]
    ones: bool = False
    omitted_steps: int = 1
