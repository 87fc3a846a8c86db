"""A loss scale for float16 that follows the gradients, as Keras' LossScaleOptimizer has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workloads.context import Metric
from workloads.expected_steps import LOSS_SCALE_GROWTH_STEPS, LOSS_SCALE_HALVINGS
from workloads.runtime.step_variables import new_variable


class LossScale:
    """Multiplies the loss so that small gradients are not lost in 16 bits, and skips steps that overflow.

    The scale begins at 2¹⁵, is halved after a step whose gradients are not all finite, which changes no
    weight, and doubled after 2,000 others. Where the precision is not float16 the scale is 1 and every step
    is taken.

    Attributes
    ----------
    state
        Variables that a later step depends on.
    variables
        All that a step assigns.
    """

    def __init__(self) -> None:
        import keras
        import numpy as np

        self._varies = keras.config.dtype_policy().compute_dtype == "float16"
        first = np.float32(2**LOSS_SCALE_HALVINGS if self._varies else 1)
        self._scale = new_variable(first, "loss_scale")
        self._finite_steps = new_variable(np.float32(0), "finite_steps")
        self._skipped = new_variable(np.int64(0), "skipped_steps")
        self.variables = [self._scale, self._finite_steps, self._skipped]
        self.state = [self._scale, self._finite_steps] if self._varies else []

    def scaled(self, loss: Any) -> Any:
        """Return the loss to differentiate."""
        return loss * self._scale if self._varies else loss

    def step(
        self, gradients: Sequence[Any], update: Callable[[list[Any]], None], changed: Sequence[Any]
    ) -> None:
        """Call `update` with the gradients of the loss itself, unless one of them is not finite.

        Parameters
        ----------
        gradients
            Of the scaled loss, the mean of all ranks, so that all of them skip the same steps.
        changed
            Variables that `update` assigns.
        """
        import keras

        if not self._varies:
            update(list(gradients))
            return

        def take() -> Any:
            update([gradient / self._scale for gradient in gradients])
            full = self._finite_steps.assign_add(1.0) >= LOSS_SCALE_GROWTH_STEPS
            scale, steps = map(keras.ops.convert_to_tensor, (self._scale, self._finite_steps))
            self._finite_steps.assign(keras.ops.where(full, 0.0, steps))
            return self._scale.assign(keras.ops.where(full, 2 * scale, scale))

        def skip() -> Any:
            self._skipped.assign_add(1)
            self._finite_steps.assign(0.0)
            return self._scale.assign(self._scale / 2)

        finite = keras.ops.all(keras.ops.stack([_finite(one) for one in gradients]))
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            tf.cond(finite, take, skip)
            return
        held = [*changed, *self.variables]
        for variable, new, old in zip(held, _outcome(take, held), _outcome(skip, held), strict=True):
            variable.assign(keras.ops.where(finite, new, old))

    def require_finite(self, variables: Sequence[Any], moment: str) -> None:
        """Check that no gradient overflowed that the scale is not the cause of.

        In other precisions than float16 such a gradient stays in the weights as an infinity or NaN.

        Parameters
        ----------
        variables
            Weights and all else that gradients change.

        Raises
        ------
        RuntimeError
            If a value is not finite, or steps were skipped down to a scale below 1.
        """
        if float(self._scale.numpy()) < 1:
            raise RuntimeError(
                f"the training diverged: in {moment} gradients overflow float16 even without a loss scale; "
                "lower learning_rate or use another precision"
            )
        if not all(bool(_finite(variable)) for variable in variables):
            raise RuntimeError(
                f"the training diverged: weights are not finite after {moment}; lower learning_rate"
            )

    def metrics(self) -> tuple[Metric, ...]:
        """Return the steps that this process skipped and the last scale; nothing without float16."""
        if not self._varies:
            return ()
        return (
            Metric("skipped_steps", int(self._skipped.numpy())),
            Metric("loss_scale", float(self._scale.numpy())),
        )


def _finite(tensor: Any) -> Any:
    import keras

    return keras.ops.all(keras.ops.isfinite(tensor))


def _outcome(branch: Callable[[], Any], held: Sequence[Any]) -> list[Any]:
    """Return the values that some Keras variables would have after a branch, which changes none of them."""
    import keras

    with keras.StatelessScope([(variable, variable.value) for variable in held]) as scope:
        branch()
    return [scope.get_current_value(variable) for variable in held]
