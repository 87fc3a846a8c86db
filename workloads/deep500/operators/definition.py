"""Operators as data: arrays with named axes, operations, and how far a reference can be cut."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workloads.description import WorkloadError
from workloads.spelling import near

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Size = Mapping[str, int]
"""Length of each axis, and other whole numbers of an operator such as its stride, by name."""

Count = Callable[[Size], int]
GRADIENT = "d_"
"""Before the name of an array: the gradient of the weighted sum of all outputs with respect to it."""

_LARGEST = 10**9
_ENTRY = re.compile(r"(\w+)=(\d{1,10})")


@dataclass(frozen=True, slots=True)
class Part:
    """Results that one call of the reference computes.

    Parameters
    ----------
    results
        Names of outputs, and of gradients with `GRADIENT` before the input's name.
    free
        Axes along which these results are independent: a reference of some of their indices needs the
        inputs at those indices alone.
    """

    results: tuple[str, ...]
    free: str


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    Parameters
    ----------
    name, title
        Value of the workload's parameter, and one line for people.
    dimensions
        Whole numbers that a size names, with their defaults; None: it must be named; a text: another one.
    derived
        Returns the lengths of further axes.
    inputs, outputs
        Axes of each array, one letter each, separated by spaces.
    flop, gradient_flop
        Operations of the forward pass, and of the forward pass with the gradients by all inputs.
    terms
        Terms of the longest sum in a result, by its name; 1 where none is given.
    roundings
        How often a plain program rounds to the type of the arrays between an input and a result.
    parts
        All results, in calls of the reference.
    reference
        Computes at least the wanted results from float64 arrays.
    deviation
        Standard deviation of an input's random numbers, by its name; 1 where none is given.
    """

    name: str
    title: str
    dimensions: Mapping[str, int | str | None]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    flop: Count
    gradient_flop: Count
    parts: tuple[Part, ...]
    reference: Callable[[Mapping[str, Floats], Size, Sequence[str]], dict[str, Floats]]
    derived: Callable[[Size], dict[str, int]] = lambda size: {}  # noqa: ARG005
    terms: Mapping[str, Count] = field(default_factory=dict)
    roundings: int = 1
    deviation: Mapping[str, Callable[[Size], float]] = field(default_factory=dict)

    def axes(self, array: str) -> tuple[str, ...]:
        """Return the axes of an input, an output, or the gradient of one."""
        name = array.removeprefix(GRADIENT)
        return tuple((self.inputs | self.outputs)[name].split())  # type: ignore[operator]

    def shape(self, array: str, size: Size) -> tuple[int, ...]:
        """Return the shape of an array."""
        return tuple(size[axis] for axis in self.axes(array))

    def given(self, direction: str) -> tuple[str, ...]:
        """Return the names of the arrays that are made at random: inputs, and gradients of the outputs."""
        return (*self.inputs, *(GRADIENT + one for one in self.outputs if direction == "gradient"))

    def results(self, direction: str) -> tuple[str, ...]:
        """Return the names of outputs, and of the gradients by the inputs."""
        return (*self.outputs, *(GRADIENT + one for one in self.inputs if direction == "gradient"))

    def operations(self, size: Size, direction: str) -> int:
        """Return the floating-point operations of one call."""
        return self.gradient_flop(size) if direction == "gradient" else self.flop(size)

    def elements(self, size: Size, direction: str) -> int:
        """Return how many numbers all given arrays and all results have."""
        names = (*self.given(direction), *self.results(direction))
        return sum(math.prod(self.shape(one, size)) for one in names)

    def size(self, text: str, tables: Mapping[str, str]) -> dict[str, int]:
        """Return the size that a text names.

        Parameters
        ----------
        text
            A name among `tables`, or ``name=number`` for each dimension, separated by commas.
        tables
            Texts of that form by their names.

        Raises
        ------
        WorkloadError
            If the name is unknown, or a dimension is unknown, missing, or impossible.
        """
        if "=" not in text and text not in tables:
            hint = near(text, tables, f"there are {', '.join(tables)}")
            raise WorkloadError(f"size {text!r} is none of {self.name}{hint}; or write {self._example()}")
        given: dict[str, int] = {}
        for entry in tables.get(text, text).split(","):
            found = _ENTRY.fullmatch(entry.strip())
            if not found:
                raise WorkloadError(f"size {text!r}: {entry!r} is no name=number; write {self._example()}")
            name, number = found[1], int(found[2])
            if name not in self.dimensions:
                hint = near(name, self.dimensions, f"it has {', '.join(self.dimensions)}")
                raise WorkloadError(f"size {text!r}: {self.name} has no dimension {name!r}{hint}")
            if name in given:
                raise WorkloadError(f"size {text!r} names {name} twice")
            if number > _LARGEST or (number < 1 and name != "pad"):
                raise WorkloadError(f"size {text!r}: {name} must be from 1 to {_LARGEST}, not {number}")
            given[name] = number
        return self._complete(text, given)

    def _complete(self, text: str, given: Mapping[str, int]) -> dict[str, int]:
        missing = [name for name, default in self.dimensions.items() if default is None and name not in given]
        if missing:
            raise WorkloadError(f"size {text!r} lacks {', '.join(missing)}; write {self._example()}")
        size: dict[str, int] = {}
        for name, default in self.dimensions.items():
            other = size[default] if isinstance(default, str) else default
            size[name] = given[name] if name in given else int(other or 0)
        size |= self.derived(size)
        for name, length in size.items():
            if length < 1 and name != "pad":
                raise WorkloadError(f"size {text!r}: the output of {self.name} would have no elements")
        return size

    def _example(self) -> str:
        return ",".join(
            f"{name}={default if isinstance(default, int) else 8}"
            for name, default in self.dimensions.items()
            if not isinstance(default, str)
        )
