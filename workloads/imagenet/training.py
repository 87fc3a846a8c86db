"""Train one classifier of ImageNet's images on all ranks of an instance, epoch by epoch.

What benchmarks have in common: no two ranks train on the same image in an epoch; validation scores every
validation image once, each rank its share; moving statistics of batch normalisation are averaged over the
ranks after every epoch; and a run that goes on from a checkpoint has its optimizer's state again. The
benchmark's `Recipe` says what they differ in.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload
from workloads.imagenet.sizes import ImageNetSizes
from workloads.imagenet.trainer import CROSS_ENTROPY, Objective
from workloads.parameters import table
from workloads.runtime.backends import tensorflow
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import configure_framework, synchronise, trainable_parameters
from workloads.runtime.step_count import step_metrics

if TYPE_CHECKING:
    from workloads.imagenet.pipeline import Images, View
    from workloads.imagenet.trainer import Scores, Trainer
    from workloads.runtime.checkpoints import Checkpoints

IMAGENET = DataFormat(
    files=("{train,validation}/CLASS/*.JPEG", "{train,validation}-00000-of-01024 (TFRecord)"),
    maker="workloads.imagenet.generator:make",
    checker="workloads.imagenet.layout:check",
    sizes=table(ImageNetSizes),
)


class StepSchedule(Protocol):
    """Learning rate and momentum of every training step, counted from 0 over all epochs."""

    def rate(self, step: int) -> float:
        """Return the learning rate of a step."""
        ...

    def momentum_of(self, step: int) -> float:
        """Return the momentum of a step."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is a benchmark's own.

    Parameters
    ----------
    workload
        Its description.
    build
        Returns the Keras model, from images to logits.
    view
        How images are shown.
    schedule
        Returns the rates of all steps, from the number of ranks and of steps in an epoch.
    objective
        What is minimised, and how.
    most_epochs
        Goes on after the parameter ``epochs`` until the target is reached, up to this many; 0: does not.
    validate_every
        Epochs between validations while it trains; 0: after the last epoch alone.
    shuffled_records
        Records of TFRecord files from which the next one is drawn at random.
    may_change
        Parameters that a checkpoint's training need not have in common with the one that goes on from it.
    """

    workload: Workload
    build: Callable[[], Any]
    view: View
    schedule: Callable[[int, int], StepSchedule]
    objective: Objective = CROSS_ENTROPY
    most_epochs: int = 0
    validate_every: int = 1
    shuffled_records: int = 2048
    may_change: frozenset[str] = frozenset()


@dataclass(slots=True)
class Progress:
    """How far a training is; all of it is kept with a checkpoint.

    Parameters
    ----------
    epochs
        Epochs completed.
    top_1
        Validation accuracy after the last of them that was validated, in percent.
    epochs_to_target
        The first epoch, counted from 1, after which the target was reached; 0: none yet.
    train_loss, train_top_1
        Of the last epoch's training images, while the weights changed.
    """

    epochs: int = 0
    top_1: float = 0.0
    epochs_to_target: int = 0
    train_loss: float = 0.0
    train_top_1: float = 0.0


def run_recipe(recipe: Recipe, parameters: Any, context: Context) -> Result:
    """Train and score one network; accuracy is top-1 in percent, single crop, of all validation images.

    `parameters` have ``epochs``, ``target_accuracy``, ``batch_size``, ``classes``, ``precision`` and
    ``resume`` among them. Metric ``training_seconds`` begins before the first training batch is read and ends
    with the last epoch's last step, validations and checkpoints between epochs included.

    With ``scratch``, rank 0 keeps a checkpoint of every epoch there, and all ranks go on from the
    last one that is whole. The run's time is then that of this attempt alone, and the metric
    ``resumed_from_epoch`` says so.

    Raises
    ------
    DataError
        If the data cannot be used.
    RuntimeError
        If the training diverges, the ranks' weights differ, or another rank dies.
    """
    observed = configure_framework(context, "tensorflow", parameters.precision)
    if recipe.objective.xla:
        observed |= tensorflow.allow_any_order()
    ranks = Ranks(context)
    directory = data_directory(recipe.workload, context.data)
    recording = ranks.record_timeline(context.timeline)
    with ranks.translate_errors():
        context.start()
        model, result = _run(recipe, parameters, context, directory, ranks)
    from workloads.runtime.flops import flop_metrics

    result.observed = observed | ranks.describe()
    result.measure_after = lambda: (*recording.keep(), *flop_metrics(model))
    return result


def _run(
    recipe: Recipe, parameters: Any, context: Context, directory: Path, ranks: Ranks
) -> tuple[Any, Result]:
    """Return the trained model and the result of its training."""
    from workloads.imagenet.pipeline import Batching, open_images
    from workloads.imagenet.trainer import Trainer
    from workloads.runtime.arithmetic import measure_models

    batching = Batching(
        view=recipe.view,
        classes=parameters.classes,
        batch_size=parameters.batch_size,
        seed=context.seed,
        threads=len(context.cores) or 1,
        shuffled_records=recipe.shuffled_records,
    )
    with context.phase("load"):
        images = open_images(directory, ranks, batching)
    with context.phase("build"):
        model = recipe.build()
        trainer = Trainer(model, int(model.output_shape[-1]), ranks, recipe.objective)
    training = Training(recipe, parameters, context, ranks, images, trainer)
    with context.phase("restore"):
        training.restore()
    training.train()
    with context.phase("evaluate"):
        reached = training.score()
        synchronise()
    return model, Result(
        accuracy=reached.top_1,
        metrics=(
            Metric("top_1_percent", reached.top_1, "%"),
            Metric("top_5_percent", reached.top_5, "%"),
            Metric("validation_loss", reached.loss),
            *training.metrics(),
            Metric("trainable_parameters", trainable_parameters(model)),
        ),
        data=images.facts | {"classes": reached.classes, "resumed": training.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, model),
    )


class Training:
    """The epochs of a run, from a fresh start or from a checkpoint."""

    def __init__(
        self,
        recipe: Recipe,
        parameters: Any,
        context: Context,
        ranks: Ranks,
        images: Images,
        trainer: Trainer,
    ) -> None:
        self._context, self._ranks, self._images, self._trainer = context, ranks, images, trainer
        self._epochs, self._most = parameters.epochs, recipe.most_epochs
        self._target, self._validate_every = parameters.target_accuracy, recipe.validate_every
        self._schedule = recipe.schedule(ranks.size, images.steps_per_epoch)
        self._images_per_step = parameters.batch_size * ranks.size
        self._images_seen = 0
        self._seconds = 0.0
        self.progress = Progress()
        self.resumed_from: int | None = None
        self._checkpoints: Checkpoints | None = None
        if context.scratch is not None and ranks.rank == 0 and parameters.resume:
            from workloads.runtime.checkpoints import Checkpoints

            identity: dict[str, Any] = {
                name: value for name, value in asdict(parameters).items() if name not in recipe.may_change
            }
            identity |= {"seed": context.seed, "ranks": ranks.size, "data": images.facts}
            self._checkpoints = Checkpoints(context.scratch / "checkpoints", identity)

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
            print("epoch,seconds,learning_rate,train_loss,train_top_1,validation_loss,validation_top_1")
        first_read = time.monotonic()
        while not should_stop(self.progress, self._epochs, self._most, self._target):
            begin = time.monotonic()
            learned = self._epoch(self.progress.epochs)
            self._seconds = time.monotonic() - first_read
            reached = self._validate(learned)
            with self._context.phase("checkpoint"):
                self._write()
            if self._ranks.rank == 0:
                last = self._schedule.rate(self.progress.epochs * self._images.steps_per_epoch - 1)
                scored = "," if reached is None else f"{reached.loss:.6g},{reached.top_1:.3f}"
                print(
                    f"{self.progress.epochs},{time.monotonic() - begin:.3f},{last:.6g},{learned.loss:.6g},"
                    f"{learned.top_1:.3f},{scored}",
                    flush=True,
                )

    def score(self) -> Scores:
        """Return the scores of the validation images.

        Raises
        ------
        RuntimeError
            If some were not scored, or more than once.
        """
        scores = self._trainer.evaluate(self._images.validation())
        expected = self._images.facts["validation_images"]
        if scores.images != expected:
            raise RuntimeError(f"{scores.images} validation images were scored, there are {expected}")
        return scores

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        progress, phases = self.progress, self._context.phases
        found = [
            Metric("train_loss", progress.train_loss),
            Metric("train_top_1_percent", progress.train_top_1, "%"),
            Metric("epochs_run", progress.epochs),
            *step_metrics(self._trainer.optimizer_steps, self._images_seen),
            Metric("steps_per_epoch", self._images.steps_per_epoch),
            Metric("images_per_step", self._images_per_step),
            Metric("ranks", self._ranks.size),
            Metric("equal_weights_proven", self._ranks.sync_checks),
            Metric("checkpoints_written", self._checkpoints.written if self._checkpoints else 0),
            Metric("checkpoint_seconds", phases.get("checkpoint", 0.0), "s"),
        ]
        if progress.epochs_to_target:
            found.append(Metric("epochs_to_target", progress.epochs_to_target))
        if self.resumed_from is not None:
            found.append(Metric("resumed_from_epoch", self.resumed_from))
        if self._images_seen:
            found.append(Metric("images_per_second", self._images_seen / phases["train"], "images/s"))
            found.append(Metric("training_seconds", self._seconds, "s"))
        if self._ranks.size > 1:
            found.append(Metric("communicated_bytes_per_step", self._trainer.communicated_bytes, "B"))
        return found

    def _epoch(self, epoch: int) -> Scores:
        """Train for an epoch, counted from 0; return the scores while the weights changed."""
        steps = self._images.steps_per_epoch
        numbers = range(epoch * steps, (epoch + 1) * steps)
        with self._context.phase("train"):
            done, learned = self._trainer.train(
                self._images.training(epoch),
                [self._schedule.rate(step) for step in numbers],
                [self._schedule.momentum_of(step) for step in numbers],
            )
            self._trainer.sync_batch_norm()
            self._ranks.assert_in_sync(self._trainer.state, f"after epoch {epoch + 1}")
        if done != steps:
            raise RuntimeError(f"epoch {epoch + 1} had {done} steps instead of {steps}")
        if not math.isfinite(learned.loss):
            raise RuntimeError(f"the training diverged: its loss is {learned.loss} in epoch {epoch + 1}")
        self._images_seen += learned.images
        return learned

    def _validate(self, learned: Scores) -> Scores | None:
        """Note the epoch that ended, with the scores of the validation images where they are due."""
        epoch, reached, before = self.progress.epochs + 1, None, self.progress
        if self._validate_every and epoch % self._validate_every == 0:
            with self._context.phase("validate"):
                reached = self.score()
        hit = reached is not None and reached.top_1 >= self._target
        self.progress = Progress(
            epochs=epoch,
            top_1=before.top_1 if reached is None else reached.top_1,
            epochs_to_target=before.epochs_to_target or (epoch if hit else 0),
            train_loss=learned.loss,
            train_top_1=learned.top_1,
        )
        return reached

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
        if self._checkpoints is None:
            return
        from workloads.runtime.checkpoints import Checkpoint

        facts = asdict(self.progress)
        self._checkpoints.write(Checkpoint(self.progress.epochs, self._trainer.values(), facts))


def should_stop(progress: Progress, epochs: int, most: int, target: float) -> bool:
    """Tell whether a training ends where it is.

    Parameters
    ----------
    progress
        Where it is.
    epochs
        It never ends before.
    most
        It goes on until the target is reached, but not beyond this epoch; 0: it does not go on.
    target
        Validation accuracy in percent.
    """
    if progress.epochs < epochs:
        return False
    return progress.epochs >= most or progress.top_1 >= target
