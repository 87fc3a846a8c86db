"""2-D convolution: sustained floating-point operations per second of a slot, forward and backward.

The layers are those of ResNet-50 v1.5, by name, or any other by its sizes. A convolution takes 2 × batch ×
output height × output width × kernel size² × channels × filters operations; padding counts as any pixel, as
in the FLOP of trainings. Its gradients by the images and by the kernel take as many again each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload, WorkloadError
from workloads.microbenchmarks.repetition import (
    REPETITIONS,
    SECONDS,
    WARM_UP,
    rate_metrics,
    seconds_per_call,
)
from workloads.parameters import common, parameter, table
from workloads.runtime.framework import configure_framework, synchronise

OF_SIZES = "sizes"


@dataclass(frozen=True, slots=True)
class Layer:
    """Sizes of a convolution with padding ``SAME`` and square images and kernel."""

    image_size: int
    channels: int
    filters: int
    kernel_size: int = 1
    stride: int = 1

    @property
    def output_size(self) -> int:
        """Height and width of the output."""
        return -(-self.image_size // self.stride)


LAYERS = {
    "conv1": Layer(224, 3, 64, 7, 2),
    "conv2_reduce": Layer(56, 256, 64),
    "conv2_3x3": Layer(56, 64, 64, 3),
    "conv2_expand": Layer(56, 64, 256),
    "conv3_3x3_stride": Layer(56, 128, 128, 3, 2),
    "conv3_reduce": Layer(28, 512, 128),
    "conv3_3x3": Layer(28, 128, 128, 3),
    "conv3_expand": Layer(28, 128, 512),
    "conv4_3x3_stride": Layer(28, 256, 256, 3, 2),
    "conv4_reduce": Layer(14, 1024, 256),
    "conv4_3x3": Layer(14, 256, 256, 3),
    "conv4_expand": Layer(14, 256, 1024),
    "conv5_3x3_stride": Layer(14, 512, 512, 3, 2),
    "conv5_reduce": Layer(7, 2048, 512),
    "conv5_3x3": Layer(7, 512, 512, 3),
    "conv5_expand": Layer(7, 512, 2048),
}
"""Convolutions of ResNet-50 v1.5 on images of 224 × 224 pixels, by stage and place in the block."""

_PARTS = {"forward": 1, "backward": 2, "training": 3}
"""Convolutions' worth of operations in each direction."""


@dataclass(frozen=True, slots=True)
class ConvParameters:
    """Parameters of the convolution."""

    layer: str = parameter(
        "conv4_3x3",
        f"of ResNet-50 v1.5; {OF_SIZES}: image_size, channels, filters, kernel_size and stride",
        choices=(OF_SIZES, *LAYERS),
    )
    batch_size: int = parameter(64, "images", minimum=1)
    image_size: int = parameter(14, f"height and width, with layer {OF_SIZES}", unit="pixels", minimum=1)
    channels: int = parameter(256, f"of the images, with layer {OF_SIZES}", minimum=1)
    filters: int = parameter(256, f"channels of the output, with layer {OF_SIZES}", minimum=1)
    kernel_size: int = parameter(3, f"height and width of the kernel, with layer {OF_SIZES}", minimum=1)
    stride: int = parameter(1, f"with layer {OF_SIZES}", minimum=1)
    direction: str = parameter(
        "training",
        "forward; backward: gradients by images and kernel; training: all three",
        choices=tuple(_PARTS),
    )
    layout: str = parameter("NHWC", "order of the images' axes; NCHW on GPUs alone", choices=("NHWC", "NCHW"))
    precision: str = parameter(
        "float32",
        "type of images and kernel; tensor_float32 is float32 on matrix units of GPUs",
        choices=("float32", "float64", "tensor_float32", "bfloat16", "float16"),
    )
    seconds: float = common(SECONDS)
    repetitions: int = common(REPETITIONS)
    warm_up: int = common(WARM_UP)

    @property
    def sizes(self) -> Layer:
        """The layer's sizes."""
        own = Layer(self.image_size, self.channels, self.filters, self.kernel_size, self.stride)
        return LAYERS.get(self.layer, own)

    @property
    def flop(self) -> int:
        """Operations of one call on one device."""
        layer = self.sizes
        outputs = self.batch_size * layer.output_size**2 * layer.filters
        return 2 * outputs * layer.kernel_size**2 * layer.channels * _PARTS[self.direction]


