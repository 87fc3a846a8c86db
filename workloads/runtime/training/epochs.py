"""The epochs of a training on all ranks of an instance, from a fresh start or from a checkpoint."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from workloads.context import Context, Metric
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import synchronise
from workloads.runtime.step_count import step_metrics
from workloads.runtime.training.resumption import Resumption

if TYPE_CHECKING:
    from workloads.runtime.training.model_trainer import ModelTrainer

METRICS = (
    "epochs_run", "optimizer_steps", "samples_seen", "skipped_steps", "loss_scale", "steps_per_epoch",
    "images_per_step", "ranks", "equal_weights_proven", "checkpoints_written", "checkpoint_seconds",
    "communicated_bytes_per_step", "resumed_from_epoch", "training_seconds", "images_per_second",
    "train_seconds", "validate_seconds",
)  # fmt: skip
"""Names of the metrics and phases that every such training may report."""


class StepSchedule(Protocol):
    """Learning rate of every training step, counted from 0 over all epochs."""

    def rate(self, step: int) -> float:
        """Return the learning rate of a step."""


class Batches(Protocol):
    """The images of one rank; ``validation_images`` is among the facts."""

    facts: dict[str, Any]
    steps_per_epoch: int


class EpochProgress(Protocol):
    """How far a training is: a dataclass, JSON-ready, which is kept with a checkpoint."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    epochs: int


class Scored(Protocol):
    """Results of a model with the validation images of all ranks."""

    @property
    def images(self) -> int:
        """How many there were."""


LearnedT = TypeVar("LearnedT")
ScoresT = TypeVar("ScoresT", bound=Scored)


@dataclass(frozen=True, slots=True)
class Epoch(Generic[LearnedT]):
    """Results of an epoch on all ranks.

    Parameters
    ----------
    steps
        Of each rank.
    images
        Of all ranks.
    losses
        Means over the epoch, while the weights changed, by name.
    learned
        What the benchmark notes of it.
    """

    steps: int
    images: int
    losses: Mapping[str, float]
    learned: LearnedT


