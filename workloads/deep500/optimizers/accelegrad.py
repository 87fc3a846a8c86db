"""AcceleGrad, which no framework has, in operations that all of them have.

Source: Levy, Yurtsever and Cevher, Online adaptive methods, universality and acceleration, NeurIPS 2018,
algorithm 2, without its projection; `workloads.deep500.optimizers.reference` has the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workloads.deep500.optimizers.definitions import accelegrad_weight


class AcceleGrad:
    """The steps of AcceleGrad on Keras variables, between which these hold y, of which the network is tested.

    Parameters
    ----------
    variables
        The parameters.
    epsilon
        In place of G², the square of a bound of the gradients.
    copy
        Returns the value of a variable, which does not change with it.
    """

    def __init__(self, variables: Sequence[Any], epsilon: float, copy: Callable[[Any], Any]) -> None:
        self._variables, self._epsilon, self._copy = variables, epsilon, copy
        self._number = 0
        self._squares: Any = 0.0
        self._ahead: list[Any] = [0.0] * len(variables)

    def begin(self, rate: float) -> None:  # noqa: ARG002
        """Put the variables to x, where the gradient is computed."""
        self._number += 1
        weight = accelegrad_weight(self._number)
        if self._number > 1:
            for variable, ahead in zip(self._variables, self._ahead, strict=True):
                variable.assign(self._copy(variable) - ahead * (1 / weight))

    def apply(self, gradients: Sequence[Any], rate: float) -> None:
        """Put the variables to y after the step."""
        from keras import ops

        # In float32 also of 16 bits, which do not hold the sum of so many squares.
        exact = [ops.cast(one, "float32") for one in gradients]
        weight = accelegrad_weight(self._number)
        self._squares += weight**2 * sum(ops.sum(ops.square(one)) for one in exact)
        scale = rate / ops.sqrt(self._squares + self._epsilon)
        for index, (variable, gradient) in enumerate(zip(self._variables, exact, strict=True)):
            change = ops.cast(scale * gradient, variable.dtype)
            variable.assign(self._copy(variable) - change)
            self._ahead[index] = self._ahead[index] * (1 - 1 / weight) + change * (weight - 1)
