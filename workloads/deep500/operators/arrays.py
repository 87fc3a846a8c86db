"""Random arrays of an operator, rounded to its precision, and random parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.deep500.operators.definition import Operator, Part, Size
from workloads.deep500.rounding import rounded
from workloads.description import WorkloadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workloads.deep500.operators.definition import Floats

    Singles = NDArray[np.float32]

Generator = np.random.Generator
LARGEST_WORK = 2e8
"""Work of one reference, in operations and 20 for each number: about half a second on a core."""

_PER_NUMBER = 20


def given_arrays(
    operator: Operator, size: Size, direction: str, precision: str, scale: float, random: Generator
) -> dict[str, Singles]:
    """Return inputs, and gradients of the outputs: normal random numbers that the precision can hold.

    Raises
    ------
    WorkloadError
        If numbers of that scale overflow in this precision.
    """
    arrays = {}
    for name in operator.given(direction):
        numbers = random.standard_normal(operator.shape(name, size), dtype=np.float32)
        if (deviation := operator.deviation.get(name)) is not None:
            numbers *= np.float32(deviation(size))
        if scale != 1.0:
            numbers *= np.float32(scale)
        arrays[name] = rounded(numbers, precision)
        if not np.isfinite(arrays[name]).all():
            raise WorkloadError(f"input_scale {scale:g} overflows {precision}: {name} has infinite numbers")
    return arrays


def part_indices(
    operator: Operator, part: Part, size: Size, direction: str, random: Generator
) -> dict[str, Any]:
    """Return random indices of the free axes that a reference of limited work can compute.

    An axis that is computed as a whole is left out.
    """
    lengths = {axis: size[axis] for axis in part.free.split()}
    while _work(operator, {**size, **lengths}, direction) > LARGEST_WORK:
        longest = max(lengths, key=lambda axis: lengths[axis], default="")
        if not longest or lengths[longest] == 1:
            break
        lengths[longest] = -(-lengths[longest] // 2)
    return {
        axis: np.sort(random.choice(size[axis], length, replace=False))
        for axis, length in lengths.items()
        if length < size[axis]
    }


def taken(operator: Operator, name: str, array: Any, indices: Mapping[str, Any]) -> Any:
    """Return the part of an array that has the indices of its axes."""
    for position, axis in enumerate(operator.axes(name)):
        if axis in indices:
            array = np.take(array, indices[axis], axis=position)
    return array


def reference_of(
    operator: Operator, part: Part, size: Size, arrays: Mapping[str, Any], indices: Mapping[str, Any]
) -> dict[str, Floats]:
    """Return the reference of a part's results at some indices; without gradients where none is given."""
    wide = {name: taken(operator, name, one, indices).astype(np.float64) for name, one in arrays.items()}
    size = {**size, **{axis: len(some) for axis, some in indices.items()}}
    gradients = len(arrays) > len(operator.inputs)
    return operator.reference(
        wide, size, [one for one in part.results if gradients or one in operator.outputs]
    )


def _work(operator: Operator, size: Size, direction: str) -> float:
    return operator.operations(size, direction) + _PER_NUMBER * operator.elements(size, direction)
