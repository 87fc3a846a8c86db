"""HPC AI500 V2.0, image classification: ResNet-50 v1.5 on ImageNet, up to a top-1 accuracy of 76.3 %.

Written from the published description of BenchCouncil/HPC-AI500 commit e9fc7ca,
component_benchmarks/resnet50v1.5. It differs in this: what `workloads.imagenet.training` says of ranks,
validation and batch normalisation; TFRecord files are divided over the ranks by records, not by files;
validation scores the images of the last, incomplete batch too, where 49,920 of 50,000 are scored there; a
checkpoint is kept after every epoch, the last two of them; and all random choices follow from the instance's
seed. Its original trains with a batch of 128 images per rank in float32, of 256 in mixed precision, whose
loss scale varies there (scripts/fp16.sh asks for TensorFlow's automatic mixed precision without a static
scale), as it does here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Result
from workloads.description import Workload, WorkloadError
from workloads.expected_steps import EpochSteps, Rows
from workloads.imagenet.resnet50_v15.crops import Crops
from workloads.imagenet.resnet50_v15.schedule import POLICIES, Schedule
from workloads.imagenet.trainer import Objective
from workloads.imagenet.training import IMAGENET, METRICS, Recipe, imagenet_images, run_recipe
from workloads.parameters import common, parameter, table
from workloads.runtime.communication import COMMUNICATION, GRADIENT_PRECISION, check_communication
from workloads.runtime.framework import FRAMEWORK, PRECISION
from workloads.runtime.training.updates import OPTIMIZERS

_SHUFFLED_RECORDS = 4096


@dataclass(frozen=True, slots=True)
class ResNet50V15Parameters:
    """Parameters of ResNet-50 v1.5."""

    epochs: int = parameter(90, "passes over the training images", minimum=1)
    target_accuracy: float = parameter(76.3, "top-1 to reach, of the validation images", unit="%", minimum=0)
    validate_every: int = parameter(
        0, "epochs between validations while it trains; 0: after the last epoch alone", minimum=0
    )
    batch_size: int = parameter(128, "images per rank and step; 256 in mixed precision", minimum=1)
    learning_rate: float = parameter(
        0.256, "at 256 images per step over all ranks; grows in proportion to them", minimum=0
    )
    learning_rate_policy: str = parameter(
        "cosine",
        "after the warm-up: cosine to 0; steps: a tenth after 30, 60, 80, 90 epochs",
        choices=POLICIES,
    )
    warmup_epochs: int = parameter(8, "epochs of rising from 0", minimum=0)
    optimizer: str = parameter(
        "momentum", "momentum; lars, lamb: with a rate of each layer, for large batches", choices=OPTIMIZERS
    )
    trust_coefficient: float = parameter(0.001, "factor of each layer's rate with LARS", minimum=0)
    momentum: float = parameter(
        0.875, "of gradient descent, without Nesterov's change; β₁ of LAMB", minimum=0
    )
    weight_decay: float = parameter(
        2.0**-15,
        "factor of half the squares of what `decay` names in the loss; LARS and LAMB add it to the change",
        minimum=0,
    )
    decay: str = parameter(
        "all", "all: every trainable variable; kernels: not biases, γ and β", choices=("all", "kernels")
    )
    label_smoothing: float = parameter(0.1, "share of a label spread over all outputs", minimum=0)
    resume: bool = parameter(
        True, "go on from the checkpoint of an earlier attempt; such a run's time does not count"
    )
    classes: int = parameter(1000, "classes to tell apart; the network has one output more", minimum=2)
    image_size: int = parameter(224, "height and width", unit="pixels", minimum=32)
    width_divisor: int = parameter(1, "divides all filters", minimum=1)
    depth_divisor: int = parameter(1, "divides the blocks of every stage", minimum=1)
    xla: bool = parameter(
        False, "XLA compiles TensorFlow's forward and backward pass; that of JAX it always compiles"
    )
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    communication: str = common(COMMUNICATION)
    gradient_precision: str = common(GRADIENT_PRECISION)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if ranks cannot exchange such gradients, or for XLA without TensorFlow."""
        if self.xla and self.framework != "tensorflow":
            raise WorkloadError(
                f"xla: true is of TensorFlow, and the framework is {self.framework}; leave it out"
            )
        check_communication(
            self.communication, ranks, framework=self.framework, exchanged=self.gradient_precision
        )


WORKLOAD = Workload(
    name="resnet50_v15",
    title="ResNet-50 v1.5 on ImageNet: HPC AI500 image classification, data-parallel, to top-1 accuracy",
    source="BenchCouncil/HPC-AI500 commit e9fc7ca, component_benchmarks/resnet50v1.5; HPC AI500 V2.0",
    entry="workloads.imagenet.resnet50_v15.benchmark:run",
    parameters=table(ResNet50V15Parameters),
    parameters_type=ResNet50V15Parameters,
    fom_time="run",
    accuracy_metric="top_1_percent",
    metrics=METRICS,
    requires=("keras", "tensorflow", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=IMAGENET,
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={
        "trainable_parameters": 25_559_081,
        "forward_flop_per_sample": 8_178_372_608,
        "training_flop_per_sample": 24_299_089_920,
    },
    ranks=True,
)


def run(parameters: ResNet50V15Parameters, context: Context) -> Result:
    """Train and score one network, as `workloads.imagenet.training.run_recipe` says.

    Raises
    ------
    WorkloadError
        If labels are spread whole.
    DataError, RuntimeError
        As `run_recipe`.
    """
    if parameters.label_smoothing >= 1:
        raise WorkloadError(
            f"resnet50_v15: label_smoothing is {parameters.label_smoothing:g}, which leaves nothing of "
            "a label; give less than 1"
        )

    def build_model() -> Any:
        from workloads.imagenet.resnet50_v15.network import build

        return build(
            parameters.classes,
            parameters.image_size,
            width_divisor=parameters.width_divisor,
            depth_divisor=parameters.depth_divisor,
        )

    def schedule(ranks: int, steps_per_epoch: int) -> Schedule:
        return Schedule(
            learning_rate=parameters.learning_rate,
            momentum=parameters.momentum,
            images_per_step=parameters.batch_size * ranks,
            steps_per_epoch=steps_per_epoch,
            epochs=parameters.epochs,
            warmup_epochs=parameters.warmup_epochs,
            policy=parameters.learning_rate_policy,
        )

    recipe = Recipe(
        workload=WORKLOAD,
        build=build_model,
        images=imagenet_images(Crops(parameters.image_size), parameters, context, _SHUFFLED_RECORDS),
        schedule=schedule,
        gradient_precision=parameters.gradient_precision,
        objective=Objective(
            label_smoothing=parameters.label_smoothing,
            weight_decay=parameters.weight_decay,
            decay_kernels_alone=parameters.decay == "kernels",
            optimizer=parameters.optimizer,
            rate_outside=True,
            trust=parameters.trust_coefficient,
            xla=parameters.xla,
        ),
        validate_every=parameters.validate_every,
        may_change=frozenset({"target_accuracy", "validate_every"}),
    )
    result = run_recipe(recipe, parameters, context)
    result.observed["xla"] = parameters.xla
    return result
