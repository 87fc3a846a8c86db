"""All-reduce of the ranks: the bandwidth and the latency with which trainings average their gradients.

Every rank puts in a tensor and gets the mean of all, by the same operation and library as in a data-parallel
training. The algorithm bandwidth is the tensor's bytes divided by the seconds. The bus bandwidth is that
times 2(n − 1)/n, for n ranks: what a ring moves through each rank's link, so that it can be compared with
the link's own bandwidth whatever n is.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload, WorkloadError
from workloads.microbenchmarks.repetition import REPETITIONS, SECONDS, WARM_UP, rate_metrics
from workloads.parameters import common, parameter, table
from workloads.runtime.collectives import Ranks
from workloads.runtime.communication import COMMUNICATION, check_communication
from workloads.runtime.framework import configure_framework, synchronise

MEBIBYTE = 2**20
_ELEMENT_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
_MOST_REPETITIONS = 100_000


@dataclass(frozen=True, slots=True)
class AllreduceParameters:
    """Parameters of the all-reduce."""

    tensor_bytes: int = parameter(
        64 * MEBIBYTE, "of each rank's tensor, whole elements", unit="bytes", minimum=4
    )
    precision: str = parameter("float32", "type of the elements", choices=tuple(_ELEMENT_BYTES))
    communication: str = common(COMMUNICATION)
    seconds: float = common(SECONDS)
    repetitions: int = common(REPETITIONS)
    warm_up: int = common(WARM_UP)

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` where there is nothing to reduce over."""
        if ranks < 2:
            raise WorkloadError("allreduce needs 2 ranks or more: write slot: {ranks: 2}, or more")
        check_communication(self.communication, ranks, exchanged=self.precision)
        size = _ELEMENT_BYTES[self.precision]
        if self.tensor_bytes % size:
            raise WorkloadError(
                f"allreduce: tensor_bytes must be a multiple of {size}, the size of a {self.precision}, "
                f"not {self.tensor_bytes}"
            )


WORKLOAD = Workload(
    name="allreduce",
    title="All-reduce of several ranks: bandwidth and latency",
    source="this project",
    entry="workloads.microbenchmarks.allreduce:run",
    parameters=table(AllreduceParameters),
    parameters_type=AllreduceParameters,
    fom_time="run",
    requires=("keras", "tensorflow"),
    requires_for_ranks=("{communication}",),
    ranks=True,
)


def run(parameters: AllreduceParameters, context: Context) -> Result:
    """Average a tensor over all ranks again and again; a repetition takes as long as on its slowest rank.

    Raises
    ------
    WorkloadError
        If there is one rank alone, or the bytes are no whole elements.
    ArithmeticError
        If the mean is wrong.
    RankLost
        If another rank dies.
    """
    parameters.check_ranks(context.size)
    observed = configure_framework(context, "tensorflow")
    ranks = Ranks(context, parameters.communication)
    import tensorflow as tf

    dtype = tf.as_dtype(parameters.precision)
    elements = parameters.tensor_bytes // _ELEMENT_BYTES[parameters.precision]
    tensor = tf.fill((elements,), tf.cast(ranks.rank, dtype))
    reduce = tf.function(lambda one: ranks.all_reduce_mean([one])[0])
    with ranks.translate_errors():
        context.start()
        with context.phase("measure"):
            seconds = _seconds(lambda: reduce(tensor), parameters, ranks)
        mean = tf.cast(reduce(tensor), tf.float32)
    expected = (ranks.size - 1) / 2
    if float(tf.reduce_max(tf.abs(mean - expected))) > 0.01 * ranks.size:
        raise ArithmeticError(f"the mean over {ranks.size} ranks is wrong: it should be {expected:g}")
    return Result(
        metrics=_metrics(parameters.tensor_bytes, ranks.size, seconds),
        observed=observed | ranks.describe(),
        data={"synthetic": True},
    )


def _metrics(tensor_bytes: int, ranks: int, seconds: list[float]) -> tuple[Metric, ...]:
    bus = tensor_bytes * bus_factor(ranks)
    algorithm = rate_metrics("algorithm_bytes_per_second", "B/s", tensor_bytes, seconds)
    return (
        *algorithm[:-1],  # the repetitions are the same
        *rate_metrics("bus_bytes_per_second", "B/s", bus, seconds),
        Metric("allreduce_seconds", statistics.median(seconds), "s"),
        Metric("tensor_bytes", tensor_bytes, "B"),
        Metric("ranks", ranks),
    )


def bus_factor(ranks: int) -> float:
    """Return the bytes that a ring moves through each rank's link, for each byte of the tensor."""
    return 2 * (ranks - 1) / ranks


def _seconds(call: Callable[[], Any], parameters: AllreduceParameters, ranks: Ranks) -> list[float]:
    """Return the seconds of each repetition, of the rank on which it took longest."""
    last = math.inf
    for _ in range(parameters.warm_up):
        last = _timed(call)
    mine: list[float] = []

    def further() -> int:
        """Return how many repetitions rank 0 asks for; the first calls may be slower than the others."""
        left = parameters.seconds - sum(mine)
        expected = statistics.median(mine) if mine else last
        wanted = max(parameters.repetitions - len(mine), math.ceil(left / expected))
        return min(wanted, _MOST_REPETITIONS - len(mine))

    while (repetitions := ranks.broadcast_object(further)) > 0:
        mine += [_timed(call) for _ in range(repetitions)]
    return [max(one) for one in zip(*ranks.all_gather_object(lambda: mine), strict=True)]


def _timed(call: Callable[[], Any]) -> float:
    begin = time.monotonic_ns()
    call()
    synchronise()
    return max(1, time.monotonic_ns() - begin) / 1e9
