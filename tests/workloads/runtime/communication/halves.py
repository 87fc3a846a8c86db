"""A workload whose ranks train on parts of batches, and compare their weights with those of whole batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result, SlotView
from workloads.description import Workload
from workloads.parameters import common, table
from workloads.runtime.communication import COMMUNICATION
from workloads.runtime.framework import FRAMEWORK

ROWS, STEPS = 8, 4


@dataclass(frozen=True, slots=True)
class HalvesParameters:
    framework: str = common(FRAMEWORK)
    communication: str = common(COMMUNICATION)


WORKLOAD = Workload(
    name="parts_of_batches",
    title="weights of several ranks beside those of one",
    source="this project's tests",
    entry="tests.workloads.runtime.communication.halves:run",
    parameters=table(HalvesParameters),
    parameters_type=HalvesParameters,
    fom_time="run",
    requires_for_ranks=("{communication}",),
    ranks=True,
)


def run(parameters: HalvesParameters, context: Context) -> Result:
    """Report how far the weights are from those of one rank that has the ranks' batches in one."""
    import numpy as np

    from workloads.candle.parallel import parallel_optimizer
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework, prepare_framework

    prepare_framework(context, parameters.framework)
    ranks, alone = Ranks(context, parameters.communication), Ranks(Context(seed=1, slot=SlotView()))
    observed = configure_framework(context, parameters.framework)
    import keras

    context.start()
    random = np.random.default_rng(1)
    rows = random.normal(size=(STEPS, ranks.size, ROWS, 5)).astype(np.float32)
    truth = random.normal(size=(STEPS, ranks.size, ROWS, 1)).astype(np.float32)

    def weights(among: Ranks, batches: Any, targets: Any) -> Any:
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
        optimizer = parallel_optimizer(keras.optimizers.SGD, among, learning_rate=0.1, momentum=0.9)
        model.compile(loss="mse", optimizer=optimizer)
        for batch, target in zip(batches, targets, strict=True):
            model.train_on_batch(batch, target)
        return np.concatenate([weight.ravel() for weight in model.get_weights()])

    whole = weights(alone, rows.reshape(STEPS, -1, 5), truth.reshape(STEPS, -1, 1))
    found = {
        "joined": weights(ranks, rows[:, ranks.rank], truth[:, ranks.rank]),
        "own": weights(alone, rows[:, ranks.rank], truth[:, ranks.rank]),
    }
    errors = {name: np.linalg.norm(values - whole) / np.linalg.norm(whole) for name, values in found.items()}
    return Result(
        metrics=tuple(Metric(name, float(error)) for name, error in errors.items()),
        observed=observed | ranks.describe(),
    )
