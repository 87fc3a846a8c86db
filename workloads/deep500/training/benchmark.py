"""A small network trained with an optimizer of a framework, or a user's rule: time to accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.deep500.optimizers import constants
from workloads.deep500.optimizers.constants import optimizer_of, settings_of
from workloads.deep500.optimizers.definitions import NAMES
from workloads.deep500.optimizers.updates import framework_update, rule_of, rule_update
from workloads.deep500.rounding import KERAS_POLICIES
from workloads.deep500.training.network import NETWORKS
from workloads.deep500.training.samplers import SAMPLERS, no_full_batch, number_of_batches
from workloads.deep500.training.schedules import SCHEDULES, Schedule
from workloads.deep500.training.trainer import Images, Stopping, Summary, Trainer
from workloads.description import DataError, DataFormat, Workload, WorkloadError
from workloads.image_sets.table import DATASET, IMAGE_SETS, ImageSetSizes
from workloads.parameters import common, parameter, table
from workloads.runtime.framework import (
    FRAMEWORK,
    configure_framework,
    current_backend,
    trainable_parameters,
)
from workloads.runtime.step_count import step_metrics


@dataclass(frozen=True, slots=True)
class TrainingParameters:
    """Parameters of the training."""

    dataset: str = common(DATASET)
    network: str = parameter("lenet", "lenet, or perceptron with one hidden layer", choices=NETWORKS)
    optimizer: str = parameter("momentum", "the framework's", choices=NAMES)
    rule: str = common(constants.RULE)
    implementation: str = common(constants.IMPLEMENTATION)
    framework: str = common(FRAMEWORK)
    precision: str = parameter("float32", "of products; weights are float32", choices=("float32", "bfloat16"))
    epochs: int = parameter(10, "passes over the training images, at most", minimum=1)
    batch_size: int = parameter(64, "images per step", minimum=1)
    sampler: str = parameter("shuffle", "order of the images; bucket: by label", choices=tuple(SAMPLERS))
    drop_last: bool = parameter(True, "leave out partial batches of the training set")
    target_accuracy: float = parameter(60.0, "test accuracy that ends it; 0: none", unit="%", minimum=0)
    time_limit: float = parameter(0.0, "seconds that end it; 0: none", unit="s", minimum=0)
    max_steps: int = parameter(0, "steps that end it; 0: none", minimum=0)
    learning_rate: float = parameter(0.01, "of the first epoch", minimum=0)
    schedule: str = parameter(
        "constant",
        "decaying_rate: the rate ÷ schedule_factor after each schedule_epochs; growing_batch: the batch × it",
        choices=SCHEDULES,
    )
    schedule_epochs: int = parameter(5, "epochs between changes of the schedule", minimum=1)
    schedule_factor: int = parameter(5, "of a change of the schedule", minimum=2)
    momentum: float = common(constants.MOMENTUM)
    beta_1: float = common(constants.BETA_1)
    beta_2: float = common(constants.BETA_2)
    rho: float = common(constants.RHO)
    epsilon: float = parameter(1e-7, "added to divisors", minimum=0)

    def at_epoch(self, epoch: int, images: int) -> tuple[int, float]:
        """Return batch and learning rate of an epoch, counted from 1, of so many training images."""
        schedule = Schedule(
            self.schedule, self.batch_size, self.learning_rate, self.schedule_epochs, self.schedule_factor
        )
        return schedule.of_epoch(epoch, images)

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if the rule or the schedule cannot be used, or the target is above 100 %."""
        constants.check(self)
        if self.schedule == "growing_batch" and self.sampler == "bucket" and self.drop_last:
            raise WorkloadError(
                "schedule: growing_batch with sampler: bucket leaves out whole classes as its batches grow; "
                "write drop_last: false, or another sampler"
            )
        if self.target_accuracy > 100:
            raise WorkloadError(f"target_accuracy must be at most 100 %, not {self.target_accuracy:g}")


