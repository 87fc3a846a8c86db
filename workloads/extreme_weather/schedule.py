"""Learning rate of every training step."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.runtime.training.drops import dropped

REFERENCE_BATCH = 8
"""Images of a step, over all ranks, for which a learning rate is stated."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A linear rise over the first steps, then a plateau that drops to a tenth at some epochs.

    Parameters
    ----------
    learning_rate
        Of a step of 8 images; the plateau grows in proportion to the images of a step.
    images_per_step
        Over all ranks.
    steps_per_epoch
        Training steps in an epoch.
    warmup_steps, first_rate
        Steps of the rise, and the rate that it begins with.
    drops
        Epochs, counted from 0, from which the rate is a tenth of what it was.
    """

    learning_rate: float
    images_per_step: int
    steps_per_epoch: int
    warmup_steps: int
    first_rate: float
    drops: tuple[int, ...] = ()

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        plateau = self.learning_rate * self.images_per_step / REFERENCE_BATCH
        plateau = dropped(plateau, step // self.steps_per_epoch, self.drops)
        if step < self.warmup_steps:
            return self.first_rate + (plateau - self.first_rate) * step / self.warmup_steps
        return plateau
