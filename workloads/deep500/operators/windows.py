"""NumPy references in float64 of convolution and pooling, whose outputs see a window of the input each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.deep500.operators.definition import Size

if TYPE_CHECKING:
    from workloads.deep500.operators.definition import Floats


def conv2d(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:
    """Return the wanted of y, d_x and d_kernel of a convolution with zeros around the images."""
    kernel, results = arrays["kernel"], {}
    if "y" in wanted:
        results["y"] = np.tensordot(
            _windows(_padded(arrays["x"], size), size), kernel, ((3, 4, 5), (2, 0, 1))
        )
    if "d_kernel" in wanted:
        windows = _windows(_padded(arrays["x"], size), size)
        product = np.tensordot(windows, arrays["d_y"], ((0, 1, 2), (0, 1, 2)))
        results["d_kernel"] = product.transpose(1, 2, 0, 3)
    if "d_x" in wanted:
        slopes = np.zeros_like(_padded(arrays["x"], size))
        for row, column, view in _views(slopes, size):
            view += arrays["d_y"] @ kernel[row, column].T
        results["d_x"] = _unpadded(slopes, size)
    return results


def max_pool(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:
    """Return the largest of each window, and d_x: of equal ones the first, row by row, has the gradient."""
    padded = _padded(arrays["x"], size, -np.inf)
    windows = _windows(padded, size)
    flat = windows.reshape(*windows.shape[:4], -1)
    largest = flat.argmax(axis=-1)
    results = {"y": np.take_along_axis(flat, largest[..., None], -1)[..., 0]}
    if "d_x" in wanted:
        slopes = np.zeros_like(padded)
        for row, column, view in _views(slopes, size):
            view += np.where(largest == row * size["s"] + column, arrays["d_y"], 0.0)
        results["d_x"] = _unpadded(slopes, size)
    return results


def average_pool(arrays: Mapping[str, Floats], size: Size, wanted: Sequence[str]) -> dict[str, Floats]:
    """Return the mean of each window, and d_x."""
    results = {"y": _windows(arrays["x"], size).mean(axis=(4, 5))}
    if "d_x" in wanted:
        slopes = np.zeros_like(arrays["x"])
        for _, _, view in _views(slopes, size):
            view += arrays["d_y"] / (size["r"] * size["s"])
        results["d_x"] = slopes
    return results


def _padded(images: Floats, size: Size, value: float = 0.0) -> Floats:
    around = (size["pad"],) * 2
    return np.pad(images, ((0, 0), around, around, (0, 0)), constant_values=value)


def _unpadded(images: Floats, size: Size) -> Floats:
    pad = size["pad"]
    return images[:, pad : images.shape[1] - pad, pad : images.shape[2] - pad]


def _windows(images: Floats, size: Size) -> Floats:
    """Return the window of every output: axes n, p, q, c, r, s."""
    view: Any = np.lib.stride_tricks.sliding_window_view  # its types have no tuple of axes
    windows: Floats = view(images, (size["r"], size["s"]), axis=(1, 2))
    return windows[:, :: size["stride"], :: size["stride"]]


def _views(images: Floats, size: Size) -> Iterator[tuple[int, int, Floats]]:
    """Yield row and column in the window, and the pixels, one of each window, that are there."""
    step = size["stride"]
    for row in range(size["r"]):
        for column in range(size["s"]):
            rows = slice(row, row + step * size["p"], step)
            yield row, column, images[:, rows, column : column + step * size["q"] : step]
