"""Changes of weights in a step: momentum, and for large batches LARS and LAMB, with a rate of each layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from workloads.runtime.step_variables import assignable, new_variable, zeros_like

OPTIMIZERS = ("momentum", "lars", "lamb")
_SQUARES_DECAY = 0.999
_EPSILON = 1e-6


class Update(Protocol):
    """Change of weights.

    Attributes
    ----------
    state
        Variables that a later step depends on, beside the weights.
    """

    state: list[Any]

    def apply(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Change the weights, from the gradients of one step, its learning rate and its momentum."""


MakeUpdate = Callable[[Sequence[Any]], Update]
"""Returns the update of Keras variables."""


class Momentum:
    """Gradient descent with momentum, written out because the momentum may differ from step to step.

    Parameters
    ----------
    variables
        Keras variables.
    decays
        Factor by which each variable's value is added to its gradient; none decays without it.
    rate_outside
        Momentum gathers gradients, and the present learning rate multiplies their sum. Otherwise it gathers
        steps, each at the rate of its own time.
    """

    def __init__(
        self, variables: Sequence[Any], decays: Sequence[float] = (), *, rate_outside: bool = False
    ) -> None:
        self._weights = [assignable(variable) for variable in variables]
        self._decays = decays or [0.0] * len(variables)
        self._rate_outside = rate_outside
        self.state = zeros_like(self._weights, "velocity")

    def apply(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Change the weights."""
        for weight, velocity, gradient, decay in zip(
            self._weights, self.state, gradients, self._decays, strict=True
        ):
            slope = gradient + decay * weight if decay else gradient
            if self._rate_outside:
                velocity.assign(momentum * velocity + slope)
                weight.assign_sub(rate * velocity)
            else:
                velocity.assign(momentum * velocity - rate * slope)
                weight.assign_add(velocity)


class Lars:
    """Momentum with a rate of each layer, layer-wise adaptive rate scaling.

    You, Gitman and Ginsburg 2017 (arXiv:1708.03888), algorithm 1. The rate of a kernel with value w and
    gradient g is multiplied by the trust coefficient times ‖w‖ ÷ (‖g‖ + decay × ‖w‖); those of other
    variables, of one dimension, are not.

    Parameters
    ----------
    trust
        The trust coefficient.
    """

    def __init__(self, variables: Sequence[Any], decays: Sequence[float], trust: float) -> None:
        self._weights = [assignable(variable) for variable in variables]
        self._decays = decays
        self._trust = trust
        self.state = zeros_like(self._weights, "velocity")

    def apply(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Change the weights."""
        for weight, velocity, gradient, decay in zip(
            self._weights, self.state, gradients, self._decays, strict=True
        ):
            own = rate
            if _is_kernel(weight):
                size = _norm(weight)
                own = rate * _ratio(self._trust * size, _norm(gradient) + decay * size)
            velocity.assign(momentum * velocity + own * (gradient + decay * weight))
            weight.assign_sub(velocity)


class Lamb:
    """Adam with a rate of each layer.

    You et al. 2020 (arXiv:1904.00962), algorithm 2, where the momentum is β₁, β₂ is 0.999 and ε is 10⁻⁶. The
    rate of a kernel with value w and change u, its decay included, is multiplied by ‖w‖ ÷ ‖u‖; those of other
    variables, of one dimension, are not.
    """

    def __init__(self, variables: Sequence[Any], decays: Sequence[float]) -> None:
        import numpy as np

        self._weights = [assignable(variable) for variable in variables]
        self._decays = decays
        self._means = zeros_like(self._weights, "mean")
        self._squares = zeros_like(self._weights, "square")
        # Powers of β₁ and β₂, the weight of the zeros that the means began with.
        self._left = [new_variable(np.float32(1), f"left_{number}") for number in (1, 2)]
        self.state = [*self._means, *self._squares, *self._left]

    def apply(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Change the weights."""
        import keras

        first = self._left[0].assign(momentum * self._left[0])
        second = self._left[1].assign(_SQUARES_DECAY * self._left[1])
        for weight, mean, square, gradient, decay in zip(
            self._weights, self._means, self._squares, gradients, self._decays, strict=True
        ):
            mean.assign(momentum * mean + (1 - momentum) * gradient)
            square.assign(_SQUARES_DECAY * square + (1 - _SQUARES_DECAY) * gradient * gradient)
            change = (mean / (1 - first)) / (
                keras.ops.sqrt(square / (1 - second)) + _EPSILON
            ) + decay * weight
            own = rate * _ratio(_norm(weight), _norm(change)) if _is_kernel(weight) else rate
            weight.assign_sub(own * change)


def _is_kernel(weight: Any) -> bool:
    return len(weight.shape) > 1


def _norm(tensor: Any) -> Any:
    """Return the square root of the sum of squares."""
    import keras

    return keras.ops.sqrt(keras.ops.sum(keras.ops.square(tensor)))


def _ratio(above: Any, below: Any) -> Any:
    """Return a quotient of norms; 1 where a norm is 0, as of weights that begin at 0."""
    import keras

    both = keras.ops.logical_and(above > 0, below > 0)
    return keras.ops.where(both, keras.ops.divide_no_nan(above, below), 1.0)
