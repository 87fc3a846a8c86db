from __future__ import annotations

import csv
import gc
import importlib
import io
import math

import numpy as np
import pytest

from orchestrator.catalog import registry
from tests.workloads.orders import send
from workloads import modules
from workloads.context import Context, SlotView
from workloads.convnets import timing
from workloads.convnets.architecture import Architecture, Convolution, Dense, Inception, Pool
from workloads.convnets.timing import Network
from workloads.description import WorkloadError
from workloads.runtime.flops import forward_flop
from workloads.runtime.framework import configure_framework, trainable_parameters

NAMES = ("alexnet", "googlenet", "overfeat", "vgg")
SMALL = {"batch_size": 2, "width_divisor": 16, "steps": 4, "burn_in": 2}
TINY = Architecture(
    layers=(
        Convolution(6, 5, 2, "valid"),
        Pool(3, 2),
        Inception(2, 3, 4, 2, 3, 5),
        Pool(3, 2, "same"),
        Pool(2, 1, kind="average"),
        Dense(12),
    )
)


@pytest.fixture(scope="module", autouse=True)
def _few_to_search():
    """Leave what TensorFlow and earlier tests hold out of each search for garbage; it takes a second."""
    importlib.import_module("keras")
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def single():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    yield
    import keras

    keras.backend.clear_session()  # it collects garbage


def design(name):
    return modules.load(f"workloads.convnets.{name}:DESIGN")


def smallest(name):
    return next(p.minimum for p in registry.describe(name).parameters if p.name == "image_size")


def tiny(seed=3):
    return Network(TINY, batch_size=3, image_size=23, width_divisor=1, seed=seed)


def _reference(images, weights):
    """The tiny network, operation by operation, with weights in the order of its layers."""
    import tensorflow as tf

    rest = iter(weights)

    def convolve(value, stride=1, padding="SAME"):
        return tf.nn.relu(tf.nn.conv2d(value, next(rest), stride, padding) + next(rest))

    value = tf.nn.max_pool2d(convolve(images, 2, "VALID"), 3, 2, "VALID")
    one = convolve(value)
    three = convolve(convolve(value))
    five = convolve(convolve(value))
    projection = convolve(tf.nn.max_pool2d(value, 3, 1, "SAME"))
    value = tf.nn.max_pool2d(tf.concat([one, three, five, projection], axis=3), 3, 2, "SAME")
    value = tf.reshape(tf.nn.avg_pool2d(value, 2, 1, "VALID"), (images.shape[0], -1))
    for _ in range(2):
        value = tf.nn.relu(value @ next(rest) + next(rest))
    assert next(rest, None) is None
    return value


def test_the_timed_functions_agree_with_an_eager_reference():
    import tensorflow as tf

    network = tiny()
    # The layers' names sort in the order in which `build` made them, which is the reference's.
    made = [layer for layer in network.model.layers if layer.trainable_weights]
    made.sort(key=lambda layer: (layer.name.startswith("dense"), len(layer.name), layer.name))
    weights = [variable.value for layer in made for variable in (layer.kernel, layer.bias)]
    with tf.GradientTape() as tape:
        logits = _reference(network.images, weights)
        probability = tf.nn.softmax(tf.cast(logits, tf.float64))[:, 1]
        loss = -tf.reduce_mean(tf.math.log(probability))
    expected = {id(v): g for v, g in zip(weights, tape.gradient(loss, weights), strict=True)}
    np.testing.assert_allclose(network.forward(), logits, rtol=1e-4, atol=1e-6)
    assert float(network.loss(network.forward(), network.labels)) == pytest.approx(float(loss), rel=1e-5)
    gradients = network.gradients()
    variables = network.model.trainable_variables
    assert len(gradients) == len(variables) == 2 * (1 + 6 + 2)
    for gradient, variable in zip(gradients, variables, strict=True):
        assert gradient.shape == variable.shape
        assert np.linalg.norm(gradient) > 0
        np.testing.assert_allclose(gradient, expected[id(variable.value)], rtol=1e-3, atol=1e-5)


