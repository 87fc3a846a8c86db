"""How the CANDLE Pilot1 benchmarks train on several ranks: epochs, batch and learning rate of each rank.

Source: Wu et al., "Performance, Energy, and Scalability Analysis and Improvement of Parallel Cancer Deep
Learning CANDLE Benchmarks", ICPP 2019. Every rank reads the whole data set; the epochs are divided among the
ranks (strong scaling) or each rank has its own (weak scaling); gradients are averaged in every step; the
learning rate is multiplied by the number of ranks; P1B3's batch grows linearly, or with the square or cubic
root of the number of ranks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.candle.loader import CHUNK_ROWS, LOADER
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import Workload, WorkloadError
from workloads.expected_steps import BATCH_SCALINGS, scaled_batch_size
from workloads.parameters import common, parameter
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import FRAMEWORK, PRECISION, configure_framework, trainable_parameters

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes


@dataclass(frozen=True, slots=True)
class ParallelParameters:
    """Parameters that the parallel Pilot1 trainings have in common."""

    epochs: int = parameter(1, "passes over the training rows", minimum=1)
    epoch_division: str = parameter(
        "divided",
        "divided: `epochs` are shared out among the ranks (strong scaling); each: every rank runs as many "
        "(weak scaling)",
        choices=("divided", "each"),
    )
    epoch_remainder: str = parameter(
        "refuse",
        "epochs that cannot be divided: refuse; last_rank: the last rank trains them alone, at the end, and "
        "gives all its weights",
        choices=("refuse", "last_rank"),
    )
    batch_size: int = parameter(1, "rows of one rank's step, before `batch_scaling`", minimum=1)
    batch_scaling: str = parameter(
        "none",
        "growth of each rank's batch with the ranks N, rounded down: none; linear: × N; square_root: × √N; "
        "cubic_root: × ∛N",
        choices=BATCH_SCALINGS,
    )
    learning_rate: float = parameter(0.001, "of one rank", minimum=0)
    learning_rate_scaling: str = parameter(
        "linear",
        "growth of the learning rate with the ranks N: linear: × N; none",
        choices=("linear", "none"),
    )
    time_limit: float = parameter(
        3600.0,
        "training stops at the end of the first epoch that ends later than this",
        unit="s",
        minimum=0,
    )
    resume: bool = parameter(
        False,
        "write a checkpoint after every epoch, and go on from that of an earlier attempt; such a run's time "
        "does not count",
    )
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    loader: str = common(LOADER)
    chunk_rows: int = common(CHUNK_ROWS)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if so many ranks cannot share the training."""
        rank_share(self, ranks)
        if ranks > 1 and self.framework != "tensorflow":
            raise WorkloadError(
                f"framework {self.framework} trains on one rank only, and the slot has {ranks}; "
                "choose framework tensorflow"
            )


@dataclass(frozen=True, slots=True)
class RankShare:
    """What one instance's ranks do.

    Parameters
    ----------
    epochs
        Epochs that every rank trains.
    alone
        Further epochs of the last rank.
    batch_size
        Rows of one rank's step.
    learning_rate
        Of every rank.
    """

    epochs: int
    alone: int
    batch_size: int
    learning_rate: float


def rank_share(parameters: ParallelParameters, ranks: int) -> RankShare:
    """Return epochs, batch and learning rate of the ranks.

    Raises
    ------
    WorkloadError
        If the epochs cannot be divided.
    """
    epochs, alone = parameters.epochs, 0
    if parameters.epoch_division == "divided":
        epochs, alone = divmod(parameters.epochs, ranks)
        if not epochs or (alone and parameters.epoch_remainder == "refuse"):
            below, above = epochs * ranks, (epochs + 1) * ranks
            near = f"{below} or {above}" if below else f"at least {above}"
            raise WorkloadError(
                f"epochs: {parameters.epochs} cannot be divided among {ranks} ranks; choose {near}"
                + (", or epoch_remainder: last_rank" if epochs else "")
            )
    linear = parameters.learning_rate_scaling == "linear"
    return RankShare(
        epochs,
        alone,
        scaled_batch_size(parameters.batch_size, parameters.batch_scaling, ranks),
        parameters.learning_rate * (ranks if linear else 1),
    )


