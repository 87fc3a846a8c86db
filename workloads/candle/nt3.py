"""NT3: a one-dimensional convolutional network that tells normal from tumour tissue.

Written from the published description of ECP-CANDLE/Benchmarks tag v0.1, Pilot1/NT3, and of its parallel
form in Wu et al., ICPP 2019 (`workloads.candle.parallel`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from workloads.candle.parallel import ParallelParameters, RankShare, parallel_optimizer
from workloads.candle.parallel_run import run_parallel
from workloads.candle.sizes import NT3Sizes
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload, WorkloadError
from workloads.expected_steps import Rows, WholeSetSteps
from workloads.parameters import parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes

_FIRST_KERNEL, _SECOND_KERNEL, _POOL = 20, 10, 10
_LEAST_FEATURES = _FIRST_KERNEL + _SECOND_KERNEL - 2 + _POOL
_CLASSES = 2


@dataclass(frozen=True, slots=True)
class NT3Parameters(ParallelParameters):
    """Parameters of NT3."""

    epochs: int = parameter(400, "passes over the training rows", minimum=1)
    batch_size: int = parameter(20, "rows of one rank's step, before `batch_scaling`", minimum=1)
    learning_rate: float = parameter(0.001, "of gradient descent, of one rank", minimum=0)
    patience: int = parameter(
        10,
        "epochs without a lower validation loss after which the learning rate is a tenth; 0: never",
        minimum=0,
    )
    filters: int = parameter(128, "filters of both convolutions", minimum=1)
    first_width: int = parameter(200, "units of the first dense layer", minimum=1)
    second_width: int = parameter(20, "units of the second dense layer", minimum=1)
    dropout: float = parameter(0.1, "share of units left out after each dense layer", minimum=0)


WORKLOAD = Workload(
    name="nt3",
    title="CANDLE NT3: 1-D convolutional classifier of normal and tumour tissue, data-parallel",
    source="ECP-CANDLE/Benchmarks tag v0.1, Pilot1/NT3; Wu et al., ICPP 2019",
    entry="workloads.candle.nt3:run",
    parameters=table(NT3Parameters),
    parameters_type=NT3Parameters,
    fom_time="run",
    accuracy_metric="test_accuracy",
    requires=("keras", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=("nt_train2.csv", "nt_test2.csv"),
        maker="workloads.candle.data.nt3:make",
        checker="workloads.candle.data.nt3:check",
        cacher="workloads.candle.data.nt3:fill_cache",
        sizes=table(NT3Sizes),
    ),
    optimizer_steps=WholeSetSteps(Rows("train_rows")),
    sizes={"trainable_parameters": 154_922_918, "forward_flop_per_sample": 20_428_982_160},
    ranks=True,
)


def run(parameters: NT3Parameters, context: Context) -> Result:
    """Load, train and score one classifier; accuracy is the share of test rows whose class is found.

    It raises what `workloads.candle.parallel_run.run_parallel` does.
    """
    return run_parallel(WORKLOAD, parameters, context, partial(_prepare, parameters, context))


def _prepare(
    parameters: NT3Parameters, context: Context, share: RankShare, ranks: Ranks, times: ReadTimes
) -> Prepared:
    from workloads.candle.data import nt3 as nt3_data
    from workloads.candle.epochs import Feed, Plateau, Prepared
    from workloads.runtime.zero_copy import without_copy

    directory = data_directory(WORKLOAD, context.data)
    with context.phase("load"):
        data = nt3_data.load(
            directory, parameters.loader, context.dataset_cache, parameters.chunk_rows, times
        )
    with context.phase("build"):
        model = build(data.train.shape[1], parameters, share.learning_rate, ranks)
    test = without_copy(data.test[..., None]), without_copy(data.test_classes)
    rows = {"x": without_copy(data.train[..., None]), "y": without_copy(data.train_classes)}

    def evaluate() -> tuple[Metric, ...]:
        loss, accuracy = map(float, model.evaluate(*test, batch_size=share.batch_size, verbose=0))
        return Metric("test_accuracy", accuracy), Metric("test_loss", loss)

    feed = Feed(lambda _: rows | {"batch_size": share.batch_size}, test, data.facts)
    return Prepared(model, feed, evaluate, Plateau(parameters.patience))


def build(features: int, parameters: NT3Parameters, learning_rate: float, ranks: Ranks) -> Any:
    """Return the compiled classifier of rows × features × 1; classes are whole numbers.

    Raises
    ------
    WorkloadError
        If the rows are shorter than the convolutions and the pooling.
    """
    import keras

    model = classifier(features, parameters)
    model.compile(
        loss="sparse_categorical_crossentropy",
        optimizer=parallel_optimizer(keras.optimizers.SGD, ranks, learning_rate=learning_rate),
        metrics=["accuracy"],
        jit_compile=current_backend().JIT_COMPILE,
    )
    return model


def classifier(features: int, parameters: NT3Parameters) -> Any:
    """Return the classifier, not compiled.

    Raises
    ------
    WorkloadError
        If the rows are shorter than the convolutions and the pooling.
    """
    if features < _LEAST_FEATURES:
        raise WorkloadError(f"nt3 needs at least {_LEAST_FEATURES} features, the data have {features}")
    import keras
    from keras import layers

    return keras.Sequential(
        [
            keras.Input((features, 1)),
            layers.Conv1D(parameters.filters, _FIRST_KERNEL, activation="relu"),
            layers.Conv1D(parameters.filters, _SECOND_KERNEL, activation="relu"),
            layers.MaxPooling1D(_POOL),
            layers.Flatten(),
            layers.Dense(parameters.first_width, activation="relu"),
            layers.Dropout(parameters.dropout),
            layers.Dense(parameters.second_width, activation="relu"),
            layers.Dropout(parameters.dropout),
            layers.Dense(_CLASSES, activation="softmax", dtype="float32"),
        ],
        name="nt3",
    )
