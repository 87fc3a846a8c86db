"""Lower a learning rate when the validation loss no longer falls, as Keras' ReduceLROnPlateau does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Plateau:
    """The rule and its state, which a checkpoint keeps.

    Parameters
    ----------
    patience
        Epochs without improvement after which the rate falls; 0: never.
    factor
        What it is multiplied by.
    least_gain
        Smallest fall of the loss that counts as an improvement.
    best, waited
        Lowest loss so far, and epochs since.
    """

    patience: int = 10
    factor: float = 0.1
    least_gain: float = 1e-4
    best: float = float("inf")
    waited: int = 0

    def next_rate(self, rate: float, loss: float) -> float:
        """Return the learning rate of the next epoch."""
        if loss < self.best - self.least_gain:
            self.best, self.waited = loss, 0
            return rate
        self.waited += 1
        if not self.patience or self.waited < self.patience:
            return rate
        self.waited = 0
        return rate * self.factor