WORKLOAD = Workload(
    name="deep500_training",
    title="Small network on small images: seconds and epochs to a test accuracy",
    source="this project; the levels of deep500/deep500 commit cd9b21e",
    entry="workloads.deep500.training.benchmark:run",
    parameters=table(TrainingParameters),
    parameters_type=TrainingParameters,
    fom_time="run",
    accuracy_metric="best_test_accuracy",
    metrics=(
        "initial_test_accuracy", "best_test_accuracy", "last_test_accuracy", "test_accuracy", "test_loss",
        "best_training_accuracy", "training_accuracy", "train_loss", "epochs_run", "target_reached",
        "seconds_to_accuracy", "epochs_to_accuracy", "optimizer_steps", "samples_seen", "images_per_second",
        "last_batch_size", "last_learning_rate",
        "dataset_bias", "dataset_seconds", "sampling_seconds", "trainable_parameters",
        "forward_flop_per_sample", "training_flop_per_sample",
        "load_seconds", "build_seconds", "train_seconds", "evaluate_seconds",
    ),
    requires=("keras", "{framework}"),
    data=DataFormat(
        files=(
            "data_batch_{1..5}.bin, test_batch.bin and batches.meta.txt of cifar10",
            "train.bin and test.bin of cifar100",
            "{train,t10k}-{images-idx3,labels-idx1}-ubyte of mnist and fashion_mnist",
        ),
        maker="workloads.image_sets.generator:make",
        checker="workloads.image_sets.images:check",
        sizes=table(ImageSetSizes),
        checks_parameters=True,
        decided_by=("dataset",),
    ),
)  # fmt: skip


def run(parameters: TrainingParameters, context: Context) -> Result:
    """Test the network, then train and test it until a condition is met.

    Raises
    ------
    DataError
        If the data cannot be used, or fill no batch.
    WorkloadError
        If the rule cannot be used.
    RuntimeError
        If the training diverges.
    """
    settings = settings_of(parameters)
    rule = rule_of(parameters.rule, settings)
    observed = configure_framework(context, parameters.framework, KERAS_POLICIES[parameters.precision])
    directory = data_directory(WORKLOAD, context.data)
    from workloads.deep500.training.network import build, loss_of, step_of

    context.start()
    with context.phase("load"):
        train, test, facts = _data(directory, parameters)
    with context.phase("build"):
        model = build(parameters.network, train.pixels.shape[1:], train.classes)
        variables = model.trainable_variables
        update = (
            framework_update(settings, parameters.framework, parameters.implementation, variables)
            if rule is None
            else rule_update(rule, variables)
        )
        score = current_backend().forward(loss_of(model), variables)
        step = step_of(parameters.framework, model)
        trainer = Trainer(context, step, score, update, current_backend().fetch)
    summaries, stopping = _train(parameters, context, trainer, train, test)

    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.flops import flop_metrics

    samples = sum(one.samples for one in summaries if one.part == "train")
    accuracies = _accuracy_metrics(summaries, stopping)
    return Result(
        accuracy=next(one.value for one in accuracies if one.name == WORKLOAD.accuracy_metric),
        metrics=(
            *accuracies,
            *step_metrics(stopping.steps, samples),
            *_rate(samples, context.phases.get("train")),
            *_last(parameters, summaries, len(train.labels)),
            Metric("trainable_parameters", trainable_parameters(model)),
        ),
        observed=observed
        | {
            "optimizer": optimizer_of(parameters),
            "stopped_by": stopping.reason,
        },
        data=facts,
        observe_after=lambda: measure_models(KERAS_POLICIES[parameters.precision], model),
        measure_after=lambda: flop_metrics(model),
    )


def _data(directory: Path, parameters: TrainingParameters) -> tuple[Images, Images, dict[str, Any]]:
    from workloads.image_sets import images

    dataset = IMAGE_SETS[parameters.dataset]
    train, test = images.read(dataset, directory)
    if not number_of_batches(len(train.labels), parameters.batch_size, parameters.drop_last):
        raise DataError(
            f"{directory}: {len(train.labels)} training images do not fill a step of "
            f"{parameters.batch_size}; lower batch_size, write drop_last: false, or give more images"
        )
    one, other = (
        Images(part.pixels, part.labels, dataset.classes, partial(images.shown, dataset))
        for part in (train, test)
    )
    return one, other, images.facts(dataset, directory, train, test)


