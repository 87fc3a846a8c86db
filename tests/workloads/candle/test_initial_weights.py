from __future__ import annotations

import math

import numpy as np
import pytest

from workloads.candle import philox
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.dead_units import dead_units
from workloads.candle.initial_weights import kernel_initializer, live_share
from workloads.candle.p1b1 import WORKLOAD, build
from workloads.context import Context, SlotView
from workloads.runtime.framework import configure_framework

SHAPES = (
    (40, 30),
    (30, 7),
    (7, 2),
    (2, 7),
    (7, 30),
    (30, 40),
)  # no kernel's size is a multiple of four numbers
WIDTHS = {"outer_width": 30, "inner_width": 7, "latent_width": 2}


def original(shape, seed):
    """A kernel as Keras 2 drew it in a session of TensorFlow 1, whose graph had the seed as well."""
    import tensorflow as tf

    limit = math.sqrt(3.0 * (1.0 / max(1.0, float(shape[0] + shape[1]) / 2)))
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(seed)
        variable = tf.compat.v1.get_variable(
            "kernel", initializer=tf.compat.v1.random_uniform(shape, -limit, limit, tf.float32, seed=seed)
        )
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            return session.run(variable)


def published(shapes, seed):
    """Return all kernels as the published script draws them: one initialiser object for every layer."""
    import keras

    initializer = keras.initializers.GlorotUniform(seed=seed)
    return [keras.ops.convert_to_numpy(initializer(shape)) for shape in shapes]


@pytest.fixture(autouse=True)
def framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


def kernels(**parameters):
    model = build(40, WORKLOAD.typed(WORKLOAD.resolve(WIDTHS | parameters)), 11)
    return [weight.numpy() for weight in model.trainable_variables if len(weight.shape) == 2]


@pytest.mark.parametrize("seed", [2017, 1])
def test_every_kernel_is_drawn_as_in_the_published_script(seed):
    for ours, theirs in zip(kernels(weights_seed=seed), published(SHAPES, seed), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", [2017, 1])
def test_the_numbers_can_be_those_of_tensorflow_1(seed):
    found = kernels(weights_seed=seed, weights_stream="tensorflow1")
    for shape, ours in zip(SHAPES, found, strict=True):
        np.testing.assert_array_equal(ours, original(shape, seed))


@pytest.mark.parametrize("stream", ["keras", "tensorflow1"])
def test_an_instances_own_seed_draws_as_the_same_seed_given_to_all(stream):
    own = kernels(weights_seed=0, weights_stream=stream)
    for ours, theirs in zip(own, kernels(weights_seed=11, weights_stream=stream), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("make", "stream"), [(philox.stateless, "keras"), (philox.stateful, "tensorflow1")])
@pytest.mark.parametrize("seed", [2017, 2**31 + 5])
def test_the_streams_are_tensorflows(make, stream, seed):
    kernel = np.asarray(kernel_initializer(stream, seed)((101, 13)))
    limit = np.float32(math.sqrt(6 / 114))
    found = make(seed).uniform(0, 101 * 13) * (2 * limit) - limit
    np.testing.assert_allclose(found, kernel.ravel(), rtol=0, atol=1e-7)
    np.testing.assert_array_equal(make(seed).uniform(5, 1000), make(seed).uniform(0, 1001)[5:1000])


def test_the_check_of_data_warns_of_units_that_start_dead(tmp_path):
    p1b1_data.make(tmp_path, 2, train_rows=80, test_rows=20, features=60)
    data = p1b1_data.load(tmp_path)
    warned = set()
    for seed in range(1, 9):
        given = WORKLOAD.resolve(WIDTHS | {"weights_seed": seed})
        share = live_share(build(60, WORKLOAD.typed(given), 1).get_layer("encoder"), data.train[:64])
        facts = p1b1_data.check(tmp_path, given)
        starts = [
            f"with weights_seed {seed} and weights_stream keras, {round(2 * (1 - share))} of 2 bottleneck"
        ]
        assert [text[: len(starts[0])] for text in facts.get("warnings", [])] == (starts if share < 1 else [])
        warned.add(share < 1)
    assert warned == {False, True}
    for other in ({"weights_seed": 0}, {"framework": "torch"}):
        assert "warnings" not in p1b1_data.check(tmp_path, given | other)


def test_dead_units_are_found_without_a_framework():
    """Profiles of one direction, so that a unit fires for all of them or for none."""
    random = np.random.default_rng(3)
    shares = set()
    for stream in ("keras", "tensorflow1"):
        for seed in range(1, 9):
            rows = random.random((20, 40), dtype=np.float32)
            given = WIDTHS | {"weights_seed": seed, "weights_stream": stream}
            model = build(40, WORKLOAD.typed(WORKLOAD.resolve(given)), 1)
            share = live_share(model.get_layer("encoder"), rows)
            assert dead_units(rows, tuple(WIDTHS.values()), stream, seed) == round(2 * (1 - share))
            shares.add(share)
    assert shares == {0.0, 0.5, 1.0}


def ported_score(data, outer, inner, seed):
    """Train and score the network of the published script, written down a second time."""
    import keras
    from keras.layers import Dense, Input

    keras.utils.set_random_seed(seed)
    given = {"kernel_initializer": keras.initializers.GlorotUniform(seed=2017), "bias_initializer": "zeros"}
    features = data.train.shape[1]
    x = Input((features,))
    h = Dense(inner, activation="relu", **given)(Dense(outer, activation="relu", **given)(x))
    encoded = Dense(2, activation="relu", **given)(h)
    decoder_input = Input((2,))
    h = Dense(outer, activation="relu", **given)(Dense(inner, activation="relu", **given)(decoder_input))
    decoder = keras.Model(decoder_input, Dense(features, activation="sigmoid", **given)(h))
    model = keras.Model(x, decoder(encoded))
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.001, epsilon=1e-8))
    model.fit(data.train, data.train, batch_size=20, epochs=12, verbose=0)
    return np.corrcoef(model.predict(data.test, verbose=0).ravel(), data.test.ravel())[0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("widths", [(60, 20), (100, 30), (160, 60)])
def test_scores_are_distributed_as_those_of_the_published_network(tmp_path, run, widths):
    ours, theirs, live = [], [], []
    for seed in range(3):
        folder = tmp_path / str(seed)
        p1b1_data.make(folder, seed, train_rows=120, test_rows=60, features=150, cancer_types=6)
        outer, inner = widths
        given = {"outer_width": outer, "inner_width": inner, "batch_size": 20, "epochs": 12}
        done = run("p1b1", given, folder, seed=seed)
        ours.append(done.result.accuracy)
        live.append(done.metric("live_bottleneck_share_at_start"))
        theirs.append(ported_score(p1b1_data.load(folder), outer, inner, seed))
    np.testing.assert_allclose(np.sort(ours), np.sort(theirs), atol=0.02)
    assert max(ours) > min(ours) + 0.01
    assert set(live) <= {0.0, 0.5, 1.0}
