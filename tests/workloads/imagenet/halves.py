"""A workload whose ranks train one step on a half of a batch each, and compare it with one on the whole.

Both halves have the same images, so that batch normalisation finds the same statistics in them and in the
whole; their labels differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result, SlotView
from workloads.description import Workload
from workloads.parameters import common, parameter, table
from workloads.runtime.communication import COMMUNICATION
from workloads.runtime.framework import FRAMEWORK


@dataclass(frozen=True, slots=True)
class HalvesParameters:
    framework: str = common(FRAMEWORK)
    communication: str = common(COMMUNICATION)
    smooth: bool = parameter(False, "a network of one convolution, which JAX compiles in less time")


WORKLOAD = Workload(
    name="halves",
    title="gradients of several ranks beside those of one",
    source="this project's tests",
    entry="tests.workloads.imagenet.halves:run",
    parameters=table(HalvesParameters),
    parameters_type=HalvesParameters,
    fom_time="run",
    ranks=True,
)
IMAGES = 6


def run(parameters: HalvesParameters, context: Context) -> Result:
    """Report how far this rank's own gradients, and those after the exchange, are from the whole batch's."""
    import numpy as np

    from tests.workloads.imagenet.losses import EDGE, smooth_network
    from workloads.imagenet.resnet50_v15.network import build
    from workloads.imagenet.training import trainer_of
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework, prepare_framework
    from workloads.runtime.step_variables import assignable

    framework, communication = parameters.framework, parameters.communication
    prepare_framework(context, framework)
    ranks, alone = Ranks(context, communication), Ranks(Context(seed=1, slot=SlotView()))
    configure_framework(context, framework)
    context.start()
    random, edge = np.random.default_rng(1), EDGE if parameters.smooth else 32
    images = random.normal(0, 0.5, (IMAGES, edge, edge, 3)).astype(np.float32)
    labels = random.integers(0, 3, (ranks.size, IMAGES))
    small = parameters.smooth
    model = smooth_network(random) if small else build(3, edge, width_divisor=32, depth_divisor=6)
    ranks.broadcast([assignable(variable) for variable in model.variables])
    begin = model.get_weights()

    def gradients(images: Any, labels: Any, among: Ranks) -> Any:
        from workloads.imagenet.trainer import Objective

        model.set_weights(begin)
        objective = Objective(0.1, weight_decay=2.0**-15, rate_outside=True)
        trainer = trainer_of(framework)(model, 4, among, objective)
        trainer.train([(images, labels)], [0.0], [0.9])
        count = len(model.trainable_variables)
        return np.concatenate([value.ravel() for value in trainer.values()[-count:]])  # velocities

    whole = gradients(np.tile(images, (ranks.size, 1, 1, 1)), labels.ravel(), alone)
    found = {
        "exchanged": gradients(images, labels[ranks.rank], ranks),
        "own": gradients(images, labels[ranks.rank], alone),
    }
    ranks.gradient_precision = "float16"
    found["exchanged in float16"] = gradients(images, labels[ranks.rank], ranks)
    errors = {name: np.linalg.norm(one - whole) / np.linalg.norm(whole) for name, one in found.items()}
    return Result(metrics=tuple(Metric(name, float(error)) for name, error in errors.items()))
