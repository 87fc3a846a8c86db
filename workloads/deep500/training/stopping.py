"""When a training ends: after its epochs, at an accuracy, after a time, or after a number of steps."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Stopping:
    """Conditions, of which 0 stands for none; the time counts from the making of this object.

    Parameters
    ----------
    target_accuracy
        Test accuracy in percent at which the training ends.
    time_limit
        Seconds; looked at before each epoch, each step, and each test.
    max_steps
        Steps of the optimizer.

    Attributes
    ----------
    reason
        Why the training ends; empty while it goes on.
    steps
        Steps that were taken.
    reached
        Seconds and epochs until the target was reached; None before.
    """

    target_accuracy: float = 0.0
    time_limit: float = 0.0
    max_steps: int = 0
    reason: str = ""
    steps: int = 0
    reached: tuple[float, int] | None = None
    _begin: float = field(default_factory=lambda: time.monotonic())

    @property
    def seconds(self) -> float:
        """Seconds since the begin."""
        return time.monotonic() - self._begin

    def before_step(self) -> bool:
        """Return whether another step may begin."""
        if self.time_limit and self.seconds >= self.time_limit:
            self.reason = "time limit"
        elif self.max_steps and self.steps >= self.max_steps:
            self.reason = "steps"
        return not self.reason

    def after_test(self, accuracy: float, epochs: int) -> None:
        """Take note of a test accuracy after so many epochs."""
        if self.target_accuracy and accuracy >= self.target_accuracy and self.reached is None:
            self.reached = self.seconds, epochs
            self.reason = "accuracy"