def test_nothing_of_a_step_is_computed_before_it_runs():
    import tensorflow as tf

    network = Network(
        Architecture(TINY.layers, ones=True), batch_size=3, image_size=23, width_divisor=1, seed=1
    )
    forward, gradients = network.forward().numpy(), [g.numpy() for g in network.gradients()]
    graphs = (
        network._forward_step.get_concrete_function(network.images).graph,
        network._gradient_step.get_concrete_function(network.images, network.labels).graph,
    )
    for graph in graphs:
        constants = [
            tf.make_ndarray(o.get_attr("value")) for o in graph.get_operations() if o.type == "Const"
        ]
        assert max(constant.size for constant in constants) < network.images.shape.num_elements() / 100
    network.images.assign(tf.random.stateless_normal(network.images.shape, (1, 2)))
    assert (network.forward().numpy() != forward).any()
    changed = [g.numpy() for g in network.gradients()]
    assert all((one != other).any() for one, other in zip(gradients, changed, strict=True))
    network.labels.assign([5, 6, 7])
    assert (network.gradients()[-1].numpy() != changed[-1]).any()
    network.model.trainable_variables[0].assign(network.model.trainable_variables[0] * 2)
    assert (network.gradients()[-1].numpy() != changed[-1]).any()
    assert network._gradient_step.experimental_get_tracing_count() == 1


def test_a_training_step_changes_no_parameter():
    network = tiny()
    before = [variable.numpy() for variable in network.model.trainable_variables]
    network.gradients()
    for one, other in zip(before, network.model.trainable_variables, strict=True):
        np.testing.assert_array_equal(one, other.numpy())


def test_what_a_network_starts_from():
    network = Network(design("alexnet"), batch_size=4, image_size=67, width_divisor=4, seed=1)
    assert set(network.labels.numpy()) == {1}
    assert network.images.shape == (4, 67, 67, 3)
    assert float(network.images.numpy().std()) == pytest.approx(0.1, rel=0.02)
    assert (
        Network(design("vgg"), batch_size=1, image_size=32, width_divisor=64, seed=1).images.numpy() == 1
    ).all()
    kernels = [v.numpy() for v in network.model.trainable_variables if v.name == "kernel"]
    biases = [v.numpy() for v in network.model.trainable_variables if v.name == "bias"]
    assert len(kernels) == len(biases) == 8
    for kernel in kernels:
        assert np.abs(kernel).max() <= 0.2  # truncated at two standard deviations
        assert kernel.std() == pytest.approx(0.088, rel=0.03)
    assert len({kernel.flat[0] for kernel in kernels}) == 8
    assert not any(bias.any() for bias in biases)
    logits = network.forward().numpy()
    assert logits.shape == (4, 1000)
    assert logits.min() == 0 < logits.max()


def test_the_divisor_leaves_the_classes_and_one_filter():
    model = timing.build(design("googlenet"), 193, 1000)
    filters = {layer.filters for layer in model.layers if hasattr(layer, "filters")}
    assert filters == {1}
    assert model.output.shape == (None, 1000)


@pytest.mark.parametrize(
    ("name", "maps"),
    [
        ("alexnet", [55, 27, 27, 13, 13, 13, 13, 6]),
        ("overfeat", [56, 28, 24, 12, 12, 12, 12, 6]),
        ("vgg", [224, 112, 112, 56, 56, 56, 28, 28, 28, 14, 14, 14, 7]),
    ],
)
def test_maps_have_the_published_sizes(name, maps):
    model = timing.build(design(name), registry.describe(name).resolve({})["image_size"], 64)
    layers = [layer for layer in model.layers if layer.name.startswith(("conv", "max"))]
    assert [layer.output.shape[1] for layer in layers] == maps


@pytest.mark.parametrize("name", NAMES)
def test_the_smallest_image_is_the_smallest_that_can_be_built(name):
    timing.build(design(name), smallest(name), 64)
    with pytest.raises(ValueError, match=r"negative|dimension|shape"):
        timing.build(design(name), smallest(name) - 1, 64)
    with pytest.raises(WorkloadError, match=f"image_size must be at least {smallest(name)}"):
        registry.describe(name).resolve({"image_size": smallest(name) - 1})


