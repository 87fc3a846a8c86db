"""ResNet-50 on ImageNet: one network trained by all ranks of an instance, up to its top-1 accuracy.

Written from the published description of horovod/horovod tag v0.11.3,
examples/keras_imagenet_resnet50.py, which the CORAL-2 Deep Learning Suite names. It differs in
this: no two ranks train on the same image in an epoch, where there every rank draws from all;
validation after an epoch and at the end scores every validation image once, each rank its share;
moving statistics of batch normalisation are averaged over the ranks after every epoch; and a run
that goes on from a checkpoint has its optimizer's state again.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload, WorkloadError
from workloads.expected_steps import EpochSteps, Rows
from workloads.imagenet.resnet50.schedule import Schedule
from workloads.imagenet.sizes import ImageNetSizes
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import PRECISION, configure_framework, synchronise, trainable_parameters
from workloads.runtime.step_count import step_metrics

if TYPE_CHECKING:
    from workloads.imagenet.pipeline import Images
    from workloads.imagenet.resnet50.trainer import Scores, Trainer
    from workloads.runtime.checkpoints import Checkpoints


@dataclass(frozen=True, slots=True)
class ResNet50Parameters:
    """Parameters of ResNet-50."""

    epochs: int = parameter(90, "passes over the training images", minimum=1)
    max_epochs: int = parameter(
        0, "go on after `epochs` until the target is reached, up to this many; 0: stop at `epochs`", minimum=0
    )
    target_accuracy: float = parameter(74.9, "top-1 to reach, of the validation images", unit="%", minimum=0)
    batch_size: int = parameter(32, "images per rank and step", minimum=1)
    learning_rate: float = parameter(0.0125, "of one rank; all ranks' is the sum", minimum=0)
    warmup_epochs: int = parameter(
        5, "epochs of rising from one rank's learning rate to all ranks'", minimum=0
    )
    first_drop: int = parameter(30, "epoch from which the learning rate is a tenth", minimum=1)
    second_drop: int = parameter(60, "epoch from which it is a hundredth", minimum=1)
    third_drop: int = parameter(80, "epoch from which it is a thousandth", minimum=1)
    momentum: float = parameter(0.9, "of gradient descent, without Nesterov's change", minimum=0)
    weight_decay: float = parameter(5e-5, "factor of the kernels' squares in the loss", minimum=0)
    resume: bool = parameter(
        True, "go on from the checkpoint of an earlier attempt; such a run's time does not count"
    )
    classes: int = parameter(1000, "classes to tell apart", minimum=2)
    image_size: int = parameter(224, "height and width", unit="pixels", minimum=32)
    width_divisor: int = parameter(1, "divides all filters", minimum=1)
    depth_divisor: int = parameter(1, "divides the blocks of every stage", minimum=1)
    precision: str = common(PRECISION)


WORKLOAD = Workload(
    name="resnet50",
    title="ResNet-50 on ImageNet: data-parallel training to top-1 accuracy",
    source="horovod/horovod tag v0.11.3, examples/keras_imagenet_resnet50.py; CORAL-2 Deep Learning Suite",
    entry="workloads.imagenet.resnet50.benchmark:run",
    parameters=table(ResNet50Parameters),
    parameters_type=ResNet50Parameters,
    fom_time="run",
    accuracy_metric="top_1_percent",
    requires=("keras", "tensorflow"),
    requires_for_ranks=("horovod",),
    data=DataFormat(
        files=("{train,validation}/CLASS/*.JPEG", "{train,validation}-00000-of-01024 (TFRecord)"),
        maker="workloads.imagenet.generator:make",
        checker="workloads.imagenet.layout:check",
        sizes=table(ImageNetSizes),
    ),
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={"trainable_parameters": 25_583_592, "forward_flop_per_sample": 7_715_946_496},
    ranks=True,
)

# A checkpoint of a run that differs in another parameter, or in seed, ranks or data, is not resumed.
_MAY_CHANGE = {"epochs", "max_epochs", "target_accuracy"}


@dataclass(slots=True)
class Progress:
    """How far a training is; all of it is kept with a checkpoint.

    Parameters
    ----------
    epochs
        Epochs completed.
    top_1
        Validation accuracy after the last of them, in percent.
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


def run(parameters: ResNet50Parameters, context: Context) -> Result:
    """Train and score one network; accuracy is top-1 in percent, single crop, of all validation images.

    With ``scratch``, rank 0 keeps a checkpoint of every epoch there, and all ranks go on from the
    last one that is whole. The run's time is then that of this attempt alone, and the metric
    ``resumed_from_epoch`` says so.

    Raises
    ------
    DataError
        If the data cannot be used.
    WorkloadError
        If parameters contradict each other.
    RuntimeError
        If the training diverges, the ranks' weights differ, or another rank dies.
    """
    epochs, most = parameters.epochs, parameters.max_epochs
    if 0 < most < epochs:
        raise WorkloadError(
            f"resnet50: max_epochs is {most}, but epochs is {epochs}; raise one, lower the other"
        )
    observed = configure_framework(context, "tensorflow", parameters.precision)
    ranks = Ranks(context)
    directory = data_directory(WORKLOAD, context.data)
    recording = ranks.record_timeline(context.timeline)
    with ranks.translate_errors():
        context.start()
        result = _run(parameters, context, directory, ranks, observed | ranks.describe())
    counted = result.measure_after or tuple
    result.measure_after = lambda: (*recording.keep(), *counted())
    return result


