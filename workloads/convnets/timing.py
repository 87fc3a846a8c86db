"""The four convolutional networks of the suite: described as layers, built, and timed per batch.

Written from the published description of soumith/convnet-benchmarks commit b458aab, tensorflow/;
the CORAL-2 Deep Learning Suite takes AlexNet, GoogLeNet, OverFeat and VGG from there. There is no
local response normalisation, dropout, batch normalisation, auxiliary classifier or weight decay.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.convnets.architecture import Architecture, Convolution, Dense, Inception, Layer, Pool
from workloads.description import Workload
from workloads.expected_steps import FixedSteps
from workloads.parameters import common, parameter, table
from workloads.runtime.flops import flop_metrics
from workloads.runtime.framework import (
    FRAMEWORK,
    PRECISION,
    configure_framework,
    current_backend,
    trainable_parameters,
)

CLASSES = 1000
CHANNELS = 3
KERNEL_DEVIATION = 0.1


@dataclass(frozen=True, slots=True)
class ConvnetParameters:
    """Parameters of a network; batch and image size differ from network to network."""

    batch_size: int = parameter(128, "images per step", minimum=1)
    image_size: int = parameter(224, "height and width of the images", unit="pixels", minimum=1)
    steps: int = parameter(100, "timed forward steps, and timed training steps", minimum=1)
    burn_in: int = parameter(10, "untimed steps before each of the two", minimum=1)
    width_divisor: int = parameter(1, "divides all filters and hidden units", minimum=1)
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)


def convnet_workload(
    name: str,
    title: str,
    *,
    batch_size: int,
    image_size: int,
    smallest_image: int,
    parameter_count: int,
    forward_flop: int,
) -> Workload:
    """Return the description of one network's benchmark; its module has a ``run``.

    Parameters
    ----------
    name, title
        The network's short name, which is also its module's, and its name for people.
    batch_size
        Images per step.
    image_size, smallest_image
        Edge of the images in pixels, and the smallest edge that leaves a pixel for every layer.
    parameter_count, forward_flop
        Trainable parameters, and FLOP of one image's forward pass, of the full-size network.
    """
    return Workload(
        name=name,
        title=f"{title}: seconds per batch, forward and backward",
        source="soumith/convnet-benchmarks commit b458aab, tensorflow/; CORAL-2 Deep Learning Suite",
        entry=f"workloads.convnets.{name}:run",
        parameters=table(
            ConvnetParameters,
            batch_size={"default": batch_size},
            image_size={"default": image_size, "minimum": smallest_image},
        ),
        parameters_type=ConvnetParameters,
        fom_time="batch",
        timed_units=("steps",),
        requires=("keras", "{framework}"),
        optimizer_steps=FixedSteps(("burn_in", "steps")),
        sizes={"trainable_parameters": parameter_count, "forward_flop_per_sample": forward_flop},
    )


def time_network(design: Architecture, parameters: ConvnetParameters, context: Context) -> Result:
    """Time forward steps, then forward and backward steps, of one batch that stays on the device.

    The figure of merit's time is the mean over the forward and backward steps. Every step's wall
    time goes to standard output as CSV, after the last clock is read. There is no quality to reach.
    With float16 the loss is not scaled: no gradient is used, so none that vanishes does harm.
    """
    observed = configure_framework(context, parameters.framework, parameters.precision)
    batch, image = parameters.batch_size, parameters.image_size
    steps, burn_in = parameters.steps, parameters.burn_in
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.step_count import CountedStep, step_metrics

    context.start()
    with context.phase("build"):
        network = Network(
            design,
            batch_size=batch,
            image_size=image,
            width_divisor=parameters.width_divisor,
            seed=context.seed,
        )
    # TensorFlow and JAX compile a function at its first call, which the untimed steps take in.
    with context.phase("forward"):
        loss = float(network.loss(network.forward(), network.labels))
        _step_seconds(network.forward, burn_in - 1)
        forward = _step_seconds(network.forward, steps)
    with context.phase("train"):
        step = CountedStep(network.gradients)  # a training step without the update of the weights
        gradient_norm = current_backend().global_norm(step())
        _step_seconds(step, burn_in - 1)
        with context.window():
            training = _step_seconds(step, steps)
    print("step,forward_seconds,training_seconds")
    for number, (one, other) in enumerate(zip(forward, training, strict=True), start=1):
        print(f"{number},{one:.9f},{other:.9f}")
    values = (Metric("loss", loss), Metric("gradient_norm", gradient_norm))
    return Result(
        fom_seconds=statistics.fmean(training),
        metrics=(
            *_spread("forward", forward, design.omitted_steps),
            *_spread("training", training, design.omitted_steps),
            # Kernels this wide make large logits; a reduced precision may overflow.
            *(metric for metric in values if math.isfinite(metric.value)),
            *step_metrics(step.calls, step.calls * batch),
            Metric("trainable_parameters", trainable_parameters(network.model)),
        ),
        observed=observed,
        data={"synthetic": True, "images": batch, "image_size": image, "classes": CLASSES},
        observe_after=lambda: measure_models(parameters.precision, network.model),
        measure_after=lambda: flop_metrics(network.model),
    )


def _step_seconds(step: Callable[[], Any], steps: int) -> list[float]:
    """Return the seconds of each of `steps` calls; the device is idle at every clock reading."""
    synchronise = current_backend().synchronise
    synchronise()
    seconds = []
    for _ in range(steps):
        begin = time.monotonic_ns()
        synchronise(step())
        seconds.append((time.monotonic_ns() - begin) / 1e9)
    return seconds


def _spread(kind: str, seconds: list[float], omitted_steps: int) -> tuple[Metric, ...]:
    """Return mean, spread and the published script's value of the seconds of all steps."""
    upstream = sum(seconds[omitted_steps:]) / len(seconds)
    return (
        Metric(f"{kind}_seconds_per_batch", statistics.fmean(seconds), "s/batch"),
        Metric(f"{kind}_standard_deviation", statistics.pstdev(seconds), "s/batch"),
        Metric(f"{kind}_fastest", min(seconds), "s/batch"),
        Metric(f"{kind}_slowest", max(seconds), "s/batch"),
        Metric(f"{kind}_upstream_seconds_per_batch", upstream, "s/batch"),
    )


