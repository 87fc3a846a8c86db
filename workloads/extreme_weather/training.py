"""The epochs of a detector's training."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from workloads.context import Context, Metric
from workloads.extreme_weather.pipeline import Images
from workloads.extreme_weather.schedule import Schedule
from workloads.extreme_weather.trainer import LOSSES, Scores, Trainer
from workloads.runtime.collectives import Ranks
from workloads.runtime.training.epochs import Epoch, EpochTraining


@dataclass(slots=True)
class Progress:
    """How far a training is; all of it is kept with a checkpoint.

    Parameters
    ----------
    epochs
        Epochs completed.
    losses
        Means over the last of them.
    """

    epochs: int = 0
    losses: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LOSSES, 0.0))


class Training(EpochTraining[dict[str, float], Scores]):
    """A detector, its images, and how far it is trained; `EpochTraining` has the parameters."""

    columns = (*(f"{name}_loss" for name in LOSSES), "map_50")
    curves = ("map_50",)
    _images: Images
    _trainer: Trainer
    progress: Progress

    def __init__(
        self,
        context: Context,
        ranks: Ranks,
        images: Images,
        trainer: Trainer,
        schedule: Schedule,
        epochs: int,
        validate_every: int,
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
            validate_every=validate_every,
            identity=identity,
        )
        self._epochs = epochs

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        losses = [Metric(f"{name}_loss", loss) for name, loss in self.progress.losses.items()]
        return [*losses, *super().metrics()]

    def _finished(self) -> bool:
        return self.progress.epochs >= self._epochs

    def _learn(self, epoch: int, steps: range) -> Epoch[dict[str, float]]:
        seed = [self._context.seed % 2**64, epoch, self._ranks.rank]
        with closing(self._images.training(epoch)) as batches:
            rates = [self._schedule.rate(step) for step in steps]
            done, losses = self._trainer.train(batches, rates, seed)
        return Epoch(done, done * self._images_per_step, losses, losses)

    def _evaluate(self) -> Scores:
        with closing(self._images.validation()) as batches:
            return self._trainer.evaluate(batches, self._images.storms)

    def _advanced(self, epoch: int, learned: dict[str, float], reached: Scores | None) -> Progress:  # noqa: ARG002
        return Progress(epoch, learned)

    def _row(self, learned: dict[str, float], reached: Scores | None) -> list[str]:
        score = "" if reached is None else f"{reached.map_50:.4f}"
        return [*(f"{loss:.6g}" for loss in learned.values()), score]
