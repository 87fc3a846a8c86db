"""ResNet-44 on CIFAR-10: 90 epochs, and the best test accuracy of them.

Written from the published description of deep500/deep500 commit cd9b21e, recipes/cifar10_resnet44.py. It
differs in this: what `workloads.imagenet.training` says of ranks, validation and batch normalisation; the
last, incomplete batch of test images is scored too; a checkpoint is kept after every epoch, the last two of
them; and all random choices follow from the instance's seed. As there, the test images are scored once before
the training, and the last, incomplete batch of an epoch is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workloads.cifar10.sizes import Cifar10Sizes
from workloads.context import Context, Result
from workloads.description import DataFormat, Workload
from workloads.expected_steps import EpochSteps, Rows
from workloads.imagenet.trainer import Objective
from workloads.imagenet.training import METRICS, Recipe, TrainingImages, run_recipe
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.communication import COMMUNICATION, check_communication
from workloads.runtime.framework import FRAMEWORK, PRECISION
from workloads.runtime.training.drops import dropped


@dataclass(frozen=True, slots=True)
class Cifar10Parameters:
    """Parameters of ResNet-44 on CIFAR-10."""

    epochs: int = parameter(90, "passes over the training images", minimum=1)
    target_accuracy: float = parameter(
        93.0, "test accuracy whose first epoch is noted; it ends no training", unit="%", minimum=0
    )
    batch_size: int = parameter(64, "images per rank and step", minimum=1)
    learning_rate: float = parameter(0.1, "a tenth from epochs 81, 122 and 164 each", minimum=0)
    momentum: float = parameter(0.9, "of gradient descent, without Nesterov's change", minimum=0)
    weight_decay: float = parameter(1e-4, "factor of half the kernels' squares in the loss", minimum=0)
    crop_padding: int = parameter(4, "border to crop from; 0: no crop", unit="pixels", minimum=0)
    flip: bool = parameter(True, "mirror half of the training images")
    cutout: int = parameter(16, "side of the square cut out of training images", unit="pixels", minimum=0)
    resume: bool = parameter(
        True, "go on from the checkpoint of an earlier attempt; such a run's time does not count"
    )
    width_divisor: int = parameter(1, "divides all filters", minimum=1)
    depth_divisor: int = parameter(1, "divides the blocks of every stage", minimum=1)
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    communication: str = common(COMMUNICATION)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if the library cannot join so many ranks."""
        check_communication(self.communication, ranks, framework=self.framework)


_NAMES = {
    "best_top_1_percent": "best_test_accuracy",
    "top_1_percent": "last_test_accuracy",
    "top_5_percent": "last_test_top_5_accuracy",
    "train_top_1_percent": "train_accuracy",
    "untrained_top_1_percent": "untrained_test_accuracy",
    "validation_loss": "test_loss",
}
"""What metrics of `workloads.imagenet.training` are called here."""

WORKLOAD = Workload(
    name="cifar10_resnet44",
    title="ResNet-44 on CIFAR-10: Deep500's recipe, data-parallel, to the best test accuracy",
    source="deep500/deep500 commit cd9b21e, recipes/cifar10_resnet44.py",
    entry="workloads.cifar10.benchmark:run",
    parameters=table(Cifar10Parameters),
    parameters_type=Cifar10Parameters,
    fom_time="run",
    accuracy_metric="best_test_accuracy",
    metrics=tuple(_NAMES.get(name, name) for name in METRICS),
    requires=("keras", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=("data_batch_{1..5}.bin", "test_batch.bin", "batches.meta.txt"),
        maker="workloads.cifar10.generator:make",
        checker="workloads.cifar10.layout:check",
        sizes=table(Cifar10Sizes),
    ),
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={"trainable_parameters": 661_338, "forward_flop_per_sample": 194_872_576},
    ranks=True,
)


def run(parameters: Cifar10Parameters, context: Context) -> Result:
    """Train and score one network, as `workloads.imagenet.training.run_recipe` says.

    Accuracy is the best of all epochs' test accuracies, in percent.

    Raises
    ------
    DataError, RuntimeError
        As `run_recipe`.
    """

    def build_model() -> Any:
        from workloads.cifar10.network import build

        return build(width_divisor=parameters.width_divisor, depth_divisor=parameters.depth_divisor)

    def images(directory: Path, ranks: Ranks) -> TrainingImages:
        from workloads.cifar10.images import Augmentation, Cifar10Images

        augmentation = Augmentation(parameters.crop_padding, parameters.flip, parameters.cutout)
        return Cifar10Images(directory, ranks, parameters.batch_size, context.seed, augmentation)

    recipe = Recipe(
        workload=WORKLOAD,
        build=build_model,
        images=images,
        schedule=lambda _ranks, steps: Schedule(parameters.learning_rate, parameters.momentum, steps),
        objective=Objective(
            weight_decay=parameters.weight_decay, decay_kernels_alone=True, rate_outside=True
        ),
        score_untrained=True,
        may_change=frozenset({"epochs", "target_accuracy"}),
    )
    result = run_recipe(recipe, parameters, context)
    result.metrics = tuple(replace(one, name=_NAMES.get(one.name, one.name)) for one in result.metrics)
    result.accuracy = next(one.value for one in result.metrics if one.name == WORKLOAD.accuracy_metric)
    return result


DROPS = (81, 122, 164)
"""Epochs, counted from 0, from which the learning rate is a tenth of what it was before."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The same rate in all steps of an epoch, whatever the batch.

    Parameters
    ----------
    learning_rate
        Of the first epoch.
    momentum
        The same in all steps.
    steps_per_epoch
        Training steps in an epoch.
    """

    learning_rate: float
    momentum: float
    steps_per_epoch: int

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0 over all epochs."""
        return dropped(self.learning_rate, step // self.steps_per_epoch, DROPS)

    def momentum_of(self, step: int) -> float:  # noqa: ARG002
        """Return the momentum of a step."""
        return self.momentum
