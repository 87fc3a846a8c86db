"""Learning rate and momentum of every training step of the Horovod recipe for ResNet-50.

Pure numbers. Written from the published description of horovod/horovod tag v0.11.3,
examples/keras_imagenet_resnet50.py and horovod/keras/callbacks.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from workloads.runtime.training.drops import dropped


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the learning rate goes from a gradual start over a plateau down in steps.

    Parameters
    ----------
    learning_rate
        Of one rank; the plateau is this times the number of ranks.
    momentum
        Outside of corrections.
    ranks
        Number of processes that share a step.
    steps_per_epoch
        Training steps in an epoch.
    warmup_epochs
        Epochs over which the rate rises from that of one rank to the plateau.
    drops
        Epochs, counted from 0, at which the rate becomes a tenth of what it was.
    """

    learning_rate: float
    momentum: float
    ranks: int
    steps_per_epoch: int
    warmup_epochs: int = 5
    drops: tuple[int, ...] = (30, 60, 80)

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        plateau = self.learning_rate * self.ranks
        epoch = step // self.steps_per_epoch
        if epoch < self.warmup_epochs:
            passed = (step + 1) / self.steps_per_epoch
            return plateau / self.ranks * (passed * (self.ranks - 1) / self.warmup_epochs + 1)
        return dropped(plateau, epoch, self.drops)

    def momentum_of(self, step: int) -> float:
        """Return the momentum of a step: where the rate changes, it changes in proportion, once.

        What the velocity gathered at the old rate then counts as if gathered at the new one. The
        first step follows on the plateau, which is the rate the recipe's optimizer is made with.
        """
        before = self.rate(step - 1) if step else self.learning_rate * self.ranks
        return self.momentum * (self.rate(step) / before) if before else self.momentum