def _train(
    parameters: TrainingParameters, context: Context, trainer: Trainer, train: Images, test: Images
) -> tuple[list[Summary], Stopping]:
    """Return the summaries of all epochs and tests, and why the training ended."""
    print(Summary.HEADER)
    with context.phase("evaluate"):
        summaries = [trainer.test(test, parameters.batch_size, 0)]
    context.record("test_accuracy", summaries[0].accuracy / 100)
    stopping = Stopping(parameters.target_accuracy, parameters.time_limit, parameters.max_steps)
    stopping.after_test(summaries[0].accuracy, 0)
    for epoch in range(1, parameters.epochs + 1):
        if not stopping.before_step():
            break
        size, rate = parameters.at_epoch(epoch, len(train.labels))
        batches = SAMPLERS[parameters.sampler](train.labels, size, parameters.drop_last, context.seed, epoch)
        with context.phase("train"):
            summaries.append(trainer.train(train, batches, rate, epoch, stopping))
        if not summaries[-1].batches and not stopping.reason:
            raise no_full_batch(parameters.sampler, size)
        context.record("training_accuracy", summaries[-1].accuracy / 100)
        _draw(context, summaries[-1], epoch)
        if stopping.reason == "time limit":
            break
        with context.phase("evaluate"):
            summaries.append(trainer.test(test, parameters.batch_size, epoch))
        context.record("test_accuracy", summaries[-1].accuracy / 100)
        _draw(context, summaries[-1], epoch)
        stopping.after_test(summaries[-1].accuracy, epoch)
    stopping.reason = stopping.reason or "epochs"
    return summaries, stopping


def _draw(context: Context, summary: Summary, epoch: int) -> None:
    """Add the loss and accuracy of an epoch, or of the test after it, to the curves."""
    context.curve(f"{summary.part}_loss", summary.loss, epoch=epoch)
    context.curve(f"{summary.part}_accuracy", summary.accuracy / 100, epoch=epoch)


def _rate(samples: int, seconds: float | None) -> list[Metric]:
    return [Metric("images_per_second", samples / seconds, "images/s")] if samples and seconds else []


def _last(parameters: TrainingParameters, summaries: list[Summary], images: int) -> list[Metric]:
    """Return batch and rate of the last epoch, where they change."""
    epochs = [one.epoch for one in summaries if one.part == "train"]
    if parameters.schedule == "constant" or not epochs:
        return []
    batch, rate = parameters.at_epoch(epochs[-1], images)
    return [Metric("last_batch_size", batch, "images"), Metric("last_learning_rate", rate)]


def _accuracy_metrics(summaries: list[Summary], stopping: Stopping) -> list[Metric]:
    """Return the accuracies, and the time to the target where it was reached."""
    tests = [one for one in summaries if one.part == "test"]
    epochs = [one for one in summaries if one.part == "train"]
    found = [
        Metric("initial_test_accuracy", tests[0].accuracy, "%"),
        Metric("best_test_accuracy", max(one.accuracy for one in tests), "%"),
        Metric("last_test_accuracy", tests[-1].accuracy, "%"),
        Metric("test_loss", tests[-1].loss),
        Metric("epochs_run", len(epochs)),
        Metric("target_reached", float(stopping.reached is not None)),
    ]
    if epochs:
        found += [
            Metric("best_training_accuracy", max(one.accuracy for one in epochs), "%"),
            Metric("train_loss", epochs[-1].loss),
        ]
    if stopping.reached is not None:
        seconds, number = stopping.reached
        found += [
            Metric("seconds_to_accuracy", seconds, "s"),
            Metric("epochs_to_accuracy", number, "epochs"),
        ]
    return found
