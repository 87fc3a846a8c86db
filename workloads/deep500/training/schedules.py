"""Batch and learning rate of each epoch: constant, a rate that decays, or a batch that grows instead.

Source: Smith, Kindermans, Ying and Le, Don't decay the learning rate, increase the batch size, ICLR 2018. The
noise of gradient descent falls with the rate ÷ the batch, so that a larger batch does what a smaller rate
does, in fewer steps. The batch grows to a tenth of the training images at most; from there on the rate
decays.
"""

from __future__ import annotations

from dataclasses import dataclass

SCHEDULES = ("constant", "decaying_rate", "growing_batch")
_FEWEST_STEPS = 10
"""Fewest steps of an epoch: the batch grows to a tenth of the training images at most."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Batch and rate of the first epoch, and how they change.

    Parameters
    ----------
    kind
        One of `SCHEDULES`.
    batch_size, learning_rate
        Of the first epoch.
    epochs
        After each so many epochs one of them changes.
    factor
        By which the batch is multiplied, or the rate divided.
    """

    kind: str
    batch_size: int
    learning_rate: float
    epochs: int
    factor: int

    def of_epoch(self, epoch: int, images: int) -> tuple[int, float]:
        """Return batch and learning rate of an epoch, counted from 1, of so many training images."""
        batch, rate = self.batch_size, self.learning_rate
        if self.kind == "constant":
            return batch, rate
        for _ in range((epoch - 1) // self.epochs):
            if self.kind == "growing_batch" and batch * self.factor * _FEWEST_STEPS <= images:
                batch *= self.factor
            else:
                rate /= self.factor
        return batch, rate
