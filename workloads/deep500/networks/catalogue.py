"""The networks of level 1, by name: the shipped benchmarks' own, at their real and at demo sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REAL, DEMO = "real", "demo"


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """Numbers of elements of a network, by which its memory is estimated where there is no Keras.

    Parameters
    ----------
    weights, largest
        Of all weights, and of the largest array of them.
    activations
        Of the inputs and all operators' outputs, for one sample.
    """

    weights: int
    largest: int
    activations: int

    def memory_bytes(self, batch_size: int, *, gradient: bool, exported: bool) -> int:
        """Return an estimate of what a measurement takes, beside the framework itself.

        Weights are in float32 where they are drawn, in the framework and in each copy of an `exported` model;
        one array at a time is in float64 too. Gradients are in float32 once, and in float64 in the
        reference and in the comparison. Outputs of operators are in float32 and, in the reference, float64;
        with gradients also what the gradients need of them.
        """
        of_weight, of_largest, of_activation = (44, 40, 32) if gradient else (20 if exported else 8, 16, 12)
        kept = of_weight * self.weights + of_largest * self.largest
        return kept + of_activation * batch_size * self.activations


def build(network: str, size: str) -> Any:
    """Return the Keras model of a network.

    Parameters
    ----------
    network
        One of `NAMES`.
    size
        `REAL`, as the shipped benchmark has it by default, or `DEMO`, for two cores and seconds.
    """
    return _BUILDERS[network](size == DEMO)


def _convnet(name: str, image_size: int) -> Callable[[bool], Any]:
    """Return the builder of a convnet; the demo size has images of `image_size` and a fourth of the width."""

    def built(demo: bool) -> Any:
        from workloads import modules
        from workloads.convnets import timing

        design = modules.load(f"workloads.convnets.{name}:DESIGN")
        (real,) = (one.default for one in modules.workload(name).parameters if one.name == "image_size")
        return timing.build(design, image_size if demo else int(real), 4 if demo else 1)

    return built


def _resnet50_v15(demo: bool) -> Any:
    from workloads.imagenet.resnet50_v15 import network

    if demo:
        return network.build(4, 64, width_divisor=8, depth_divisor=3)
    return network.build(1000, 224)


def _resnet44(demo: bool) -> Any:
    from workloads.cifar10 import network

    return network.build(width_divisor=2, depth_divisor=7) if demo else network.build()


def _p1b1(demo: bool) -> Any:
    from workloads.candle import p1b1

    parameters = p1b1.P1B1Parameters(outer_width=200, inner_width=60) if demo else p1b1.P1B1Parameters()
    return p1b1.autoencoder(800 if demo else 60483, parameters, 0)


def _nt3(demo: bool) -> Any:
    from workloads.candle import nt3
    from workloads.candle.sizes import NT3Sizes

    parameters = nt3.NT3Parameters(filters=16) if demo else nt3.NT3Parameters()
    return nt3.classifier(800 if demo else NT3Sizes().features, parameters)


def _p3b1(demo: bool) -> Any:
    import keras

    from workloads.candle import p3b1
    from workloads.candle.sizes import P3B1Sizes

    sizes = P3B1Sizes()
    classes = (sizes.site_classes, sizes.laterality_classes, sizes.grade_classes)
    narrow = p3b1.P3B1Parameters(shared_width=200, first_width=200, second_width=200)
    models = p3b1.classifiers(sizes.features, classes, narrow if demo else p3b1.P3B1Parameters())
    return keras.Model(models[0].inputs, [model.outputs[0] for model in models])


def _lstm(demo: bool) -> Any:
    """Return Keras' own LSTM layer, of the benchmark's width and length; its last output."""
    import keras

    from workloads.lstm import LstmParameters

    real = LstmParameters()
    width, length = (64, 10) if demo else (real.hidden_width, real.sequence_length)
    sequence = keras.Input((length, width))
    return keras.Model(sequence, keras.layers.LSTM(width)(sequence))


_BUILDERS: dict[str, Callable[[bool], Any]] = {
    "resnet50_v15": _resnet50_v15,
    "resnet44": _resnet44,
    "alexnet": _convnet("alexnet", 131),
    "googlenet": _convnet("googlenet", 193),
    "overfeat": _convnet("overfeat", 103),
    "vgg": _convnet("vgg", 64),
    "p1b1": _p1b1,
    "nt3": _nt3,
    "p3b1": _p3b1,
    "lstm": _lstm,
}
NAMES = tuple(_BUILDERS)

SIZES = {
    ("resnet50_v15", REAL): NetworkSize(25_612_201, 2_359_296, 38_661_077),
    ("resnet50_v15", DEMO): NetworkSize(150_269, 36_864, 207_153),
    ("resnet44", REAL): NetworkSize(664_698, 36_864, 1_510_666),
    ("resnet44", DEMO): NetworkSize(20_290, 9_216, 154_762),
    ("alexnet", REAL): NetworkSize(61_100_840, 37_748_736, 746_307),
    ("alexnet", DEMO): NetworkSize(2_824_376, 1_048_576, 98_787),
    ("googlenet", REAL): NetworkSize(6_998_552, 1_024_000, 6_032_792),
    ("googlenet", DEMO): NetworkSize(633_476, 256_000, 1_314_647),
    ("overfeat", REAL): NetworkSize(145_920_872, 113_246_208, 1_171_259),
    ("overfeat", DEMO): NetworkSize(3_605_960, 1_024_000, 69_307),
    ("vgg", REAL): NetworkSize(132_863_336, 102_760_448, 9_141_224),
    ("vgg", DEMO): NetworkSize(3_177_032, 1_048_576, 198_632),
    ("p1b1", REAL): NetworkSize(244_400_085, 120_966_000, 126_168),
    ("p1b1", DEMO): NetworkSize(345_562, 160_000, 2_122),
    ("nt3", REAL): NetworkSize(154_922_918, 154_752_000, 17_085_857),
    ("nt3", DEMO): NetworkSize(253_574, 246_400, 28_334),
    ("p3b1", REAL): NetworkSize(9_151_219, 1_440_000, 8_819),
    ("p3b1", DEMO): NetworkSize(325_219, 80_000, 1_819),
    ("lstm", REAL): NetworkSize(8_392_704, 4_194_304, 31_744),
    ("lstm", DEMO): NetworkSize(33_024, 16_384, 704),
}
"""Elements of every network, so that a launch can estimate memory without Keras."""
