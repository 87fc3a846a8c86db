from __future__ import annotations

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.description import WorkloadError
from workloads.microbenchmarks import conv
from workloads.microbenchmarks.conv import LAYERS, ConvParameters, Layer, convolution

SMALL = {
    "layer": "sizes", "image_size": 5, "channels": 3, "filters": 4, "kernel_size": 3, "stride": 2,
    "batch_size": 2, "seconds": 0.0, "repetitions": 3,
}  # fmt: skip


def test_the_layers_are_those_of_the_network():
    flop = {name: ConvParameters(layer=name, batch_size=1, direction="forward").flop for name in LAYERS}
    assert flop["conv1"] == 2 * 112**2 * 64 * 7**2 * 3
    assert flop["conv4_3x3"] == 2 * 14**2 * 256 * 9 * 256
    # Blocks with one size of each kind have as many operations in every stage.
    for kind in ("reduce", "3x3", "expand"):
        assert len({flop[f"conv{stage}_{kind}"] for stage in (3, 4, 5)}) == 1
    assert flop["conv3_3x3_stride"] == flop["conv3_3x3"]


@pytest.mark.parametrize(("direction", "times"), [("forward", 1), ("backward", 2), ("training", 3)])
def test_a_run_counts_what_it_convolves(run, direction, times):
    done = run("conv", SMALL | {"direction": direction})
    assert done.metric("flop_per_repetition") == times * 2 * 2 * 3**2 * 4 * 3**2 * 3
    assert done.metric("flop_per_second_lowest") <= done.metric("flop_per_second")
    assert done.metric("repetitions") == 3


@pytest.mark.usefixtures("tensorflow_on_one_thread")
def test_the_results_are_the_convolution_and_its_gradients():
    import tensorflow as tf

    parameters = ConvParameters(**SMALL)
    step = convolution(parameters, 7)
    output, by_images, by_kernel = step()
    images, kernel, slope = (
        cell.cell_contents for cell in step.__closure__ if hasattr(cell.cell_contents, "dtype")
    )
    with tf.GradientTape() as tape:
        tape.watch([images, kernel])
        expected = tf.nn.conv2d(images, kernel, 2, "SAME")
        loss = tf.reduce_sum(expected * slope)
    np.testing.assert_allclose(output, expected, rtol=1e-5)
    for found, right in zip((by_images, by_kernel), tape.gradient(loss, [images, kernel]), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("precision", ["bfloat16", "float64"])
def test_other_types_run(run, precision):
    done = run("conv", SMALL | {"precision": precision})
    assert done.metric("flop_per_second") > 0
    assert done.result.observe_after()["precision"] == precision


def test_named_layers_have_their_own_sizes():
    assert ConvParameters(image_size=99).sizes == LAYERS["conv4_3x3"]
    assert ConvParameters(layer="sizes", image_size=99).sizes == Layer(99, 256, 256, 3, 1)
    assert Layer(5, 1, 1, 3, 2).output_size == 3


@pytest.mark.parametrize("asked", [{"layout": "NCHW"}, {"precision": "tensor_float32"}])
def test_what_cores_cannot_do_is_refused(asked):
    with pytest.raises(WorkloadError, match="the slot has no GPU"):
        conv.run(ConvParameters(**asked), Context(seed=1, slot=SlotView(cores=(0,))))
