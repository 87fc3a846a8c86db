"""A workload whose ranks train one step on a half of a batch each, and compare it with one on the whole.

Both halves have the same images, so that batch normalisation finds the same statistics in them and in the
whole; their labels differ.
"""

from __future__ import annotations

from typing import Any

from workloads.context import Context, Metric, Result, SlotView
from workloads.description import Value, Workload

WORKLOAD = Workload(
    name="halves",
    title="gradients of several ranks beside those of one",
    source="this project's tests",
    entry="tests.workloads.imagenet.halves:run",
    parameters=(),
    fom_time="run",
    ranks=True,
)
IMAGES = 6


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Report how far this rank's own gradients, and those after the exchange, are from the whole batch's."""
    import numpy as np

    from workloads.imagenet.resnet50_v15.network import build
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework

    configure_framework(context)
    ranks, alone = Ranks(context), Ranks(Context(seed=1, slot=SlotView()))
    context.start()
    random = np.random.default_rng(1)
    images = random.normal(0, 0.5, (IMAGES, 32, 32, 3)).astype(np.float32)
    labels = random.integers(0, 3, (ranks.size, IMAGES))
    model = build(3, 32, width_divisor=32, depth_divisor=6)
    ranks.broadcast([variable.value for variable in model.variables])
    begin = model.get_weights()

    def gradients(images: Any, labels: Any, among: Ranks) -> Any:
        import tensorflow as tf

        from workloads.imagenet.trainer import Objective, Trainer

        model.set_weights(begin)
        trainer = Trainer(model, 4, among, Objective(0.1, weight_decay=2.0**-15, rate_outside=True))
        trainer.train([(tf.constant(images), tf.constant(labels))], [0.0], [0.9])
        count = len(model.trainable_variables)
        return np.concatenate([value.ravel() for value in trainer.values()[-count:]])  # velocities

    whole = gradients(np.tile(images, (ranks.size, 1, 1, 1)), labels.ravel(), alone)
    found = {
        "exchanged": gradients(images, labels[ranks.rank], ranks),
        "exchanged in float16": gradients(images, labels[ranks.rank], Ranks(context, "horovod", "float16")),
        "own": gradients(images, labels[ranks.rank], alone),
    }
    errors = {name: np.linalg.norm(one - whole) / np.linalg.norm(whole) for name, one in found.items()}
    return Result(metrics=tuple(Metric(name, float(error)) for name, error in errors.items()))
