"""Extreme weather analytics: one Faster R-CNN trained by all ranks of an instance, up to its mAP.

HPC AI500 V2.0 states the network (Faster R-CNN, 41 million gradients), the data set, 50 epochs, and the
target of 0.35 mAP at an overlap of 0.5. Its program is not public, so all else is a choice of ours: the
network in `network`; optimizer, learning rate, anchors, sampling and suppression as in the public Faster
R-CNN for TensorFlow and Horovod of tensorpack (commit 1547a54, examples/FasterRCNN/config.py); drops of the
learning rate after two thirds and eight ninths of the epochs; normalisation of each channel by mean and
standard deviation of 32 training images; no augmentation; the last year validates, all others train; images
without storms train the background alone; and the definition of mAP in `mean_average_precision`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import DataFormat, Workload
from workloads.expected_steps import EpochSteps, Rows
from workloads.extreme_weather.sizes import CHANNELS, CLASSES, IMAGE_HEIGHT, IMAGE_WIDTH, WeatherSizes
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.communication import COMMUNICATION, GRADIENT_PRECISION, check_communication
from workloads.runtime.framework import FRAMEWORK, PRECISION, synchronise, trainable_parameters
from workloads.runtime.training.joint_run import joint_run, start_ranks
from workloads.runtime.training.resumption import identity_of


@dataclass(frozen=True, slots=True)
class ExtremeWeatherParameters:
    """Parameters of extreme weather analytics."""

    epochs: int = parameter(50, "passes over the training images", minimum=0)
    validate_every: int = parameter(0, "epochs between two validations; 0: at the end alone", minimum=0)
    batch_size: int = parameter(1, "images per rank and step", minimum=1)
    learning_rate: float = parameter(
        0.01, "of a step of 8 images; grows in proportion to the images of all ranks", minimum=0
    )
    warmup_steps: int = parameter(1000, "steps of a linear rise of the learning rate", minimum=0)
    warmup_learning_rate: float = parameter(1e-5, "learning rate that the rise begins with", minimum=0)
    first_drop: int = parameter(33, "epoch from which the learning rate is a tenth", minimum=0)
    second_drop: int = parameter(44, "epoch from which it is a hundredth", minimum=0)
    momentum: float = parameter(0.9, "of gradient descent, without Nesterov's change", minimum=0)
    weight_decay: float = parameter(1e-4, "factor of half the kernels' squares in the loss", minimum=0)
    train_years: str = parameter("", "years such as '1979-1982 1984'; empty: all that do not validate")
    validation_years: str = parameter("", "years to score; empty: the last one of the data")
    smallest_anchor: int = parameter(
        32, "side of the smallest anchor, which doubles from level to level", unit="pixels", minimum=1
    )
    train_proposals: int = parameter(2000, "regions of a level, and of all after suppression", minimum=1)
    test_proposals: int = parameter(1000, "the same, when scoring", minimum=1)
    sampled_anchors: int = parameter(256, "anchors of an image that a step learns from", minimum=2)
    sampled_regions: int = parameter(512, "regions of an image that a step learns from", minimum=4)
    normalisation: str = parameter(
        "group", "after convolutions: group or batch normalisation", choices=("group", "batch")
    )
    resume: bool = parameter(
        True, "go on from the checkpoint of an earlier attempt; such a run's time does not count"
    )
    image_height: int = parameter(IMAGE_HEIGHT, "height of the images", unit="pixels", minimum=32)
    image_width: int = parameter(IMAGE_WIDTH, "width of the images", unit="pixels", minimum=32)
    width_divisor: int = parameter(1, "divides all filters and units", minimum=1)
    depth_divisor: int = parameter(1, "divides the blocks of every stage", minimum=1)
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    communication: str = common(COMMUNICATION)
    gradient_precision: str = common(GRADIENT_PRECISION)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if so many ranks cannot exchange such gradients."""
        check_communication(
            self.communication, ranks, framework=self.framework, exchanged=self.gradient_precision
        )


