"""One TensorFlow operation on each device of the slot at the same time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workloads.context import Context

Step = Callable[[], Any]


class OnEveryDevice:
    """Calls that start an operation on every GPU of the slot, or on its cores where it has none.

    Parameters
    ----------
    context
        Has the GPUs; the framework is configured for it.
    make
        Called once for each device, with that device in force: places inputs there and returns the operation.

    Attributes
    ----------
    devices
        Number of the devices.
    results
        What each device's last call returned; released before the next, so that its memory is free for it.
    """

    def __init__(self, context: Context, make: Callable[[], Step]) -> None:
        import tensorflow as tf

        names = [one.name for one in tf.config.list_logical_devices("GPU" if context.devices else "CPU")]
        self.devices = len(names)
        self.results: list[Any] = [None] * self.devices
        self._steps: list[tuple[str, Step]] = []
        for name in names:
            with tf.device(name):
                self._steps.append((name, make()))

    def __call__(self) -> None:
        """Start the operation on every device."""
        import tensorflow as tf

        for number, (name, step) in enumerate(self._steps):
            self.results[number] = None
            with tf.device(name):
                self.results[number] = step()
