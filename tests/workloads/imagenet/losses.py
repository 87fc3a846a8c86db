"""A workload that trains one small network for a few steps, by each optimizer in each precision."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.context import Context, Metric, Result
from workloads.description import Workload
from workloads.parameters import common, table
from workloads.runtime.framework import FRAMEWORK

STEPS, IMAGES, EDGE = 4, 8, 8
PRECISIONS = ("float32", "mixed_bfloat16", "mixed_float16")
RATE = {"momentum": 0.05, "lars": 5.0, "lamb": 0.02}


@dataclass(frozen=True, slots=True)
class LossesParameters:
    framework: str = common(FRAMEWORK)


WORKLOAD = Workload(
    name="losses",
    title="losses of a few steps",
    source="this project's tests",
    entry="tests.workloads.imagenet.losses:run",
    parameters=table(LossesParameters),
    parameters_type=LossesParameters,
    fom_time="run",
)


def run(parameters: LossesParameters, context: Context) -> Result:
    """Report the loss of each step, the validation loss, and what a loss scale that is too large does."""
    import numpy as np

    from workloads.imagenet.trainer import Objective
    from workloads.imagenet.training import trainer_of
    from workloads.runtime.collectives import Ranks
    from workloads.runtime.framework import configure_framework

    context.start()
    found = []
    for precision in PRECISIONS:
        for optimizer, rate in RATE.items() if precision == "float32" else (("momentum", 0.05),):
            configure_framework(context, parameters.framework, precision)
            random = np.random.default_rng(1)
            labels = random.integers(0, 3, (STEPS, IMAGES))
            images = random.normal(0, 0.5, (STEPS, IMAGES, EDGE, EDGE, 3)) + labels[..., None, None, None] - 1
            batches = list(zip(images.astype(np.float32), labels, strict=True))
            model = smooth_network(random)
            objective = Objective(
                0.1, 2.0**-8, decay_kernels_alone=True, optimizer=optimizer,
                rate_outside=precision == "float32", trust=0.01,
            )  # fmt: skip
            trainer = trainer_of(parameters.framework)(model, 4, Ranks(context), objective)
            losses = [
                trainer.train([batch], [rate], [0.8 + 0.02 * n])[1].loss for n, batch in enumerate(batches)
            ]
            scores = trainer.evaluate([*batches, (batches[0][0][:3], batches[0][1][:3])])
            assert (scores.images, trainer.optimizer_steps) == (STEPS * IMAGES + 3, STEPS)
            numbers = {f"step_{number}": loss for number, loss in enumerate(losses)} | {
                "validation": scores.loss
            }
            found += [Metric(f"{precision}_{optimizer}_{name}", number) for name, number in numbers.items()]
            if precision == "mixed_float16":
                overflow(trainer, batches[0])
    return Result(metrics=tuple(found))


def smooth_network(random):
    """A network without kinks, in which rounding changes gradients no more than values."""
    import keras

    image = keras.Input((EDGE, EDGE, 3))
    tensor = keras.layers.Conv2D(6, 3, use_bias=False, kernel_regularizer=keras.regularizers.L2(0.01))(image)
    tensor = keras.layers.Activation("tanh")(keras.layers.BatchNormalization()(tensor))
    logits = keras.layers.Dense(4)(keras.layers.GlobalAveragePooling2D()(tensor))
    model = keras.Model(image, keras.layers.Activation("linear", dtype="float32")(logits))
    drawn = [random.normal(0, 0.3, one.shape) if one.ndim > 1 else one for one in model.get_weights()]
    model.set_weights(drawn)
    return model


def overflow(trainer, batch):
    """Check that steps whose gradients overflow change no weight and halve the scale."""
    import numpy as np

    before, steps = trainer.values(), trainer.optimizer_steps
    trainer.loss_scale.state[0].assign(2.0**60)
    trainer.train([batch] * 2, [0.1] * 2, [0.9] * 2)
    skipped = {metric.name: metric.value for metric in trainer.loss_scale.metrics()}
    assert skipped == {"skipped_steps": 2, "loss_scale": 2.0**58}
    assert trainer.optimizer_steps == steps
    weights = len(trainer.model.trainable_variables)
    for old, new in zip(before[:weights], trainer.values()[:weights], strict=True):
        assert np.array_equal(old, new)
