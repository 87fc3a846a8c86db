"""Train one classifier of ImageNet's images on all ranks of an instance, epoch by epoch.

What benchmarks have in common: no two ranks train on the same image in an epoch; validation scores every
validation image once, each rank its share; moving statistics of batch normalisation are averaged over the
ranks after every epoch; and a run that goes on from a checkpoint has its optimizer's state again. The
benchmark's `Recipe` says what they differ in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workloads.context import Context, Metric, Result
from workloads.description import DataFormat, Workload
from workloads.imagenet.sizes import ImageNetSizes
from workloads.imagenet.trainer import CROSS_ENTROPY, Objective
from workloads.parameters import table
from workloads.runtime.backends import tensorflow
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import synchronise, threads_of, trainable_parameters
from workloads.runtime.training import epochs
from workloads.runtime.training.epochs import Batches, Epoch, EpochTraining, StepSchedule
from workloads.runtime.training.joint_run import joint_run, start_ranks
from workloads.runtime.training.resumption import identity_of

if TYPE_CHECKING:
    from workloads.imagenet.pipeline import View
    from workloads.imagenet.trainer import ClassifierTrainer, Scores

IMAGENET = DataFormat(
    files=("{train,validation}/CLASS/*.JPEG", "{train,validation}-00000-of-01024 (TFRecord)"),
    maker="workloads.imagenet.generator:make",
    checker="workloads.imagenet.layout:check",
    sizes=table(ImageNetSizes),
)

METRICS = (
    "top_1_percent", "top_5_percent", "validation_loss", "untrained_top_1_percent", "best_top_1_percent",
    "best_epoch", "epochs_to_target", "train_loss", "train_top_1_percent",
    "trainable_parameters", "forward_flop_per_sample", "training_flop_per_sample",
    "load_seconds", "build_seconds", "restore_seconds", "evaluate_seconds", *epochs.METRICS,
)  # fmt: skip
"""Names of the metrics and phases that a run may report."""


class MomentumSchedule(StepSchedule, Protocol):
    """Learning rate and momentum of every training step, counted from 0 over all epochs."""

    def momentum_of(self, step: int) -> float:
        """Return the momentum of a step."""


class TrainingImages(Batches, Protocol):
    """The batches of one rank."""

    def training(self, epoch: int) -> Iterator[tuple[Any, Any]]:
        """Yield the batches of an epoch."""

    def validation(self) -> Iterator[tuple[Any, Any]]:
        """Yield the batches that this rank scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Settings of one benchmark.

    Parameters
    ----------
    build
        Returns the Keras model, from images to logits.
    images
        Opens the images of a directory for a rank.
    schedule
        Returns the rates of all steps, from the number of ranks and of steps in an epoch.
    objective
        What is minimised, and how.
    most_epochs
        Goes on after the parameter ``epochs`` until the target is reached, up to this many; 0: does not.
    validate_every
        Epochs between validations while it trains; 0: after the last epoch alone.
    score_untrained
        Whether validation scores the first weights too.
    gradient_precision
        Type in which the ranks exchange gradients.
    may_change
        Parameters that a checkpoint's training need not have in common with the one that goes on from it.
    """

    workload: Workload
    build: Callable[[], Any]
    images: Callable[[Path, Ranks], TrainingImages]
    schedule: Callable[[int, int], MomentumSchedule]
    objective: Objective = CROSS_ENTROPY
    most_epochs: int = 0
    validate_every: int = 1
    score_untrained: bool = False
    gradient_precision: str = "float32"
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
    best_top_1
        The highest validation accuracy so far, in percent.
    best_epoch
        The epoch, counted from 1, that has it; 0: none was validated yet.
    epochs_to_target
        The first epoch, counted from 1, after which the target was reached; 0: none yet.
    train_loss, train_top_1
        Of the last epoch's training images, while the weights changed.
    """

    epochs: int = 0
    top_1: float = 0.0
    best_top_1: float = 0.0
    best_epoch: int = 0
    epochs_to_target: int = 0
    train_loss: float = 0.0
    train_top_1: float = 0.0


def run_recipe(recipe: Recipe, parameters: Any, context: Context) -> Result:
    """Train and score one network; accuracy is top-1 in percent, single crop, of all validation images.

    `parameters` have ``epochs``, ``target_accuracy``, ``batch_size``, ``classes``, ``framework``,
    ``precision`` and ``resume`` among them. Metric ``training_seconds`` begins before the first training
    batch is read and ends with the last epoch's last step, validations and checkpoints between epochs
    included.

    Raises
    ------
    DataError, RuntimeError
        As `joint_run`, which says more.
    """
    observed, ranks = start_ranks(context, parameters, recipe.gradient_precision)
    if parameters.framework == "tensorflow":
        if recipe.objective.xla:
            observed |= tensorflow.allow_any_order()
    elif "tensorflow" in recipe.workload.requires:  # it decodes the images
        tensorflow.read_beside(threads_of(context))

    def train(directory: Path) -> Result:
        return _run(recipe, parameters, context, directory, ranks)

    return joint_run(recipe.workload, context, ranks, observed, train)


