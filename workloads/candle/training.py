"""Parts that the CANDLE trainings share: when one stops, and the report of an epoch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from workloads.context import Metric
from workloads.description import Parameter

MAX_EPOCHS = Parameter(
    "max_epochs",
    0,
    "go on after `epochs` until the target is reached, up to this many; 0: stop at `epochs`",
    minimum=0,
)


class Limits(Protocol):
    """The parameters that limit a training."""

    @property
    def epochs(self) -> int:
        """Passes over the training rows."""

    @property
    def target_accuracy(self) -> float:
        """Accuracy that ends it between `epochs` and `max_epochs`."""

    @property
    def max_epochs(self) -> int:
        """Passes until the target is reached, at the most."""

    @property
    def time_limit(self) -> float:
        """Seconds after which no epoch is begun."""


class StopRule:
    """Decides after each epoch whether a training ends; its clock starts as it is made."""

    def __init__(self, limits: Limits) -> None:
        self._least = limits.epochs
        self._time_limit = limits.time_limit
        self._target = limits.target_accuracy
        self._begin = time.monotonic()
        self.most = max(limits.epochs, limits.max_epochs)
        """Largest number of epochs."""

    def ends(self, epochs: int, accuracy: Callable[[], float]) -> bool:
        """Tell whether the training ends after `epochs` epochs; `accuracy` is called only where it counts."""
        late = time.monotonic() - self._begin >= self._time_limit
        return late or (self._least <= epochs < self.most and accuracy() >= self._target)


def logged_metrics(epoch: Mapping[str, float]) -> tuple[Metric, ...]:
    """Return what Keras logged of an epoch; numbers of the training rows get the prefix ``train_``."""
    return tuple(
        Metric(name if name.startswith("val_") else f"train_{name}", value) for name, value in epoch.items()
    )
