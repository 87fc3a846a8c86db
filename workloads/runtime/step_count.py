"""Optimizer steps and samples of a training, counted while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workloads.context import Metric


class CountedStep:
    """A training step that counts its calls.

    Parameters
    ----------
    step
        Updates the weights, or computes their gradients, once.

    Attributes
    ----------
    calls
        Calls that have returned.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self._step = step
        self.calls = 0

    def __call__(self, *inputs: Any) -> Any:
        """Call the step."""
        value = self._step(*inputs)
        self.calls += 1
        return value


def sample_counter() -> Any:
    """Return a Keras callback whose ``samples`` counts the samples of all training steps.

    The training step itself adds each batch to the weight of the mean loss. Keras resets it once an epoch,
    after it has called this callback at the start of the epoch's validation: ``fit`` needs validation data.
    """
    import keras

    class SampleCounter(keras.callbacks.Callback):  # type: ignore[misc]
        samples = 0

        def on_test_begin(self, logs: Any = None) -> None:  # noqa: ARG002
            loss = next(metric for metric in self.model.metrics if metric.name == "loss")
            self.samples += round(float(keras.ops.convert_to_numpy(loss.count)))

    return SampleCounter()


def keras_steps(*models: Any) -> int:
    """Return the updates that the optimizers of compiled Keras models have applied."""
    import keras

    return sum(int(keras.ops.convert_to_numpy(model.optimizer.iterations)) for model in models)


def step_metrics(steps: int, samples: int | None = None) -> tuple[Metric, ...]:
    """Return counted steps, and samples where they were counted, as metrics."""
    counted = (Metric("optimizer_steps", steps),)
    return counted if samples is None else (*counted, Metric("samples_seen", samples))
