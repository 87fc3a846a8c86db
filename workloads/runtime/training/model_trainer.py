"""Keras models in training on all ranks of an instance: their whole state, and its change in a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend
from workloads.runtime.loss_scale import LossScale
from workloads.runtime.step_variables import assignable, new_variable
from workloads.runtime.training.updates import MakeUpdate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BegunT = TypeVar("BegunT")


class ModelTrainer:
    """Models and the state of their optimizer, the same on all ranks.

    The gradients are averaged over the ranks in each step. The moving statistics of batch normalisation
    follow each rank's own images, until `sync_batch_norm` averages them. With float16 the loss has a
    `LossScale`.

    Parameters
    ----------
    models
        Keras models that are trained as one.
    ranks
        Those who train them together.
    make_update
        Returns what changes the trainable variables.
    """

    def __init__(self, models: Sequence[Any], ranks: Ranks, make_update: MakeUpdate) -> None:
        import keras
        import numpy as np

        self.loss_scale = LossScale()
        self._ranks = ranks
        self._trained = [variable for model in models for variable in model.trainable_variables]
        self._weights = [assignable(variable) for variable in self._trained]
        self._others = [variable for model in models for variable in model.non_trainable_variables]
        # The states of random generators are no numbers to average.
        self._moving = [assignable(one) for one in self._others if "float" in one.dtype]
        self._updates = make_update(self._trained)
        self._steps = new_variable(np.int64(0), "optimizer_steps")
        self._settle_step = self._settle
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            self._settle_step = tf.function(self._settle, jit_compile=False)

    @property
    def state(self) -> list[Any]:
        """All variables that a later step depends on."""
        return [*self._weights, *self._moving, *self._updates.state, *self.loss_scale.state]

    @property
    def optimizer_steps(self) -> int:
        """Steps in which this process changed the weights, counted by the compiled step itself."""
        return int(self._steps.numpy())

    @property
    def gradient_bytes(self) -> int:
        """Bytes of one step's gradients, which several ranks exchange."""
        size = 4 if self._ranks.gradient_precision == "float32" else 2
        return sum(math.prod(weight.shape) * size for weight in self._weights)

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

    def _training_step(self, loss: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
        """Return a compiled step, whose arguments are a rate, a momentum and the inputs of `loss`.

        Parameters
        ----------
        loss
            Written with Keras; returns the loss, and what the step is to return.
        """
        backend = current_backend()

        def scaled(*inputs: Any) -> tuple[Any, Any]:
            value, result = loss(*inputs)
            return self.loss_scale.scaled(value), result

        others = [*self._others, *self.loss_scale.variables]
        slopes = backend.slopes(scaled, self._trained, others)

        def step(rate: Any, momentum: Any, *inputs: Any) -> Any:
            result, gradients = slopes(*inputs)
            self._descend(gradients, rate, momentum)
            return result

        return backend.assigning(step, [*self._trained, *others, *self._updates.state, self._steps])

    def _descend(self, gradients: Sequence[Any], rate: Any, momentum: Any) -> None:
        """Take a step, from this rank's gradients of the scaled loss."""
        self.loss_scale.step(
            self._ranks.all_reduce_gradients(gradients),
            lambda means: self._update(means, rate, momentum),
            [*self._weights, *self._updates.state, self._steps],
        )

    def _update(self, gradients: list[Any], rate: Any, momentum: Any) -> None:
        self._updates.apply(gradients, rate, momentum)
        self._steps.assign_add(1)

    def _settle(self) -> None:
        import keras

        own = [keras.ops.convert_to_tensor(variable) for variable in self._moving]
        for variable, mean in zip(self._moving, self._ranks.all_reduce_mean(own), strict=True):
            variable.assign(mean)


def one_behind(begun: Iterable[BegunT]) -> Iterator[BegunT]:
    """Yield each result of steps once the next step has begun, so that waiting for it holds up none."""
    waiting: list[BegunT] = []
    for one in begun:
        yield from waiting
        waiting = [one]
    yield from waiting
