"""The epochs of a network's training, up to its target."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from workloads.context import Context, Metric
from workloads.runtime.collectives import Ranks
from workloads.runtime.training.epochs import Epoch, EpochTraining

if TYPE_CHECKING:
    from workloads.cosmoflow.images import CosmoImages
    from workloads.cosmoflow.trainer import Scores, Trainer

REFERENCE_BATCH = 64
"""Images of a step, over all ranks, for which a learning rate is stated."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A linear rise over the first epochs, then a plateau that drops to a quarter and to an eighth.

    Parameters
    ----------
    learning_rate
        Of the first epoch, and of the plateau of steps of 64 images; the plateau grows in proportion.
    images_per_step
        Over all ranks.
    steps_per_epoch
        Training steps in an epoch, which have one rate.
    warmup_epochs
        Epochs of the rise.
    drops
        Epochs, counted from 0, from which the rate is a quarter and an eighth of the plateau.
    """

    learning_rate: float
    images_per_step: int
    steps_per_epoch: int
    warmup_epochs: int
    drops: tuple[int, int]

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        epoch, first = step // self.steps_per_epoch, self.learning_rate
        plateau = first * self.images_per_step / REFERENCE_BATCH
        if epoch < self.warmup_epochs:
            return first + (plateau - first) * epoch / self.warmup_epochs
        quarter, eighth = self.drops
        return plateau * (0.125 if epoch >= eighth else 0.25 if epoch >= quarter else 1)


@dataclass(slots=True)
class Progress:
    """How far a training is; all of it is kept with a checkpoint.

    Parameters
    ----------
    epochs
        Epochs completed.
    train_loss
        Of the last of them, while the weights changed.
    validation_loss, mean_absolute_error, guess_error
        `Scores` of the validation images after it.
    """

    epochs: int = 0
    train_loss: float = 0.0
    validation_loss: float = 0.0
    mean_absolute_error: float = 0.0
    guess_error: float = 0.0


class Training(EpochTraining["Scores", "Scores"]):
    """A network, its images, and how far it is trained; `EpochTraining` has the other parameters.

    Parameters
    ----------
    epochs
        The most that it trains.
    target
        Mean absolute error of the validation images at which it ends.
    """

    columns = ("train_loss", "validation_loss", "mean_absolute_error")
    curves = ("loss", "mean_absolute_error")
    _images: CosmoImages
    _trainer: Trainer
    progress: Progress

    def __init__(
        self,
        context: Context,
        ranks: Ranks,
        images: CosmoImages,
        trainer: Trainer,
        schedule: Schedule,
        *,
        epochs: int,
        target: float,
        identity: Mapping[str, Any] | None,
    ) -> None:
        super().__init__(
            context,
            ranks,
            images,
            trainer,
            schedule,
            Progress(),
            images_per_step=schedule.images_per_step,
            validate_every=1,
            identity=identity,
        )
        self._epochs, self._target = epochs, target

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        reached = self.progress
        return [
            Metric("mean_absolute_error", reached.mean_absolute_error),
            Metric("guess_error", reached.guess_error),
            Metric("validation_loss", reached.validation_loss),
            Metric("train_loss", reached.train_loss),
            *super().metrics(),
        ]

    def _finished(self) -> bool:
        done = self.progress
        return done.epochs >= self._epochs or (done.epochs > 0 and done.mean_absolute_error <= self._target)

    def _learn(self, epoch: int, steps: range) -> Epoch[Scores]:
        rates = [self._schedule.rate(step) for step in steps]
        with closing(self._images.training(epoch)) as batches:
            done, learned = self._trainer.train(batches, rates, self._context.seed % 2**31, steps.start)
        return Epoch(done, learned.images, {"train_loss": learned.loss}, learned)

    def _evaluate(self) -> Scores:
        with closing(self._images.validation()) as batches:
            return self._trainer.evaluate(batches)

    def _advanced(self, epoch: int, learned: Scores, reached: Scores | None) -> Progress:
        found = cast("Scores", reached)  # it validates after every epoch
        return Progress(epoch, learned.loss, found.loss, found.mean_absolute_error, found.guess_error)

    def _row(self, learned: Scores, reached: Scores | None) -> list[str]:
        found = cast("Scores", reached)
        return [f"{one:.6g}" for one in (learned.loss, found.loss, found.mean_absolute_error)]
