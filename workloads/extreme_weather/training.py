"""The epochs of a run, from a fresh start or from a checkpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

from workloads.context import Context, Metric
from workloads.extreme_weather.pipeline import Images
from workloads.extreme_weather.schedule import Schedule
from workloads.extreme_weather.trainer import LOSSES, Scores, Trainer
from workloads.runtime.checkpoints import Checkpoint, Checkpoints
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import synchronise
from workloads.runtime.step_count import step_metrics


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


class Training:
    """A detector, its images, and how far it is trained.

    Parameters
    ----------
    epochs, validate_every
        Passes over the training images, and how many of them lie between two validations; 0: none.
    identity
        What a checkpoint must have in common with this training; None: there are no checkpoints.
    """

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
        self._context, self._ranks, self._images, self._trainer = context, ranks, images, trainer
        self._schedule, self._epochs, self._validate_every = schedule, epochs, validate_every
        self._images_seen = 0
        self._seconds = 0.0
        self.progress = Progress()
        self.resumed_from: int | None = None
        self._checkpoints: Checkpoints | None = None
        if identity is not None and context.scratch is not None and ranks.rank == 0:
            facts = {**identity, "seed": context.seed, "ranks": ranks.size, "data": images.facts}
            self._checkpoints = Checkpoints(context.scratch / "checkpoints", facts)

    def restore(self) -> None:
        """Give all ranks the state of the last whole checkpoint, or else rank 0's first weights."""
        found = self._ranks.broadcast_object(self._read)
        if found is not None:
            self.progress = Progress(**found)
            self.resumed_from = self.progress.epochs
        self._ranks.broadcast(self._trainer.state)
        self._ranks.assert_in_sync(self._trainer.state, "at the start")

    def train(self) -> None:
        """Train until the last epoch; rank 0 prints a line of CSV after each."""
        if self._ranks.rank == 0:
            print(
                ",".join(
                    ("epoch", "seconds", "learning_rate", *(f"{name}_loss" for name in LOSSES), "map_50")
                )
            )
        first_read = time.monotonic()
        while self.progress.epochs < self._epochs:
            begin = time.monotonic()
            self._epoch(self.progress.epochs)
            self._seconds = time.monotonic() - first_read
            reached = ""
            if self._validate_every and self.progress.epochs % self._validate_every == 0:
                with self._context.phase("validate"):
                    reached = f"{self.score().map_50:.4f}"
            with self._context.phase("checkpoint"):
                self._write()
            if self._ranks.rank == 0:
                rate = self._schedule.rate(self.progress.epochs * self._images.steps_per_epoch - 1)
                losses = ",".join(f"{loss:.6g}" for loss in self.progress.losses.values())
                seconds = time.monotonic() - begin
                print(f"{self.progress.epochs},{seconds:.3f},{rate:.6g},{losses},{reached}", flush=True)

    def score(self) -> Scores:
        """Return the scores of the validation images.

        Raises
        ------
        RuntimeError
            If some were not scored, or more than once.
        """
        with closing(self._images.validation()) as batches:
            scores = self._trainer.evaluate(batches, self._images.storms)
        expected = self._images.facts["validation_images"]
        if scores.images != expected:
            raise RuntimeError(f"{scores.images} validation images were scored, there are {expected}")
        return scores

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        found = [
            *(Metric(f"{name}_loss", loss) for name, loss in self.progress.losses.items()),
            Metric("epochs_run", self.progress.epochs),
            *step_metrics(self._trainer.optimizer_steps, self._images_seen),
            Metric("steps_per_epoch", self._images.steps_per_epoch),
            Metric("images_per_step", self._schedule.images_per_step),
            Metric("ranks", self._ranks.size),
            Metric("equal_weights_proven", self._ranks.sync_checks),
            Metric("checkpoints_written", self._checkpoints.written if self._checkpoints else 0),
            Metric("checkpoint_seconds", self._context.phases.get("checkpoint", 0.0), "s"),
        ]
        if self._ranks.size > 1:
            found.append(Metric("communicated_bytes_per_step", self._trainer.gradient_bytes, "B"))
        if self.resumed_from is not None:
            found.append(Metric("resumed_from_epoch", self.resumed_from))
        if self._images_seen:
            found.append(Metric("training_seconds", self._seconds, "s"))
        return found

    def _epoch(self, epoch: int) -> None:
        """Train for an epoch, counted from 0."""
        steps = self._images.steps_per_epoch
        rates = [self._schedule.rate(step) for step in range(epoch * steps, (epoch + 1) * steps)]
        seed = [self._context.seed % 2**64, epoch, self._ranks.rank]
        with self._context.phase("train"), closing(self._images.training(epoch)) as batches:
            done, losses = self._trainer.train(batches, rates, seed)
            self._trainer.sync_batch_norm()
            synchronise()
            self._ranks.assert_in_sync(self._trainer.state, f"after epoch {epoch + 1}")
        if done != steps:
            raise RuntimeError(f"epoch {epoch + 1} had {done} steps instead of {steps}")
        if not math.isfinite(sum(losses.values())):
            raise RuntimeError(f"the training diverged: its losses are {losses} in epoch {epoch + 1}")
        self._images_seen += steps * self._schedule.images_per_step
        self.progress = Progress(epoch + 1, losses)

    def _read(self) -> dict[str, Any] | None:
        """Load the last whole checkpoint into this rank and return its progress."""
        if self._checkpoints is None:
            return None
        found = self._checkpoints.read([tuple(variable.shape) for variable in self._trainer.state])
        if found is None:
            return None
        self._trainer.restore(found.arrays)
        return found.facts

    def _write(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.write(
                Checkpoint(self.progress.epochs, self._trainer.values(), asdict(self.progress))
            )