def test_the_full_googlenet_has_57_convolutions_and_the_published_blocks():
    model = timing.build(design("googlenet"), 224)
    assert sum(hasattr(layer, "filters") for layer in model.layers) == 57
    blocks = [tuple(layer.output.shape[1:]) for layer in model.layers if layer.name.startswith("concat")]
    assert blocks == [
        (28, 28, 256), (28, 28, 480),
        (14, 14, 512), (14, 14, 512), (14, 14, 512), (14, 14, 528), (14, 14, 832),
        (7, 7, 832), (7, 7, 1024),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parameters", "flop"),
    [
        ("googlenet", 6_998_552, 3_165_343_744),
        ("alexnet", 61_100_840, 1_428_376_960),
        pytest.param("vgg", 132_863_336, 15_218_180_096, marks=pytest.mark.slow),
        pytest.param("overfeat", 145_920_872, 5_602_807_808, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("shapes_only")
def test_the_full_network_has_the_published_size(name, parameters, flop):
    workload = registry.describe(name)
    assert workload.sizes == {"trainable_parameters": parameters, "forward_flop_per_sample": flop}
    model = timing.build(design(name), workload.resolve({})["image_size"])
    assert trainable_parameters(model) == parameters
    assert forward_flop(model) == flop


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_full_network_runs_and_its_loss_and_gradients_are_finite(name, run):
    done = run(name, {"batch_size": 2, "steps": 1, "burn_in": 1})
    assert math.isfinite(done.metric("loss"))
    assert 0 < done.metric("gradient_norm") < math.inf


def test_a_run_times_training_inside_its_window():
    report = send("alexnet", SMALL | {"image_size": 67})
    assert report.marks == ["ready", "run_start", "timed_window_start", "timed_window_stop", "run_stop"]
    result = report.last["result"]
    at = {line["mark"]: line["at_us"] for line in report.lines[:-1]}
    assert 0 < result["fom_seconds"] * 4 <= (at["timed_window_stop"] - at["timed_window_start"]) / 1e6
    assert result["accuracy"] is None
    assert result["phases"].keys() == {"build", "forward", "train"}
    assert result["data"] == {"synthetic": True, "images": 2, "image_size": 67, "classes": 1000}
    metrics = {metric["name"]: metric for metric in result["metrics"]}
    assert len(metrics) == len(result["metrics"])
    assert not metrics.keys() & {f"{phase}_seconds" for phase in result["phases"]}
    rows = [
        [float(row["forward_seconds"]), float(row["training_seconds"])]
        for row in csv.DictReader(io.StringIO(report.stdout))
    ]
    assert len(rows) == 4
    for kind, seconds in zip(("forward", "training"), np.array(rows).T, strict=True):
        assert metrics[f"{kind}_seconds_per_batch"]["unit"] == "s/batch"
        for name, value in {
            "seconds_per_batch": seconds.mean(),
            "standard_deviation": seconds.std(),
            "fastest": seconds.min(),
            "slowest": seconds.max(),
            "upstream_seconds_per_batch": seconds[1:].sum() / 4,
        }.items():
            assert metrics[f"{kind}_{name}"]["value"] == pytest.approx(value, abs=2e-9)
    assert metrics["training_seconds_per_batch"]["value"] == result["fom_seconds"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_network_runs_and_the_seed_decides_its_numbers(name, run):
    # Narrower than a quarter, GoogLeNet's logits vanish beside the logarithm of the classes.
    parameters = SMALL | {"image_size": int(smallest(name)), "width_divisor": 4}
    first, again, other = (run(name, parameters, seed=seed) for seed in (1, 1, 2))
    for metric in ("loss", "gradient_norm"):
        assert first.metric(metric) == again.metric(metric) != other.metric(metric)
        assert math.isfinite(first.metric(metric))
    assert first.metric("gradient_norm") > 0
    mean, upstream = (
        first.metric(f"training_{name}") for name in ("seconds_per_batch", "upstream_seconds_per_batch")
    )
    assert (upstream == pytest.approx(mean)) is (name == "vgg")


def test_reduced_precision_runs(run):
    done = run("vgg", SMALL | {"image_size": 32, "precision": "mixed_bfloat16"})
    exact = run("vgg", SMALL | {"image_size": 32})
    assert done.metric("loss") == pytest.approx(exact.metric("loss"), rel=0.05)
    assert done.metric("loss") != exact.metric("loss")
    assert done.result.observed["precision"] == "mixed_bfloat16"


@pytest.mark.parametrize("name", NAMES)
def test_a_base_run_uses_the_published_parameters(name):
    workload = registry.describe(name)
    assert workload.fom_time == "batch"
    assert workload.accuracy_metric == ""
    assert {p.name: p.default for p in workload.parameters} == {
        "batch_size": 64 if name == "vgg" else 128,
        "image_size": {"alexnet": 227, "overfeat": 231}.get(name, 224),
        "steps": 100,
        "burn_in": 10,
        "width_divisor": 1,
        "framework": "tensorflow",
        "precision": "float32",
    }
