"""Learning rate and momentum of every training step of HPC AI500's ResNet-50 v1.5. Pure numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workloads.runtime.training.drops import dropped

POLICIES = ("cosine", "steps")
REFERENCE_BATCH = 256
_DROPS = (30, 60, 80, 90)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Linear scaling with the batch, a warm-up from 0, then a cosine to 0 or drops to a tenth.

    Parameters
    ----------
    learning_rate
        At a batch of `REFERENCE_BATCH` images over all ranks.
    momentum
        The same in all steps.
    images_per_step
        Images of a step over all ranks.
    steps_per_epoch
        Training steps in an epoch.
    epochs
        Epochs of the whole training, at whose end the cosine is 0.
    warmup_epochs
        Epochs over which the rate rises in proportion to the steps done.
    policy
        ``cosine``, counted from step 0, or ``steps``, drops after 30, 60, 80 and 90 epochs.
    """

    learning_rate: float
    momentum: float
    images_per_step: int
    steps_per_epoch: int
    epochs: int
    warmup_epochs: int = 8
    policy: str = "cosine"

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        peak = self.learning_rate * self.images_per_step / REFERENCE_BATCH
        warmup_steps = self.warmup_epochs * self.steps_per_epoch
        if step < warmup_steps:
            return peak * step / warmup_steps
        if self.policy == "steps":
            return dropped(peak, step // self.steps_per_epoch, _DROPS)
        return peak * 0.5 * (1 + math.cos(math.pi * step / (self.epochs * self.steps_per_epoch)))

    def momentum_of(self, step: int) -> float:  # noqa: ARG002
        """Return the momentum of a step."""
        return self.momentum
