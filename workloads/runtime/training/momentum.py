"""Keras models in training on all ranks of an instance: their whole state, and its change in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.collectives import Ranks
from workloads.runtime.loss_scale import LossScale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MomentumTrainer:
    """Models and their velocities, the same on all ranks.

    The optimizer is gradient descent with momentum, written out because the momentum may differ from step
    to step. The gradients are averaged over the ranks in each step. The moving statistics of batch
    normalisation follow each rank's own images, until `sync_batch_norm` averages them. With float16 the loss
    has a `LossScale`.

    Parameters
    ----------
    models
        Keras models that are trained as one.
    ranks
        Those who train them together.
    rate_outside
        Momentum gathers gradients, and the present learning rate multiplies their sum. Otherwise it gathers
        steps, each at the rate of its own time.
    kernel_decay
        Factor by which each kernel's value is added to its gradient; other variables do not decay.
    """

    def __init__(
        self, models: Sequence[Any], ranks: Ranks, *, rate_outside: bool = False, kernel_decay: float = 0.0
    ) -> None:
        import tensorflow as tf

        self.loss_scale = LossScale()
        self._ranks = ranks
        self._rate_outside = rate_outside
        variables = [variable for model in models for variable in model.trainable_variables]
        self._weights = [variable.value for variable in variables]
        self._decays = [kernel_decay if variable.name == "kernel" else 0.0 for variable in variables]
        self._moving = [variable.value for model in models for variable in model.non_trainable_variables]
        self._velocities = [
            tf.Variable(tf.zeros_like(weight), trainable=False, name=f"velocity_{number}")
            for number, weight in enumerate(self._weights)
        ]
        self._steps = tf.Variable(0, dtype=tf.int64, trainable=False, name="optimizer_steps")
        self._settle_step = tf.function(self._settle, jit_compile=False)

    @property
    def state(self) -> list[Any]:
        """All variables that a later step depends on."""
        return [*self._weights, *self._moving, *self._velocities, *self.loss_scale.state]

    @property
    def optimizer_steps(self) -> int:
        """Steps in which this process changed the weights, counted by the compiled step itself."""
        return int(self._steps.numpy())

    @property
    def gradient_bytes(self) -> int:
        """Bytes of one step's gradients, which several ranks exchange."""
        import tensorflow as tf

        size = tf.as_dtype(self._ranks.gradient_precision).size
        return sum(int(weight.shape.num_elements()) * size for weight in self._weights)

    def sync_batch_norm(self) -> None:
        """Give every rank the mean of all ranks' moving statistics, where there are any."""
        if self._moving:
            self._settle_step()

    def values(self) -> list[NDArray[np.float32]]:
        """Return the values of `state`."""
        return [variable.numpy() for variable in self.state]

    def restore(self, values: Sequence[NDArray[np.float32]]) -> None:
        """Give `state` its values back."""
        for variable, value in zip(self.state, values, strict=True):
            variable.assign(value)

    def _descend(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Take a step, from this rank's gradients of the scaled loss."""
        self.loss_scale.step(
            self._ranks.all_reduce_gradients(gradients), lambda means: self._update(means, rate, momentum)
        )

    def _update(self, gradients: list[Any], rate: Any, momentum: Any) -> None:
        for weight, velocity, gradient, decay in zip(
            self._weights, self._velocities, gradients, self._decays, strict=True
        ):
            slope = gradient + decay * weight if decay else gradient
            if self._rate_outside:
                velocity.assign(momentum * velocity + slope)
                weight.assign_sub(rate * velocity)
            else:
                velocity.assign(momentum * velocity - rate * slope)
                weight.assign_add(velocity)
        self._steps.assign_add(1)

    def _settle(self) -> None:
        for variable, mean in zip(self._moving, self._ranks.all_reduce_mean(self._moving), strict=True):
            variable.assign(mean)