def run_parallel(
    workload: Workload,
    parameters: ParallelParameters,
    context: Context,
    prepare: Callable[[RankShare, Ranks, ReadTimes], Prepared],
) -> Result:
    """Run one training on all ranks of an instance and return its result.

    Parameters
    ----------
    workload, parameters, context
        As of a workload's ``run``.
    prepare
        Loads the data and builds the model, each in its phase; called when the clock runs.

    Raises
    ------
    WorkloadError
        If the epochs cannot be divided among the ranks, or the framework trains on one rank only.
    DataError
        If the data cannot be used.
    RuntimeError
        If the training diverges, the ranks' weights differ, or another rank dies.
    """
    share = rank_share(parameters, context.size)
    data_directory(workload, context.data)
    observed, ranks = start_ranks(context, parameters)
    from workloads.candle.epochs import EpochLoop, rank_phase_metrics
    from workloads.data.read_times import ReadTimes
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.array_batches import untuned_batches
    from workloads.runtime.host_facts import process_age_seconds

    times = ReadTimes()
    with ranks.translate_errors(), untuned_batches():
        recording = ranks.record_timeline(context.timeline)
        imported = process_age_seconds()
        context.start()
        prepared = prepare(share, ranks, times)
        loop = EpochLoop(prepared, parameters, share, context, ranks)
        loop.start()
        loop.train()
        with context.phase("evaluate"):
            reached = prepared.evaluate()
        parts = {"import": imported} | _preprocessing(parameters, context, times)
        metrics = (
            *reached,
            *(Metric(f"{name}_seconds", seconds, "s") for name, seconds in parts.items()),
            *loop.metrics(),
            *times.metrics(),
            *rank_phase_metrics(parts | times.seconds() | context.phases, ranks),
        )
    return Result(
        accuracy=reached[0].value,
        metrics=(*metrics, Metric("trainable_parameters", trainable_parameters(prepared.model))),
        observed=observed,
        data={**prepared.feed.facts, "resumed": loop.resumed_from is not None},
        observe_after=lambda: measure_models(parameters.precision, prepared.model),
        measure_after=recording.keep,
    )


def _preprocessing(parameters: ParallelParameters, context: Context, times: ReadTimes) -> dict[str, float]:
    """Return the seconds of loading in which no file was read; none where a cache was written or mapped."""
    read = times.seconds()
    if not read or parameters.loader == "cache":
        return {}
    return {"preprocess": max(0.0, context.phases["load"] - math.fsum(read.values()))}


def start_ranks(context: Context, parameters: ParallelParameters) -> tuple[dict[str, Any], Ranks]:
    """Configure the framework and join the ranks; return what is in force, and the ranks.

    Raises
    ------
    WorkloadError
        If several ranks are to train with another framework than TensorFlow.
    """
    parameters.check_ranks(context.size)
    observed = configure_framework(context, parameters.framework, parameters.precision)
    ranks = Ranks(context)
    return observed | ranks.describe(), ranks


def parallel_optimizer(kind: type[Any], ranks: Ranks, **settings: Any) -> Any:
    """Return a Keras optimizer that averages gradients, with a loss scale where float16 needs one."""
    import keras

    if ranks.size > 1 and keras.config.dtype_policy().name == "mixed_float16":
        return average_gradients(keras.optimizers.LossScaleOptimizer, ranks)(kind(**settings))
    return average_gradients(kind, ranks)(**settings)


def average_gradients(kind: type[Any], ranks: Ranks) -> type[Any]:
    """Return a subclass that averages each step's gradients over the ranks before it applies them.

    Parameters
    ----------
    kind
        A class of Keras optimizers.
    ranks
        All ranks of the instance.
    """
    if ranks.size == 1:
        return kind

    class Averaging(kind):  # type: ignore[misc]
        averages = True
        """Whether this rank trains with the others; read when a step is traced."""

        def apply(self, grads: Any, trainable_variables: Any = None) -> None:
            averaged = ranks.all_reduce_mean(grads) if self.averages else grads
            super().apply(averaged, trainable_variables)

    return Averaging
