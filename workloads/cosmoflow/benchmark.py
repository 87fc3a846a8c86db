"""CosmoFlow of MLPerf HPC: one network trained by all ranks of an instance, up to its mean absolute error.

Written from the published description of mlcommons/hpc commit 2c627d4, folder cosmoflow: network, loss,
optimizer, learning rates, form of the data, and the end at a target. It differs in this: the last, incomplete
batch of validation images is scored too, and that of training images left out, where the reference refuses
both; ranks leave out the outputs that one process with all their images would, so that dropout does not
depend on their number; rank 0 keeps a checkpoint of every epoch, the last two of them; and all random choices
follow from the instance's seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workloads.context import Context, Metric, Result
from workloads.cosmoflow.sizes import EDGE, CosmoSizes
from workloads.description import DataFormat, Workload, WorkloadError
from workloads.expected_steps import EpochSteps, Rows
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.communication import COMMUNICATION, GRADIENT_PRECISION, check_communication
from workloads.runtime.framework import PRECISION, configure_framework, trainable_parameters
from workloads.runtime.training import epochs
from workloads.runtime.training.joint_run import joint_run
from workloads.runtime.training.resumption import identity_of


@dataclass(frozen=True, slots=True)
class CosmoFlowParameters:
    """Parameters of CosmoFlow; the rules of MLPerf HPC fix those that begin with ``opt`` and ``sgd``."""

    epochs: int = parameter(128, "most passes over the training images", minimum=1)
    target_mae: float = parameter(
        0.124, "mean absolute error of the validation images that ends the training; 0: none does", minimum=0
    )
    batch_size: int = parameter(4, "images per rank and step", minimum=1)
    learning_rate: float = parameter(
        0.001, "of the first epoch, and of a step of 64 images; the latter grows in proportion", minimum=0
    )
    warmup_epochs: int = parameter(4, "epochs of a linear rise of the learning rate", minimum=0)
    first_drop: int = parameter(33, "epoch, counted from 0, from which it is a quarter", minimum=0)
    second_drop: int = parameter(65, "epoch, counted from 0, from which it is an eighth", minimum=0)
    opt_name: str = parameter("sgd", "gradient descent with momentum", choices=("sgd",))
    sgd_opt_momentum: float = parameter(0.9, "its momentum, without Nesterov's change", minimum=0)
    dropout: float = parameter(0.5, "share of the dense layers' outputs that a step leaves out", minimum=0)
    resume: bool = parameter(
        True, "go on from the checkpoint of an earlier attempt; such a run's time does not count"
    )
    image_edge: int = parameter(EDGE, "edge of the images", unit="cells", minimum=2)
    conv_layers: int = parameter(5, "convolutions, each with a pooling that halves the edge", minimum=1)
    width_divisor: int = parameter(1, "divides all filters and units", minimum=1)
    precision: str = common(PRECISION)
    communication: str = common(COMMUNICATION)
    gradient_precision: str = common(GRADIENT_PRECISION)

    def __post_init__(self) -> None:
        if self.dropout >= 1:
            raise WorkloadError(f"cosmoflow: dropout must be below 1, not {self.dropout:g}")
        if self.image_edge < 2**self.conv_layers:
            raise WorkloadError(
                f"cosmoflow: {self.conv_layers} poolings leave nothing of images of edge {self.image_edge}; "
                "lower conv_layers"
            )

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if so many ranks cannot exchange such gradients."""
        check_communication(self.communication, ranks, exchanged=self.gradient_precision)


WORKLOAD = Workload(
    name="cosmoflow",
    title="CosmoFlow of MLPerf HPC: data-parallel training to a mean absolute error",
    source="mlcommons/hpc commit 2c627d4, folder cosmoflow",
    entry="workloads.cosmoflow.benchmark:run",
    parameters=table(CosmoFlowParameters),
    parameters_type=CosmoFlowParameters,
    fom_time="run",
    accuracy_metric="mean_absolute_error",
    metrics=(
        "mean_absolute_error", "guess_error", "validation_loss", "train_loss",
        "trainable_parameters", "forward_flop_per_sample", "training_flop_per_sample",
        "load_seconds", "build_seconds", "restore_seconds", *epochs.METRICS,
    ),
    requires=("keras", "tensorflow"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=("{train,validation}/*.tfrecord (gzip or not)",),
        maker="workloads.cosmoflow.generator:make",
        checker="workloads.cosmoflow.layout:check",
        sizes=table(CosmoSizes),
        checks_parameters=True,
        decided_by=("image_edge",),
    ),
    optimizer_steps=EpochSteps((Rows("train_images"),), drops_last=True),
    sizes={"trainable_parameters": 8_907_556, "forward_flop_per_sample": 68_862_099_968},
    ranks=True,
)  # fmt: skip

# A checkpoint of a run that differs in another parameter, or in seed, ranks or data, is not resumed.
_MAY_CHANGE = {"epochs", "target_mae"}


def run(parameters: CosmoFlowParameters, context: Context) -> Result:
    """Train and score one network; accuracy is the mean absolute error of all validation images.

    Raises
    ------
    WorkloadError
        If the precision needs GPUs and there are none.
    DataError, RuntimeError
        As `joint_run`, which says more.
    """
    if parameters.precision == "mixed_float16" and not context.devices:
        raise WorkloadError("cosmoflow: TensorFlow pools no float16 on CPUs; choose mixed_bfloat16, or GPUs")
    observed = configure_framework(context, "tensorflow", parameters.precision)
    ranks = Ranks(context, parameters.communication, parameters.gradient_precision)
    return joint_run(
        WORKLOAD, context, ranks, observed, lambda directory: _train(parameters, context, directory, ranks)
    )


def _train(parameters: CosmoFlowParameters, context: Context, directory: Path, ranks: Ranks) -> Result:
    from workloads.cosmoflow.images import CosmoImages
    from workloads.cosmoflow.network import build
    from workloads.cosmoflow.trainer import Trainer
    from workloads.cosmoflow.training import Schedule, Training
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.flops import flop_metrics

    with context.phase("load"):
        images = CosmoImages(
            directory,
            ranks,
            edge=parameters.image_edge,
            batch_size=parameters.batch_size,
            seed=context.seed,
            threads=len(context.cores) or 1,
        )
    with context.phase("build"):
        model = build(
            parameters.image_edge,
            conv_layers=parameters.conv_layers,
            width_divisor=parameters.width_divisor,
        )
        trainer = Trainer(model, ranks, momentum=parameters.sgd_opt_momentum, dropout=parameters.dropout)
    schedule = Schedule(
        learning_rate=parameters.learning_rate,
        images_per_step=parameters.batch_size * ranks.size,
        steps_per_epoch=images.steps_per_epoch,
        warmup_epochs=parameters.warmup_epochs,
        drops=(parameters.first_drop, parameters.second_drop),
    )
    training = Training(
        context,
        ranks,
        images,
        trainer,
        schedule,
        epochs=parameters.epochs,
        target=parameters.target_mae,
        identity=identity_of(parameters, _MAY_CHANGE) if parameters.resume else None,
    )
    with context.phase("restore"):
        training.restore()
    training.train()
    return Result(
        accuracy=training.progress.mean_absolute_error,
        metrics=(*training.metrics(), Metric("trainable_parameters", trainable_parameters(model))),
        data=images.facts | {"resumed": training.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, model),
        measure_after=lambda: flop_metrics(model),
    )