WORKLOAD = Workload(
    name="conv",
    title="2-D convolution, forward and backward: FLOP/s of a slot",
    source="this project; layers of ResNet-50 v1.5",
    entry="workloads.microbenchmarks.conv:run",
    parameters=table(ConvParameters),
    parameters_type=ConvParameters,
    fom_time="run",
    requires=("keras", "tensorflow"),
)


def run(parameters: ConvParameters, context: Context) -> Result:
    """Repeat the convolution, with its gradients where they are asked for, on all devices of the slot.

    Raises
    ------
    WorkloadError
        If the slot has no GPU, and the layout or the precision needs one.
    ArithmeticError
        If a result is not finite.
    """
    for asked, needs_gpu in ((parameters.layout, "NCHW"), (parameters.precision, "tensor_float32")):
        if asked == needs_gpu and not context.devices:
            raise WorkloadError(f"convolutions on cores have no {asked}, and the slot has no GPU")
    wide = parameters.precision == "tensor_float32"
    observed = configure_framework(context, "tensorflow", "tensor_float32" if wide else "float32")
    import tensorflow as tf

    from workloads.microbenchmarks.devices import OnEveryDevice
    from workloads.microbenchmarks.gemm import precision_in_force

    calls = OnEveryDevice(context, lambda: convolution(parameters, context.seed))
    context.start()
    with context.phase("measure"):
        seconds = seconds_per_call(
            calls,
            seconds=parameters.seconds,
            repetitions=parameters.repetitions,
            warm_up=parameters.warm_up,
            synchronise=synchronise,
        )
    for result in calls.results:
        if not all(bool(tf.reduce_all(tf.math.is_finite(tf.cast(one, tf.float32)))) for one in result):
            raise ArithmeticError(f"the {parameters.precision} convolution has a result that is not finite")
    flop = float(parameters.flop * calls.devices)
    return Result(
        metrics=(
            *rate_metrics("flop_per_second", "FLOP/s", flop, seconds),
            Metric("flop_per_repetition", flop, "FLOP"),
        ),
        observed=observed,
        data={"synthetic": True},
        observe_after=lambda: precision_in_force("tensorflow", parameters.precision),
    )


def convolution(parameters: ConvParameters, seed: int) -> Callable[[], Any]:
    """Return a graph of the convolution, with inputs on the device in force.

    It returns the output, then the gradients by images and kernel of a sum with random weights, as far as
    the direction has them.
    """
    import tensorflow as tf

    layer, layout = parameters.sizes, parameters.layout
    wide = parameters.precision == "tensor_float32"
    dtype = tf.as_dtype("float32" if wide else parameters.precision)
    source = tf.random.Generator.from_seed(seed % 2**63)
    images = tf.cast(
        source.normal(_shape(layout, parameters.batch_size, layer.image_size, layer.channels)), dtype
    )
    kernel = tf.cast(
        source.normal((layer.kernel_size, layer.kernel_size, layer.channels, layer.filters), stddev=0.05),
        dtype,
    )
    slope = tf.cast(
        source.normal(_shape(layout, parameters.batch_size, layer.output_size, layer.filters)), dtype
    )
    strides = list(_shape(layout, 1, layer.stride, 1))
    named = {"strides": strides, "padding": "SAME", "data_format": layout}

    def results_of(images: Any, kernel: Any, slope: Any) -> list[Any]:
        results = []
        if parameters.direction != "backward":
            results.append(tf.raw_ops.Conv2D(input=images, filter=kernel, **named))
        if parameters.direction != "forward":
            results.append(
                tf.raw_ops.Conv2DBackpropInput(
                    input_sizes=tf.shape(images), filter=kernel, out_backprop=slope, **named
                )
            )
            results.append(
                tf.raw_ops.Conv2DBackpropFilter(
                    input=images, filter_sizes=tf.shape(kernel), out_backprop=slope, **named
                )
            )
        return results

    step = tf.function(results_of)
    return lambda: step(images, kernel, slope)


def _shape(layout: str, batch: int, size: int, channels: int) -> tuple[int, int, int, int]:
    return (batch, size, size, channels) if layout == "NHWC" else (batch, channels, size, size)