def _run(recipe: Recipe, parameters: Any, context: Context, directory: Path, ranks: Ranks) -> Result:
    """Return the result of a training."""
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.flops import flop_metrics

    with context.phase("load"):
        images = recipe.images(directory, ranks)
    with context.phase("build"):
        model = recipe.build()
        kind = trainer_of(parameters.framework)
        trainer = kind(model, int(model.output_shape[-1]), ranks, recipe.objective)
    training = Training(recipe, parameters, context, ranks, images, trainer)
    with context.phase("restore"):
        training.restore()
    untrained = []
    if recipe.score_untrained and training.resumed_from is None:
        with context.phase("validate"):
            untrained = [Metric("untrained_top_1_percent", training.score().top_1, "%")]
    training.train()
    with context.phase("evaluate"):
        reached = training.score()
        synchronise()
    return Result(
        accuracy=reached.top_1,
        metrics=(
            Metric("top_1_percent", reached.top_1, "%"),
            Metric("top_5_percent", reached.top_5, "%"),
            Metric("validation_loss", reached.loss),
            *untrained,
            *training.metrics(),
            Metric("trainable_parameters", trainable_parameters(model)),
        ),
        data=images.facts | {"classes": reached.classes, "resumed": training.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, model),
        measure_after=lambda: flop_metrics(model),
    )


def trainer_of(framework: str) -> type[ClassifierTrainer]:
    """Return what trains a classifier on a framework."""
    if framework == "tensorflow":
        from workloads.imagenet.trainer import Trainer

        return Trainer
    from workloads.imagenet.portable_trainer import PortableTrainer

    return PortableTrainer


class Training(EpochTraining["Scores", "Scores"]):
    """A classifier, its images, and how far it is trained."""

    columns = ("train_loss", "train_top_1", "validation_loss", "validation_top_1")
    curves = ("loss", "top_1")
    _images: TrainingImages
    _trainer: ClassifierTrainer
    _schedule: MomentumSchedule
    progress: Progress

    def __init__(
        self,
        recipe: Recipe,
        parameters: Any,
        context: Context,
        ranks: Ranks,
        images: TrainingImages,
        trainer: ClassifierTrainer,
    ) -> None:
        super().__init__(
            context,
            ranks,
            images,
            trainer,
            recipe.schedule(ranks.size, images.steps_per_epoch),
            Progress(),
            images_per_step=parameters.batch_size * ranks.size,
            validate_every=recipe.validate_every,
            identity=identity_of(parameters, recipe.may_change) if parameters.resume else None,
        )
        self._epochs, self._most = parameters.epochs, recipe.most_epochs
        self._target = parameters.target_accuracy

    def metrics(self) -> list[Metric]:
        """Return what is worth keeping of the whole training."""
        progress = self.progress
        found = [
            Metric("train_loss", progress.train_loss),
            Metric("train_top_1_percent", progress.train_top_1, "%"),
            *super().metrics(),
        ]
        if progress.best_epoch:
            found.append(Metric("best_top_1_percent", progress.best_top_1, "%"))
            found.append(Metric("best_epoch", progress.best_epoch))
        if progress.epochs_to_target:
            found.append(Metric("epochs_to_target", progress.epochs_to_target))
        return found

    def _finished(self) -> bool:
        return should_stop(self.progress, self._epochs, self._most, self._target)

    def _learn(self, epoch: int, steps: range) -> Epoch[Scores]:
        done, learned = self._trainer.train(
            self._images.training(epoch),
            [self._schedule.rate(step) for step in steps],
            [self._schedule.momentum_of(step) for step in steps],
        )
        return Epoch(done, learned.images, {"train_loss": learned.loss}, learned)

    def _evaluate(self) -> Scores:
        return self._trainer.evaluate(self._images.validation())

    def _advanced(self, epoch: int, learned: Scores, reached: Scores | None) -> Progress:
        before, hit = self.progress, reached is not None and reached.top_1 >= self._target
        best, best_epoch = before.best_top_1, before.best_epoch
        if reached is not None and (not best_epoch or reached.top_1 > best):
            best, best_epoch = reached.top_1, epoch
        return Progress(
            epochs=epoch,
            top_1=before.top_1 if reached is None else reached.top_1,
            best_top_1=best,
            best_epoch=best_epoch,
            epochs_to_target=before.epochs_to_target or (epoch if hit else 0),
            train_loss=learned.loss,
            train_top_1=learned.top_1,
        )

    def _row(self, learned: Scores, reached: Scores | None) -> list[str]:
        scored = ["", ""] if reached is None else [f"{reached.loss:.6g}", f"{reached.top_1:.3f}"]
        return [f"{learned.loss:.6g}", f"{learned.top_1:.3f}", *scored]


def imagenet_images(
    view: View, parameters: Any, context: Context, shuffled_records: int = 2048
) -> Callable[[Path, Ranks], TrainingImages]:
    """Return what opens ImageNet's images.

    Parameters
    ----------
    view
        How images are shown.
    parameters
        ``classes`` and ``batch_size`` are read.
    shuffled_records
        Records of TFRecord files from which the next one is drawn at random.
    """

    def opened(directory: Path, ranks: Ranks) -> TrainingImages:
        from workloads.imagenet.pipeline import Batching, open_images

        batching = Batching(
            view=view,
            classes=parameters.classes,
            batch_size=parameters.batch_size,
            seed=context.seed,
            threads=len(context.cores) or 1,
            shuffled_records=shuffled_records,
        )
        return open_images(directory, ranks, batching)

    return opened


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
