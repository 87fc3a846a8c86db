"""P1B1 on one or several ranks, as in Wu et al., ICPP 2019 (`workloads.candle.parallel`).

The network, its data and its scores are those of `workloads.candle.p1b1`, the program of CORAL-2, which
trains in one process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from workloads.candle import p1b1
from workloads.candle.initial_weights import WEIGHTS_STREAM
from workloads.candle.parallel import ParallelParameters, RankShare, parallel_optimizer
from workloads.candle.parallel_run import run_parallel
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.expected_steps import Rows, WholeSetSteps
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes


@dataclass(frozen=True, slots=True)
class P1B1ParallelParameters(ParallelParameters):
    """Parameters of P1B1 on several ranks."""

    epochs: int = parameter(384, "passes over the training rows; the study's", minimum=1)
    batch_size: int = parameter(100, "rows of one rank's step, before `batch_scaling`", minimum=1)
    learning_rate: float = parameter(0.001, "of Adam, of one rank", minimum=0)
    epsilon: float = parameter(1e-8, "of Adam; Keras had this default when P1B1 was written", minimum=0)
    outer_width: int = parameter(2000, "units of the outer hidden layers", minimum=1)
    inner_width: int = parameter(600, "units of the inner hidden layers", minimum=1)
    latent_width: int = parameter(2, "units of the bottleneck", minimum=1)
    weights_seed: int = parameter(
        2017, "seed of the initial weights, the same for all; 0: each instance's own", minimum=0
    )
    weights_stream: str = common(WEIGHTS_STREAM)


_DATA = p1b1.WORKLOAD.data
WORKLOAD = replace(
    p1b1.WORKLOAD,
    name="p1b1_parallel",
    title="CANDLE P1B1 on several ranks: autoencoder of gene-expression profiles, data-parallel",
    source="ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1; Wu et al., ICPP 2019",
    entry="workloads.candle.p1b1_parallel:run",
    parameters=table(P1B1ParallelParameters),
    parameters_type=P1B1ParallelParameters,
    requires_for_ranks=("{communication}",),
    data=replace(_DATA, checks_parameters=False) if _DATA else None,
    optimizer_steps=WholeSetSteps(Rows("train_rows", p1b1.VALIDATION_SHARE)),
    ranks=True,
)


def run(parameters: P1B1ParallelParameters, context: Context) -> Result:
    """Load, train and score one autoencoder; accuracy is the correlation over the test rows.

    It raises what `workloads.candle.parallel_run.run_parallel` does.
    """
    return run_parallel(WORKLOAD, parameters, context, partial(_prepare, parameters, context))


def _prepare(
    parameters: P1B1ParallelParameters, context: Context, share: RankShare, ranks: Ranks, times: ReadTimes
) -> Prepared:
    from workloads.candle import metrics
    from workloads.candle.data import p1b1 as p1b1_data
    from workloads.candle.epochs import Feed, Prepared
    from workloads.runtime.zero_copy import without_copy

    directory = data_directory(WORKLOAD, context.data)
    with context.phase("load"):
        data = p1b1_data.load(
            directory, parameters.loader, context.dataset_cache, parameters.chunk_rows, times
        )
    with context.phase("build"):
        model = build(data.train.shape[1], parameters, context.seed, share, ranks)
    train, validation, test = map(without_copy, (data.train, data.validation, data.test))

    def evaluate() -> tuple[Metric, ...]:
        prediction = model.predict(test, batch_size=share.batch_size, verbose=0)
        return p1b1.scores(metrics, data.test, prediction, "")

    rows = {"x": train, "y": train, "batch_size": share.batch_size}
    return Prepared(model, Feed(lambda _: rows, (validation, validation), data.facts), evaluate)


def build(
    features: int, parameters: P1B1ParallelParameters, instance_seed: int, share: RankShare, ranks: Ranks
) -> Any:
    """Return the compiled autoencoder."""
    import keras

    model = p1b1.autoencoder(features, parameters, instance_seed)
    optimizer = parallel_optimizer(
        keras.optimizers.Adam, ranks, learning_rate=share.learning_rate, epsilon=parameters.epsilon
    )
    model.compile(loss="mean_squared_error", optimizer=optimizer, jit_compile=current_backend().JIT_COMPILE)
    return model
