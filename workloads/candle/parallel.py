"""How the CANDLE Pilot1 benchmarks train on several ranks: epochs, batch and learning rate of each rank.

Source: Wu et al., "Performance, Energy, and Scalability Analysis and Improvement of Parallel Cancer Deep
Learning CANDLE Benchmarks", ICPP 2019. Every rank reads the whole data set; the epochs are divided among the
ranks (strong scaling) or each rank has its own (weak scaling); gradients are averaged in every step; the
learning rate is multiplied by the number of ranks; P1B3's batch grows linearly, or with the square or cubic
root of the number of ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.candle.loader import CHUNK_ROWS, LOADER
from workloads.description import WorkloadError
from workloads.expected_steps import BATCH_SCALINGS, scaled_batch_size
from workloads.parameters import common, parameter
from workloads.runtime.collectives import Ranks
from workloads.runtime.communication import COMMUNICATION, check_communication
from workloads.runtime.framework import FRAMEWORK, PRECISION


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
    communication: str = common(COMMUNICATION)
    loader: str = common(LOADER)
    chunk_rows: int = common(CHUNK_ROWS)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` if so many ranks cannot share the training."""
        rank_share(self, ranks)
        check_communication(self.communication, ranks, framework=self.framework)


@dataclass(frozen=True, slots=True)
class RankShare:
    """Share of one instance's ranks in its work.

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
