"""Learning rate and momentum of every training step of the recipe. Pure numbers."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.runtime.training.drops import dropped

DROPS = (81, 122, 164)
"""Epochs, counted from 0, from which the learning rate is a tenth of what it was before."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The same rate in all steps of an epoch, whatever the batch.

    Parameters
    ----------
    learning_rate
        Of the first epoch.
    momentum
        The same in all steps.
    steps_per_epoch
        Training steps in an epoch.
    """

    learning_rate: float
    momentum: float
    steps_per_epoch: int

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        return dropped(self.learning_rate, step // self.steps_per_epoch, DROPS)

    def momentum_of(self, step: int) -> float:  # noqa: ARG002
        """Return the momentum of a step."""
        return self.momentum