class Network:
    """A network with the one batch it works on, both resident on the device.

    Images and labels are arguments of every step and not constants, so that no compiler can compute
    anything of a step before it runs. `gradients` returns the gradient of every parameter, so that
    none can be left out. They stay on the device, and no parameter changes.

    Parameters
    ----------
    design
        The layers, and how the images are filled.
    batch_size, image_size
        Shape of the images, batch × height × width × channels: the only layout that TensorFlow
        trains on CPUs, and one that a framework transposes by itself where a GPU prefers another.
    width_divisor
        Divides all filters and hidden units, rounded down, to 1 at least; never the classes.
    seed
        Of the images; the kernels draw from the process's seed.
    """

    def __init__(
        self, design: Architecture, *, batch_size: int, image_size: int, width_divisor: int, seed: int
    ) -> None:
        import numpy as np

        shape = (batch_size, image_size, image_size, CHANNELS)
        if design.ones:
            images = np.ones(shape, dtype=np.float32)
        else:
            images = np.random.default_rng(seed % 2**64).standard_normal(shape, dtype=np.float32)
            images *= np.float32(0.1)
        backend = current_backend()
        self.images = backend.to_device(images)
        self.labels = backend.to_device(np.ones(batch_size, np.int64))
        self.model = build(design, image_size, width_divisor)
        variables = self.model.trainable_variables
        self._forward_step = backend.forward(self._logits, variables)
        self._gradient_step = backend.gradients(self._loss_of_images, variables)

    def forward(self) -> Any:
        """Return the last layer, batch × classes, rectified."""
        return self._forward_step(self.images)

    def gradients(self) -> Sequence[Any]:
        """Return the gradient of the loss with respect to every kernel and bias."""
        slopes: Sequence[Any] = self._gradient_step(self.images, self.labels)
        return slopes

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean softmax cross-entropy of logits, batch × classes."""
        from keras import ops

        logits = ops.cast(logits, "float32")
        return ops.mean(ops.sparse_categorical_crossentropy(labels, logits, from_logits=True))

    def _logits(self, images: Any) -> Any:
        return self.model(images, training=True)

    def _loss_of_images(self, images: Any, labels: Any) -> Any:
        return self.loss(self._logits(images), labels)


def build(design: Architecture, image_size: int, width_divisor: int = 1) -> Any:
    """Return the Keras model of a design for square images.

    Kernels are truncated normal with standard deviation `KERNEL_DEVIATION`, biases zero.
    """
    import keras

    image = tensor = keras.Input((image_size, image_size, CHANNELS))
    for layer in design.layers:
        tensor = _add(layer, tensor, width_divisor)
    return keras.Model(image, _add(Dense(CLASSES), tensor, 1))


def _add(layer: Layer, tensor: Any, width_divisor: int) -> Any:
    """Return the output of a layer on top of a symbolic tensor."""
    import keras

    match layer:
        case Convolution(filters, size, stride, padding):
            return keras.layers.Conv2D(
                max(1, filters // width_divisor),
                size,
                strides=stride,
                padding=padding,
                data_format="channels_last",
                activation="relu",
                kernel_initializer=keras.initializers.TruncatedNormal(stddev=KERNEL_DEVIATION),
            )(tensor)
        case Pool(size, stride, padding, kind):
            pooling = keras.layers.MaxPooling2D if kind == "max" else keras.layers.AveragePooling2D
            return pooling(size, strides=stride, padding=padding, data_format="channels_last")(tensor)
        case Dense(units):
            if len(tensor.shape) > 2:
                tensor = keras.layers.Flatten(data_format="channels_last")(tensor)
            return keras.layers.Dense(
                max(1, units // width_divisor),
                activation="relu",
                kernel_initializer=keras.initializers.TruncatedNormal(stddev=KERNEL_DEVIATION),
            )(tensor)
        case Inception():
            branches: tuple[tuple[Layer, ...], ...] = (
                (Convolution(layer.one, 1),),
                (Convolution(layer.three_reduce, 1), Convolution(layer.three, 3)),
                (Convolution(layer.five_reduce, 1), Convolution(layer.five, 5)),
                (Pool(3, 1, "same"), Convolution(layer.projection, 1)),
            )
            ends = []
            for branch in branches:
                end = tensor
                for part in branch:
                    end = _add(part, end, width_divisor)
                ends.append(end)
            return keras.layers.Concatenate()(ends)
