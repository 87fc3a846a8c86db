"""ResNet-50 on ImageNet: one network trained by all ranks of an instance, up to its top-1 accuracy.

Written from the published description of horovod/horovod tag v0.11.3,
examples/keras_imagenet_resnet50.py, which the CORAL-2 Deep Learning Suite names. It differs in
this: no two ranks train on the same image in an epoch, where there every rank draws from all;
validation after an epoch and at the end scores every validation image once, each rank its share;
moving statistics of batch normalisation are averaged over the ranks after every epoch; and a run
that goes on from a checkpoint has its optimizer's state again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Result
from workloads.description import Workload, WorkloadError
from workloads.expected_steps import EpochSteps, Rows
from workloads.imagenet.resnet50.projection import Projection
from workloads.imagenet.resnet50.schedule import Schedule
from workloads.imagenet.training import IMAGENET, Recipe, imagenet_images, run_recipe
from workloads.parameters import common, parameter, table
from workloads.runtime.communication import COMMUNICATION, check_communication
from workloads.runtime.framework import FRAMEWORK, PRECISION


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
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    communication: str = common(COMMUNICATION)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if the library cannot join so many ranks."""
        check_communication(self.communication, ranks, framework=self.framework)


WORKLOAD = Workload(
    name="resnet50",
    title="ResNet-50 on ImageNet: data-parallel training to top-1 accuracy",
    source="horovod/horovod tag v0.11.3, examples/keras_imagenet_resnet50.py; CORAL-2 Deep Learning Suite",
    entry="workloads.imagenet.resnet50.benchmark:run",
    parameters=table(ResNet50Parameters),
    parameters_type=ResNet50Parameters,
    fom_time="run",
    accuracy_metric="top_1_percent",
    requires=("keras", "tensorflow", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=IMAGENET,
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={"trainable_parameters": 25_583_592, "forward_flop_per_sample": 7_715_946_496},
    ranks=True,
)

_MAY_CHANGE = frozenset({"epochs", "max_epochs", "target_accuracy"})


def run(parameters: ResNet50Parameters, context: Context) -> Result:
    """Train and score one network, as `workloads.imagenet.training.run_recipe` says.

    Raises
    ------
    WorkloadError
        If parameters contradict each other.
    DataError, RuntimeError
        As `run_recipe`.
    """
    epochs, most = parameters.epochs, parameters.max_epochs
    if 0 < most < epochs:
        raise WorkloadError(
            f"resnet50: max_epochs is {most}, but epochs is {epochs}; raise one, lower the other"
        )

    def build_model() -> Any:
        from workloads.imagenet.resnet50.network import build

        return build(
            parameters.classes,
            parameters.image_size,
            weight_decay=parameters.weight_decay,
            width_divisor=parameters.width_divisor,
            depth_divisor=parameters.depth_divisor,
        )

    def schedule(ranks: int, steps_per_epoch: int) -> Schedule:
        return Schedule(
            learning_rate=parameters.learning_rate,
            momentum=parameters.momentum,
            ranks=ranks,
            steps_per_epoch=steps_per_epoch,
            warmup_epochs=parameters.warmup_epochs,
            drops=(parameters.first_drop, parameters.second_drop, parameters.third_drop),
        )

    recipe = Recipe(
        workload=WORKLOAD,
        build=build_model,
        images=imagenet_images(Projection(parameters.image_size), parameters, context),
        schedule=schedule,
        most_epochs=most,
        may_change=_MAY_CHANGE,
    )
    return run_recipe(recipe, parameters, context)
