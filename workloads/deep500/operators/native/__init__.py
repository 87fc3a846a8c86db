"""The operators of each framework, behind the same few functions in a module of its own.

A module is imported only where its framework is used, after the framework was configured for the slot.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast

from workloads.deep500.operators.definition import Operator, Size
from workloads.description import WorkloadError

Step = Callable[[], Sequence[Any]]
Function = Callable[..., Any]


class Native(Protocol):
    """Interface of every module of this package."""

    UNSUPPORTED: tuple[type[Exception], ...]
    """What the framework raises where it has no such operator for these arrays."""

    LAYOUTS: Mapping[str, Mapping[str, str]]
    """Order of the axes of arrays that the framework's operator takes or returns in another order."""

    def place(self, array: Any, precision: str) -> Any:
        """Return a float32 NumPy array on the device, in a precision."""

    def fetch(self, result: Any) -> Any:
        """Return a result as a float32 NumPy array."""

    def compiled(self, operator: str, size: Size, inputs: Sequence[Any], slopes: Sequence[Any]) -> Step:
        """Return a call that computes the outputs; with slopes, the gradients by all inputs as well.

        The slopes are the gradients of the outputs. What the first call compiles is compiled there.
        """


def load(framework: str) -> Native:
    """Return the module of a framework."""
    return cast("Native", importlib.import_module(f"{__name__}.{framework}"))


class NativeStep:
    """A framework's operator on arrays that are on its device; it has run once.

    Parameters
    ----------
    arrays
        Inputs, and gradients of the outputs where the gradients by the inputs are computed too.

    Raises
    ------
    WorkloadError
        If the framework has no such operator in this precision on this device.
    """

    def __init__(
        self, framework: str, operator: Operator, size: Size, precision: str, arrays: Mapping[str, Any]
    ) -> None:
        self._native, self._operator = load(framework), operator
        self._layouts = self._native.LAYOUTS.get(operator.name, {})
        placed = {
            name: self._native.place(self._ordered(name, one), precision) for name, one in arrays.items()
        }
        inputs = [placed.pop(name) for name in operator.inputs]
        self._names = operator.results("gradient" if placed else "forward")
        try:
            self._call = self._native.compiled(operator.name, size, inputs, list(placed.values()))
            self._call()
        except self._native.UNSUPPORTED as error:
            reason = str(error).strip().partition("\n")[0]
            raise WorkloadError(
                f"{framework} has no {operator.name} in {precision} here: {reason}"
            ) from error

    def __call__(self) -> Any:
        """Compute the results on the device."""
        return self._call()

    def fetch(self, results: Any) -> dict[str, Any]:
        """Return results as float32 arrays with the operator's own order of axes."""
        fetched = map(self._native.fetch, results)
        return {name: self._restored(name, one) for name, one in zip(self._names, fetched, strict=True)}

    def _ordered(self, name: str, array: Any) -> Any:
        import numpy as np

        return np.ascontiguousarray(array.transpose(self._order(name)))

    def _restored(self, name: str, array: Any) -> Any:
        order = self._order(name)
        return array.transpose([order.index(place) for place in range(len(order))])

    def _order(self, name: str) -> list[int]:
        """Return the place in the operator's order of each of the framework's axes."""
        axes = self._operator.axes(name)
        layout = self._layouts.get(name.removeprefix("d_"), " ".join(axes))
        return [axes.index(axis) for axis in layout.split()]
