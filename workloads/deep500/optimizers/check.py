"""Take an optimizer's steps on a framework beside the reference's, and compare the parameters after each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workloads.context import Metric
from workloads.deep500.optimizers import gradients
from workloads.deep500.optimizers.reference import Step
from workloads.deep500.optimizers.updates import Update
from workloads.deep500.rounding import rounded
from workloads.metrics.outputs import storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Problem:
    """Input of the steps: parameters, and a gradient for each step.

    Parameters
    ----------
    source
        ``drawn`` or ``network``; see `workloads.deep500.optimizers.gradients`.
    seed
        Of all draws.

    Attributes
    ----------
    initial
        Parameters before the first step, one array after another, as the precision holds them.
    """

    def __init__(self, shapes: Sequence[tuple[int, ...]], source: str, precision: str, seed: int) -> None:
        self._shapes, self._source, self._precision, self._seed = shapes, source, precision, seed
        self.initial = self._rounded(gradients.initial(shapes, seed))

    def gradient(self, step: int, parameters: Floats) -> Floats:
        """Return the gradient of a step, as the precision holds it."""
        if self._source == "network":
            return self._rounded(gradients.of_network(parameters, self._seed))
        return self._rounded(gradients.drawn(parameters.size, self._seed, step))

    def variables(self) -> list[Any]:
        """Return Keras variables with the parameters before the first step."""
        import keras

        parts = gradients.split(self.initial, self._shapes)
        return [keras.Variable(part, dtype=self._precision) for part in parts]

    def arrays(self, gradient: Floats) -> list[Any]:
        """Return a gradient as arrays of the framework, on the device that computes."""
        import keras

        parts = gradients.split(gradient, self._shapes)
        return [keras.ops.convert_to_tensor(part.astype("float32"), dtype=self._precision) for part in parts]

    def _rounded(self, values: Floats) -> Floats:
        return rounded(values, self._precision)


def compare(
    steps: Iterable[Step], problem: Problem, variables: Sequence[Any], update: Update
) -> tuple[Metric, ...]:
    """Take the steps of the reference with `update`, print a line of CSV for each, and return the errors.

    ``error_over_bound`` is the largest error by its tolerance, and ``max_error`` the largest error, over all
    parameters and steps; ``nonfinite_outputs`` is the most after one step. Where a parameter is not finite,
    there is no ``max_error``, and `workloads.metrics.outputs.LARGEST` stands for its part of the bound.
    """
    import numpy as np

    worst, worst_step, largest, not_finite = -1.0, 0, 0.0, 0
    print("step,max_error,error_over_bound")
    for step in steps:
        update.begin(step.rate)
        update.apply(problem.arrays(step.gradient), step.rate)
        found = values_of(variables)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            errors = np.abs(found - step.parameters)
            ratios = np.where(errors == 0, 0.0, errors / step.tolerance)
        not_finite = max(not_finite, int(np.sum(~np.isfinite(found))))
        error, ratio = float(errors.max()), storable(ratios.max())
        largest = float(np.maximum(largest, error))  # of NaN and a number, NaN
        if ratio > worst:
            worst, worst_step = ratio, step.number
        print(f"{step.number},{error:.6g},{ratio:.6g}")
    return (
        Metric("error_over_bound", worst),
        Metric("worst_step", worst_step),
        *((Metric("max_error", largest),) if np.isfinite(largest) else ()),
        Metric("nonfinite_outputs", not_finite),
    )


def values_of(variables: Sequence[Any]) -> Floats:
    """Return the values of Keras variables in host memory, one array after another."""
    import keras
    import numpy as np

    parts = [keras.ops.convert_to_numpy(keras.ops.cast(one.value, "float32")).ravel() for one in variables]
    values: Floats = np.concatenate(parts).astype(np.float64)
    return values
