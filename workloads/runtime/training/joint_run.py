"""The run of a training on all ranks of an instance, from the start of its clock to its result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workloads.context import Context, Result
from workloads.data import data_directory
from workloads.description import Workload
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import configure_framework, prepare_framework


def start_ranks(
    context: Context, parameters: Any, gradient_precision: str = "float32"
) -> tuple[dict[str, Any], Ranks]:
    """Configure the framework and join the ranks; return what is in force, and the ranks.

    Parameters
    ----------
    parameters
        ``framework``, ``precision``, ``communication`` and the method ``check_ranks`` are theirs.
    gradient_precision
        Type in which the ranks exchange gradients.

    Raises
    ------
    WorkloadError
        If the framework is not installed, or the ranks cannot exchange its gradients.
    RuntimeError
        As `configure_framework` and `Ranks`.
    """
    parameters.check_ranks(context.size)
    prepare_framework(context, parameters.framework)  # JAX looks for devices once: its ranks join before
    ranks = Ranks(context, parameters.communication, gradient_precision)
    return configure_framework(context, parameters.framework, parameters.precision), ranks


def joint_run(
    workload: Workload,
    context: Context,
    ranks: Ranks,
    observed: dict[str, Any],
    train: Callable[[Path], Result],
) -> Result:
    """Return the result of `train`, which gets the directory of the data, with what else is known of the run.

    With ``scratch``, rank 0 keeps a checkpoint of every epoch there, and all ranks go on from the
    last one that is whole. The run's time is then that of this attempt alone, and the metric
    ``resumed_from_epoch`` says so.

    Parameters
    ----------
    observed
        Facts of the framework.

    Raises
    ------
    DataError
        If the data cannot be used.
    WorkloadError
        If parameters contradict each other.
    RuntimeError
        If the training diverges, the ranks' weights differ, or another rank dies.
    """
    directory = data_directory(workload, context.data)
    recording = ranks.record_timeline(context.timeline)
    with ranks.translate_errors():
        context.start()
        result = train(directory)
    result.observed = observed | ranks.describe()
    counted = result.measure_after or tuple
    result.measure_after = lambda: (*recording.keep(), *counted())
    return result
