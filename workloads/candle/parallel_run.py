"""One training of a CANDLE Pilot1 benchmark on all ranks of an instance, from its data to its result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from workloads.candle.parallel import ParallelParameters, RankShare, rank_share
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import Workload
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import trainable_parameters
from workloads.runtime.training.joint_run import start_ranks

if TYPE_CHECKING:
    from workloads.candle.epochs import Prepared
    from workloads.data.read_times import ReadTimes


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
        observed=observed | ranks.describe(),
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
