"""P1B3: growth of cancer cells under drugs, a regression.

Written from the published description of ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B3, and of its parallel
form in Wu et al., ICPP 2019 (`workloads.candle.parallel`). Rows are shuffled once, with the sampling seed
plus the rank, and batches cycle through them from epoch to epoch. Scores count whole batches only, as the
original's do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from workloads.candle.parallel import ParallelParameters, RankShare, parallel_optimizer
from workloads.candle.parallel_run import run_parallel
from workloads.candle.sizes import P1B3Sizes
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload
from workloads.expected_steps import Rows, WholeSetSteps
from workloads.parameters import parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes


@dataclass(frozen=True, slots=True)
class P1B3Parameters(ParallelParameters):
    """Parameters of P1B3."""

    epochs: int = parameter(1, "passes over the training rows", minimum=1)
    batch_size: int = parameter(100, "rows of one rank's step, before `batch_scaling`", minimum=1)
    learning_rate: float = parameter(0.001, "of gradient descent, of one rank", minimum=0)
    first_width: int = parameter(1000, "units of the first hidden layer", minimum=1)
    second_width: int = parameter(500, "units of the second hidden layer", minimum=1)
    third_width: int = parameter(100, "units of the third hidden layer", minimum=1)
    fourth_width: int = parameter(50, "units of the fourth hidden layer", minimum=1)
    dropout: float = parameter(0.1, "share of units left out after each hidden layer", minimum=0)
    weights_seed: int = parameter(
        2017, "seed of the initial weights, the same for all; 0: each instance's own", minimum=0
    )
    sampling_seed: int = parameter(2017, "seed by which responses are chosen and split", minimum=0)
    validation_share: float = parameter(0.1, "share of the rows that validates", minimum=0)
    test_cell_share: float = parameter(0.15, "share of the cell lines that the test uses", minimum=0)


WORKLOAD = Workload(
    name="p1b3",
    title="CANDLE P1B3: regression of cell growth under drugs, data-parallel",
    source="ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B3; Wu et al., ICPP 2019",
    entry="workloads.candle.p1b3:run",
    parameters=table(P1B3Parameters),
    parameters_type=P1B3Parameters,
    fom_time="run",
    accuracy_metric="test_accuracy",
    requires=("keras", "{framework}"),
    requires_for_ranks=("{communication}",),
    data=DataFormat(
        files=(
            "P1B3_dose_response.csv",
            "P1B3_cellline_expressions.tsv",
            "P1B3_drug_descriptors.tsv",
            "P1B3_test_drugs.txt",
            "P1B3_test_celllines.txt",
        ),
        maker="workloads.candle.data.p1b3:make",
        checker="workloads.candle.data.p1b3:check",
        cacher="workloads.candle.data.p1b3:fill_cache",
        sizes=table(P1B3Sizes),
    ),
    optimizer_steps=WholeSetSteps(Rows("train_rows"), drops_last=True),
    sizes={"trainable_parameters": 30_088_701, "forward_flop_per_sample": 60_174_100},
    ranks=True,
)


def run(parameters: P1B3Parameters, context: Context) -> Result:
    """Load, train and score one regression; accuracy is the share of test rows whose sign of growth is found.

    It raises what `workloads.candle.parallel_run.run_parallel` does.
    """
    return run_parallel(WORKLOAD, parameters, context, partial(_prepare, parameters, context))


def _prepare(
    parameters: P1B3Parameters, context: Context, share: RankShare, ranks: Ranks, times: ReadTimes
) -> Prepared:
    from workloads.candle.data import p1b3 as p1b3_data
    from workloads.candle.data.p1b3_feed import joined_batches, sign_scores
    from workloads.candle.epochs import Feed, Prepared

    directory = data_directory(WORKLOAD, context.data)
    sampling = p1b3_data.Sampling(
        parameters.sampling_seed, parameters.validation_share, parameters.test_cell_share
    )
    with context.phase("load"):
        data = p1b3_data.load(
            directory, parameters.loader, context.dataset_cache, parameters.chunk_rows, times, sampling
        )
    with context.phase("build"):
        model = build(data.inputs, parameters, context.seed, share, ranks)
    order_seed = parameters.sampling_seed + ranks.rank
    validation = joined_batches(data, data.validation, share.batch_size)

    def evaluate() -> tuple[Metric, ...]:
        test = sign_scores(model, data, data.test, share.batch_size)
        held_out = sign_scores(model, data, data.validation, share.batch_size)
        return (
            Metric("test_accuracy", test.accuracy),
            Metric("test_loss", test.loss),
            Metric("validation_accuracy", held_out.accuracy),
        )

    feed = Feed(
        lambda epoch: {
            "x": joined_batches(data, data.train, share.batch_size, order_seed=order_seed, first_epoch=epoch),
            "shuffle": False,
        },
        validation,
        data.facts,
    )
    return Prepared(model, feed, evaluate)


def build(inputs: int, parameters: P1B3Parameters, instance_seed: int, share: RankShare, ranks: Ranks) -> Any:
    """Return the compiled regression of rows × inputs.

    The hidden layers share one seeded initialiser, normal with mean 0 and standard deviation 0.05; the output
    layer has Keras' own.
    """
    import keras
    from keras import layers

    seed = parameters.weights_seed or instance_seed % 2**31
    initializer = keras.initializers.RandomNormal(0.0, 0.05, seed=seed)
    model = keras.Sequential([keras.Input((inputs,))], name="p1b3")
    for width in (
        parameters.first_width,
        parameters.second_width,
        parameters.third_width,
        parameters.fourth_width,
    ):
        model.add(layers.Dense(width, activation="relu", kernel_initializer=initializer))
        model.add(layers.Dropout(parameters.dropout))
    model.add(layers.Dense(1, dtype="float32"))
    model.compile(
        loss="mean_squared_error",
        optimizer=parallel_optimizer(keras.optimizers.SGD, ranks, learning_rate=share.learning_rate),
        jit_compile=current_backend().JIT_COMPILE,
    )
    return model
