"""Distributed training: one scheme on several ranks, checked against a replay in float64 and timed.

A first training of a few steps, which also compiles and warms up, is compared on every rank with the updates
that `reference` computes in one process. The measured training then starts from the same parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workloads.context import Context, Result
from workloads.deep500.distributed.collectives import Collectives
from workloads.deep500.distributed.definition import DistributedParameters
from workloads.deep500.distributed.figures import METRICS, measure
from workloads.deep500.distributed.learners import VECTORS
from workloads.deep500.distributed.problem import draw
from workloads.deep500.distributed.schemes import INCONSISTENT
from workloads.deep500.distributed.training import Training
from workloads.description import Workload
from workloads.microbenchmarks.gemm import precision_in_force
from workloads.parameters import table
from workloads.runtime.framework import configure_framework, synchronise

WORKLOAD = Workload(
    name="deep500_distributed",
    title="Deep500 level 3: distributed training by five schemes",
    source="Deep500 (deep500/deep500 commit cd9b21e), level 3; written for this project",
    entry="workloads.deep500.distributed.benchmark:run",
    parameters=table(DistributedParameters),
    parameters_type=DistributedParameters,
    fom_time="batch",
    timed_units=("steps",),
    accuracy_metric="test_accuracy",
    metrics=(*METRICS, "load_seconds", "validate_seconds", "train_seconds", "evaluate_seconds"),
    requires=("keras", "{framework}"),
    ranks=True,
)


def run(parameters: DistributedParameters, context: Context) -> Result:
    """Validate the scheme, then train by it; a step takes as long as on its slowest rank.

    Raises
    ------
    WorkloadError
        If so many ranks cannot train together.
    RankLost
        If another rank ended or no longer answers.
    """
    parameters.check_ranks(context.size)
    observed = configure_framework(context, parameters.framework)
    with _joined(parameters, context) as ranks:
        observed |= ranks.describe()
        context.start()
        with context.phase("load"):
            # On cores every operation returns when it is computed.
            wait = synchronise if context.devices else lambda: None
            training = Training(parameters, ranks, draw(parameters.sizes, context.seed), wait)
        with context.phase("validate"):
            validation = training.validate()
        with context.phase("train"):
            measured = measure(context, ranks, lambda: training.run(parameters.steps))
        with context.phase("evaluate"):
            accuracy, figures = training.evaluate(measured)
    context.record("test_accuracy", accuracy)
    float64 = parameters.precision == "float64"
    return Result(
        accuracy=accuracy,
        fom_seconds=measured.slowest_seconds / parameters.steps,
        metrics=(*validation, *figures),
        observed=observed | measured.observed | training.observed,
        observe_after=(lambda: precision_in_force(parameters.framework, "float64")) if float64 else None,
    )


@contextmanager
def _joined(parameters: DistributedParameters, context: Context) -> Iterator[Collectives]:
    """Join the ranks; those of PyTorch are left once all have finished, others at the end of the process."""
    if context.size == 1:
        yield Collectives()
    elif parameters.communication == "mpi":
        from workloads.deep500.distributed.mpi_ranks import MpiRanks

        fetch, place = VECTORS[parameters.framework]
        yield MpiRanks(context, fetch, place)
    elif parameters.framework == "torch":
        from workloads.deep500.distributed.torch_ranks import TorchRanks

        ranks = TorchRanks(context)
        yield ranks
        ranks.close()
    else:
        from workloads.deep500.distributed.horovod_ranks import HorovodRanks

        over_horovod = HorovodRanks(context, pairs=parameters.scheme == INCONSISTENT)
        with over_horovod.joined.translate_errors():
            yield over_horovod