class EpochTraining(ABC, Generic[LearnedT, ScoresT]):
    """A trainer, its images, and how far it has come.

    Parameters
    ----------
    images, trainer, schedule
        What trains on what, and how fast.
    images_per_step
        Over all ranks.
    validate_every
        Epochs between two validations while it trains; 0: none.
    identity
        What a checkpoint must have in common with this training, beside seed, ranks and data; None: there are
        no checkpoints.
    """

    columns: ClassVar[tuple[str, ...]]
    """What `_row` states of an epoch."""
    curves: ClassVar[tuple[str, ...]]
    """Names of the scores that become curves; the losses do too."""
    _images: Batches
    _trainer: ModelTrainer
    _schedule: StepSchedule
    progress: EpochProgress

    def __init__(
        self,
        context: Context,
        ranks: Ranks,
        images: Batches,
        trainer: ModelTrainer,
        schedule: StepSchedule,
        progress: EpochProgress,
        *,
        images_per_step: int,
        validate_every: int,
        identity: Mapping[str, Any] | None,
    ) -> None:
        self._context, self._ranks, self._images, self._trainer = context, ranks, images, trainer
        self._schedule, self._images_per_step = schedule, images_per_step
        self._validate_every = validate_every
        self._images_seen = 0
        self._seconds = 0.0
        self.progress = progress
        common = None if identity is None else {**identity, "data": images.facts}
        self._kept = Resumption(context, ranks, common)

    @property
    def resumed_from(self) -> int | None:
        """Epoch of the checkpoint that the training went on from; None if it began anew."""
        return self._kept.epoch

    def restore(self) -> None:
        """Give all ranks the state of the last whole checkpoint, or else rank 0's first weights."""
        found = self._kept.read(lambda: self._trainer.state, self._trainer.restore)
        if found is not None:
            self.progress = type(self.progress)(**found)
        self._ranks.broadcast(self._trainer.state)
        self._ranks.assert_in_sync(self._trainer.state, "at the start")

    def train(self) -> None:
        """Train until the last epoch; rank 0 prints a line of CSV after each."""
        if self._ranks.rank == 0:
            print(",".join(("epoch", "seconds", "learning_rate", *self.columns)))
        first_read = time.monotonic()
        while not self._finished():
            begin = time.monotonic()
            learned = self._epoch(self.progress.epochs)
            self._seconds = time.monotonic() - first_read
            epoch, reached = self.progress.epochs + 1, None
            if self._validate_every and epoch % self._validate_every == 0:
                with self._context.phase("validate"):
                    reached = self.score()
                for name in self.curves:
                    self._context.curve(f"val_{name}", getattr(reached, name), epoch=epoch)
            self.progress = self._advanced(epoch, learned, reached)
            with self._context.phase("checkpoint"):
                self._kept.write(self.progress, self._trainer.values)
            if self._ranks.rank == 0:
                rate = self._schedule.rate(epoch * self._images.steps_per_epoch - 1)
                row = ",".join(self._row(learned, reached))
                print(f"{epoch},{time.monotonic() - begin:.3f},{rate:.6g},{row}", flush=True)

    def score(self) -> ScoresT:
        """Return the scores of the validation images.

        Raises
        ------
        RuntimeError
            If some were not scored, or more than once.
        """
        scores = self._evaluate()
        expected = self._images.facts["validation_images"]
        if scores.images != expected:
            raise RuntimeError(f"{scores.images} validation images were scored, there are {expected}")
        return scores

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        found = [
            Metric("epochs_run", self.progress.epochs),
            *step_metrics(self._trainer.optimizer_steps, self._images_seen),
            *self._trainer.loss_scale.metrics(),
            Metric("steps_per_epoch", self._images.steps_per_epoch),
            Metric("images_per_step", self._images_per_step),
            Metric("ranks", self._ranks.size),
            Metric("equal_weights_proven", self._ranks.sync_checks),
            Metric("checkpoints_written", self._kept.written),
            Metric("checkpoint_seconds", self._context.phases.get("checkpoint", 0.0), "s"),
        ]
        if self._ranks.size > 1:
            found.append(Metric("communicated_bytes_per_step", self._trainer.gradient_bytes, "B"))
        found += self._kept.resumed_metrics()
        if self._images_seen:
            found.append(Metric("training_seconds", self._seconds, "s"))
            rate = self._images_seen / self._context.phases["train"]
            found.append(Metric("images_per_second", rate, "images/s"))
        return found

    @abstractmethod
    def _finished(self) -> bool:
        """Tell whether the training ends where it is."""

    @abstractmethod
    def _learn(self, epoch: int, steps: range) -> Epoch[LearnedT]:
        """Train for an epoch.

        Parameters
        ----------
        epoch
            Counted from 0.
        steps
            Of the epoch, counted from 0 over all epochs.
        """

    @abstractmethod
    def _evaluate(self) -> ScoresT:
        """Return the scores of the validation images of all ranks."""

    @abstractmethod
    def _advanced(self, epoch: int, learned: LearnedT, reached: ScoresT | None) -> EpochProgress:
        """Return the progress after an epoch, counted from 1, and its validation where it was due."""

    @abstractmethod
    def _row(self, learned: LearnedT, reached: ScoresT | None) -> Sequence[str]:
        """Return the `columns` of an epoch."""

    def _epoch(self, epoch: int) -> LearnedT:
        steps = self._images.steps_per_epoch
        with self._context.phase("train"):
            done = self._learn(epoch, range(epoch * steps, (epoch + 1) * steps))
            self._trainer.sync_batch_norm()
            synchronise()
            self._ranks.assert_in_sync(self._trainer.state, f"after epoch {epoch + 1}")
        if done.steps != steps:
            raise RuntimeError(f"epoch {epoch + 1} had {done.steps} steps instead of {steps}")
        if not all(map(math.isfinite, done.losses.values())):
            losses = ", ".join(f"{name} {loss:g}" for name, loss in done.losses.items())
            raise RuntimeError(f"the training diverged: its losses are {losses} in epoch {epoch + 1}")
        self._trainer.loss_scale.require_finite(self._trainer.state, f"epoch {epoch + 1}")
        for name, loss in done.losses.items():
            self._context.curve(name, loss, epoch=epoch + 1)
        self._images_seen += done.images
        return done.learned