def _run(
    parameters: ResNet50Parameters, context: Context, directory: Path, ranks: Ranks, observed: dict[str, Any]
) -> Result:
    from workloads.imagenet.pipeline import Batching, open_images
    from workloads.imagenet.resnet50.network import build
    from workloads.imagenet.resnet50.trainer import Trainer
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.flops import flop_metrics

    batching = Batching(
        size=parameters.image_size,
        classes=parameters.classes,
        batch_size=parameters.batch_size,
        seed=context.seed,
        threads=len(context.cores) or 1,
    )
    with context.phase("load"):
        images = open_images(directory, ranks, batching)
    with context.phase("build"):
        model = build(
            parameters.classes,
            parameters.image_size,
            weight_decay=parameters.weight_decay,
            width_divisor=parameters.width_divisor,
            depth_divisor=parameters.depth_divisor,
        )
        trainer = Trainer(model, parameters.classes, ranks)
    training = _Training(parameters, context, ranks, images, trainer)
    with context.phase("restore"):
        training.restore()
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
            *training.metrics(),
            Metric("trainable_parameters", trainable_parameters(model)),
        ),
        observed=observed,
        data=images.facts | {"classes": reached.classes, "resumed": training.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, model),
        measure_after=lambda: flop_metrics(model),
    )


class _Training:
    """The epochs of a run, from a fresh start or from a checkpoint."""

    def __init__(
        self, parameters: ResNet50Parameters, context: Context, ranks: Ranks, images: Images, trainer: Trainer
    ) -> None:
        self._context, self._ranks, self._images, self._trainer = context, ranks, images, trainer
        self._epochs, self._most = parameters.epochs, parameters.max_epochs
        self._target = parameters.target_accuracy
        self._schedule = Schedule(
            learning_rate=parameters.learning_rate,
            momentum=parameters.momentum,
            ranks=ranks.size,
            steps_per_epoch=images.steps_per_epoch,
            warmup_epochs=parameters.warmup_epochs,
            drops=(parameters.first_drop, parameters.second_drop, parameters.third_drop),
        )
        self._images_per_step = parameters.batch_size * ranks.size
        self._images_seen = 0
        self.progress = Progress()
        self.resumed_from: int | None = None
        self._checkpoints: Checkpoints | None = None
        if context.scratch is not None and ranks.rank == 0 and parameters.resume:
            from workloads.runtime.checkpoints import Checkpoints

            identity: dict[str, Any] = {
                name: value for name, value in asdict(parameters).items() if name not in _MAY_CHANGE
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
        while not should_stop(self.progress, self._epochs, self._most, self._target):
            begin = time.monotonic()
            learned, reached = self._epoch(self.progress.epochs)
            with self._context.phase("checkpoint"):
                self._write()
            if self._ranks.rank == 0:
                last = self._schedule.rate(self.progress.epochs * self._images.steps_per_epoch - 1)
                print(
                    f"{self.progress.epochs},{time.monotonic() - begin:.3f},{last:.6g},{learned.loss:.6g},"
                    f"{learned.top_1:.3f},{reached.loss:.6g},{reached.top_1:.3f}",
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
        return found

    def _epoch(self, epoch: int) -> tuple[Scores, Scores]:
        """Train for an epoch, counted from 0, and score; return the scores of both."""
        steps = self._images.steps_per_epoch
        numbers = range(epoch * steps, (epoch + 1) * steps)
        with self._context.phase("train"):
            done, learned = self._trainer.train(
                self._images.training(epoch),
                [self._schedule.rate(step) for step in numbers],
                [self._schedule.corrected_momentum(step) for step in numbers],
            )
            self._trainer.sync_batch_norm()
            self._ranks.assert_in_sync(self._trainer.state, f"after epoch {epoch + 1}")
        if done != steps:
            raise RuntimeError(f"epoch {epoch + 1} had {done} steps instead of {steps}")
        if not math.isfinite(learned.loss):
            raise RuntimeError(f"the training diverged: its loss is {learned.loss} in epoch {epoch + 1}")
        with self._context.phase("validate"):
            reached = self.score()
        self._images_seen += learned.images
        hit = reached.top_1 >= self._target
        self.progress = Progress(
            epochs=epoch + 1,
            top_1=reached.top_1,
            epochs_to_target=self.progress.epochs_to_target or (epoch + 1 if hit else 0),
            train_loss=learned.loss,
            train_top_1=learned.top_1,
        )
        return learned, reached

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