WORKLOAD = Workload(
    name="extreme_weather",
    title="Extreme weather analytics: data-parallel training of Faster R-CNN to a mean average precision",
    source="HPC AI500 V2.0; ExtremeWeather data set (Racah et al. 2017); tensorpack commit 1547a54",
    entry="workloads.extreme_weather.benchmark:run",
    parameters=table(ExtremeWeatherParameters),
    parameters_type=ExtremeWeatherParameters,
    fom_time="run",
    accuracy_metric="map_50",
    requires=("keras", "{framework}", "h5py"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=("climo_YYYY.h5",),
        maker="workloads.extreme_weather.generator:make",
        checker="workloads.extreme_weather.layout:check",
        sizes=table(WeatherSizes),
        checks_parameters=True,
    ),
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={"trainable_parameters": 41_408_424, "forward_flop_per_sample": 364_098_588_672},
    ranks=True,
)

# A checkpoint of a run that differs in another parameter, or in seed, ranks or data, is not resumed.
_MAY_CHANGE = {"epochs", "validate_every"}


def run(parameters: ExtremeWeatherParameters, context: Context) -> Result:
    """Train and score one detector; accuracy is the mAP at an overlap of 0.5 of all validation images.

    Raises
    ------
    DataError, WorkloadError, RuntimeError
        As `joint_run`, which says more.
    """
    observed, ranks = start_ranks(context, parameters, parameters.gradient_precision)
    return joint_run(
        WORKLOAD, context, ranks, observed, lambda directory: _run(parameters, context, directory, ranks)
    )


def _run(parameters: ExtremeWeatherParameters, context: Context, directory: Path, ranks: Ranks) -> Result:
    from workloads.extreme_weather.pipeline import Batching, open_images
    from workloads.extreme_weather.training import Training
    from workloads.runtime.arithmetic import measure_models

    batching = Batching(
        height=parameters.image_height,
        width=parameters.image_width,
        batch_size=parameters.batch_size,
        seed=context.seed,
        train_years=parameters.train_years,
        validation_years=parameters.validation_years,
    )
    with context.phase("load"):
        images = open_images(directory, ranks, batching)
    with context.phase("build"):
        trainer = build_trainer(parameters, (images.means, images.spreads), ranks)
    training = Training(
        context,
        ranks,
        images,
        trainer,
        _schedule(parameters, ranks, images.steps_per_epoch),
        parameters.epochs,
        parameters.validate_every,
        identity_of(parameters, _MAY_CHANGE) if parameters.resume else None,
    )
    with context.phase("restore"):
        training.restore()
    training.train()
    with context.phase("evaluate"):
        reached = training.score()
        synchronise()
    models = (trainer.proposer, trainer.head)
    return Result(
        accuracy=reached.map_50,
        metrics=(
            Metric("map_50", reached.map_50),
            *(
                Metric(f"average_precision_{CLASSES[one]}", value)
                for one, value in reached.precisions.items()
            ),
            Metric("classes_scored", len(reached.precisions)),
            *training.metrics(),
            Metric("trainable_parameters", trainable_parameters(*models)),
        ),
        data=images.facts | {"resumed": training.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, *models),
        measure_after=trainer.flop_metrics,
    )


def build_trainer(parameters: ExtremeWeatherParameters, normalisation: Any, ranks: Ranks) -> Any:
    """Return the trainer of a new network; `normalisation` are means and spreads of the channels."""
    from workloads.extreme_weather.network import Architecture
    from workloads.extreme_weather.trainer import Detecting, Optimizing, Trainer

    architecture = Architecture(
        height=parameters.image_height,
        width=parameters.image_width,
        channels=len(CHANNELS),
        classes=len(CLASSES),
        normalisation=parameters.normalisation,
        width_divisor=parameters.width_divisor,
        depth_divisor=parameters.depth_divisor,
    )
    detecting = Detecting(
        smallest_anchor=parameters.smallest_anchor,
        train_proposals=parameters.train_proposals,
        test_proposals=parameters.test_proposals,
        sampled_anchors=parameters.sampled_anchors,
        sampled_regions=parameters.sampled_regions,
    )
    optimizing = Optimizing(parameters.momentum, parameters.weight_decay)
    return Trainer(architecture, detecting, optimizing, normalisation, parameters.batch_size, ranks)


def _schedule(parameters: ExtremeWeatherParameters, ranks: Ranks, steps_per_epoch: int) -> Any:
    from workloads.extreme_weather.schedule import Schedule

    return Schedule(
        learning_rate=parameters.learning_rate,
        images_per_step=parameters.batch_size * ranks.size,
        steps_per_epoch=steps_per_epoch,
        warmup_steps=parameters.warmup_steps,
        first_rate=parameters.warmup_learning_rate,
        drops=(parameters.first_drop, parameters.second_drop),
    )
