"""P1B2: a regularised classifier of cancer types from mutations.

Written from the published description of ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2, and of its parallel
form in Wu et al., ICPP 2019 (`workloads.candle.parallel`).

Keras 3 adds RMSprop's epsilon under the root of the mean square, Keras 2 beside the root. The square of the
published epsilon, 1e-8, under the root differs least from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from workloads.candle.initial_weights import WEIGHTS_STREAM, kernel_initializer
from workloads.candle.parallel import ParallelParameters, RankShare, parallel_optimizer
from workloads.candle.parallel_run import run_parallel
from workloads.candle.sizes import P1B2_VALIDATION_SHARE as VALIDATION_SHARE
from workloads.candle.sizes import P1B2Sizes
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload
from workloads.expected_steps import Rows, WholeSetSteps
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes


@dataclass(frozen=True, slots=True)
class P1B2Parameters(ParallelParameters):
    """Parameters of P1B2."""

    epochs: int = parameter(1, "passes over the training rows", minimum=1)
    batch_size: int = parameter(60, "rows of one rank's step, before `batch_scaling`", minimum=1)
    learning_rate: float = parameter(0.001, "of RMSprop, of one rank", minimum=0)
    rho: float = parameter(0.9, "share of RMSprop's mean square that is kept in a step", minimum=0)
    epsilon: float = parameter(1e-8, "of RMSprop, beside the root", minimum=0)
    first_width: int = parameter(1024, "units of the first hidden layer", minimum=1)
    second_width: int = parameter(512, "units of the second hidden layer", minimum=1)
    third_width: int = parameter(256, "units of the third hidden layer", minimum=1)
    penalty: float = parameter(
        1e-5, "factor of the squares of kernels, and of outputs, of the hidden layers in the loss", minimum=0
    )
    weights_seed: int = parameter(
        2017, "seed of the initial weights, the same for all; 0: each instance's own", minimum=0
    )
    weights_stream: str = common(WEIGHTS_STREAM)


WORKLOAD = Workload(
    name="p1b2",
    title="CANDLE P1B2: classifier of cancer types from mutations, data-parallel",
    source="ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2; Wu et al., ICPP 2019",
    entry="workloads.candle.p1b2:run",
    parameters=table(P1B2Parameters),
    parameters_type=P1B2Parameters,
    fom_time="run",
    accuracy_metric="test_accuracy",
    requires=("keras", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=("P1B2.train.csv", "P1B2.test.csv"),
        maker="workloads.candle.data.p1b2:make",
        checker="workloads.candle.data.p1b2:check",
        cacher="workloads.candle.data.p1b2:fill_cache",
        sizes=table(P1B2Sizes),
    ),
    optimizer_steps=WholeSetSteps(Rows("train_rows", VALIDATION_SHARE, held_out_first=True)),
    sizes={"trainable_parameters": 29_540_618, "forward_flop_per_sample": 59_077_632},
    ranks=True,
)


def run(parameters: P1B2Parameters, context: Context) -> Result:
    """Load, train and score one classifier; accuracy is the share of test rows whose class is found.

    It raises what `workloads.candle.parallel_run.run_parallel` does.
    """
    return run_parallel(WORKLOAD, parameters, context, partial(_prepare, parameters, context))


def _prepare(
    parameters: P1B2Parameters, context: Context, share: RankShare, ranks: Ranks, times: ReadTimes
) -> Prepared:
    from workloads.candle.data import p1b2 as p1b2_data
    from workloads.candle.epochs import Feed, Prepared
    from workloads.runtime.zero_copy import without_copy

    directory = data_directory(WORKLOAD, context.data)
    with context.phase("load"):
        data = p1b2_data.load(
            directory, parameters.loader, context.dataset_cache, parameters.chunk_rows, times
        )
    with context.phase("build"):
        model = build(data.train.shape[1], data.facts["classes"], parameters, context.seed, share, ranks)
    test = without_copy(data.test), without_copy(data.test_classes)
    rows = {"x": without_copy(data.train), "y": without_copy(data.train_classes)}
    validation = without_copy(data.validation), without_copy(data.validation_classes)

    def evaluate() -> tuple[Metric, ...]:
        loss, accuracy = map(float, model.evaluate(*test, batch_size=share.batch_size, verbose=0))
        return Metric("test_accuracy", accuracy), Metric("test_loss", loss)

    return Prepared(
        model, Feed(lambda _: rows | {"batch_size": share.batch_size}, validation, data.facts), evaluate
    )


def build(
    features: int,
    classes: int,
    parameters: P1B2Parameters,
    instance_seed: int,
    share: RankShare,
    ranks: Ranks,
) -> Any:
    """Return the compiled classifier; all layers are sigmoid, the output too, and classes are numbers."""
    import keras
    from keras import layers, regularizers

    seed = parameters.weights_seed or instance_seed % 2**31
    initializer = kernel_initializer(parameters.weights_stream, seed)
    model = keras.Sequential([keras.Input((features,))], name="p1b2")
    for width in (parameters.first_width, parameters.second_width, parameters.third_width):
        model.add(
            layers.Dense(
                width,
                activation="sigmoid",
                kernel_initializer=initializer,
                kernel_regularizer=regularizers.L2(parameters.penalty),
                activity_regularizer=regularizers.L2(parameters.penalty),
            )
        )
    model.add(layers.Dense(classes, activation="sigmoid", kernel_initializer=initializer, dtype="float32"))
    model.compile(
        loss="sparse_categorical_crossentropy",
        optimizer=parallel_optimizer(
            keras.optimizers.RMSprop,
            ranks,
            learning_rate=share.learning_rate,
            rho=parameters.rho,
            epsilon=parameters.epsilon**2,
        ),
        metrics=["accuracy"],
        jit_compile=current_backend().JIT_COMPILE,
    )
    return model
