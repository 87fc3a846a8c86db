"""FLOP counted in a model's graph against products that were worked out by hand."""

from __future__ import annotations

import pytest

from workloads.candle import nt3, p1b1, p3b1
from workloads.context import Context, SlotView
from workloads.runtime.flops import flop_metrics, forward_flop, function_flop, layers, training_flop
from workloads.runtime.framework import configure_framework


@pytest.fixture(scope="module", autouse=True)
def keras():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import keras

    return keras


def model(keras, shape, *chain):
    image = tensor = keras.Input(shape)
    for layer in chain:
        tensor = layer(tensor)
    return keras.Model(image, tensor)


STEP = 2 * (3 + 4) * 4  # of a cell with 3 inputs and 4 units, per gate
# FLOP of the forward pass, and of the gradients that a layer alone has: of its weights, and of what of its
# inputs follows from weights.
ALONE = {
    "dense": (lambda k: k.Dense(4), (3,), 24, 24),
    "dense of 512 regions": (lambda k: k.Dense(4), (512, 3), 512 * 24, 512 * 24),
    "einsum": (lambda k: k.EinsumDense("...a,ab->...b", output_shape=4), (5, 3), 120, 120),
    "convolution 1D": (lambda k: k.Conv1D(4, 3), (9, 2), 2 * 7 * 4 * 3 * 2, 336),
    "convolution 2D": (
        lambda k: k.Conv2D(4, (3, 5), strides=2, padding="same"), (9, 8, 2), 2 * 20 * 4 * 30, 4800
    ),
    "convolution 3D": (lambda k: k.Conv3D(4, 3), (5, 5, 5, 2), 2 * 27 * 4 * 54, 11_664),
    "groups": (lambda k: k.Conv2D(4, 3, groups=2), (8, 8, 2), 2 * 36 * 4 * 9, 2592),
    "transposed 2D": (lambda k: k.Conv2DTranspose(4, 3, strides=2), (5, 5, 2), 2 * 25 * 2 * 36, 3600),
    "transposed 3D": (lambda k: k.Conv3DTranspose(4, 3), (4, 4, 4, 2), 2 * 64 * 2 * 108, 27_648),
    "depthwise": (lambda k: k.DepthwiseConv2D(3, depth_multiplier=2), (8, 8, 3), 2 * 36 * 6 * 9, 3888),
    # the second product also has a gradient to the first one's output
    "separable": (
        lambda k: k.SeparableConv2D(4, 3), (8, 8, 2), 2 * 36 * (2 * 9 + 2 * 4), 1872 + 2 * 36 * 8
    ),
    # a state follows from weights, an input of the first layer does not
    "LSTM": (lambda k: k.LSTM(4), (5, 3), 5 * 4 * STEP, 5 * 4 * (STEP + 2 * 4 * 4)),
    "GRU": (lambda k: k.GRU(4), (5, 3), 5 * 3 * STEP, 5 * 3 * (STEP + 2 * 4 * 4)),
    "RNN": (lambda k: k.SimpleRNN(4), (5, 3), 5 * STEP, 5 * (STEP + 2 * 4 * 4)),
    "both ways": (
        lambda k: k.Bidirectional(k.LSTM(4)), (5, 3), 2 * 5 * 4 * STEP, 2 * 5 * 4 * (STEP + 2 * 4 * 4)
    ),
    # all but the first step has a gradient to the state before it
    "unrolled LSTM": (
        lambda k: k.LSTM(4, unroll=True), (5, 3), 5 * 4 * STEP, 5 * 4 * STEP + 4 * 4 * 2 * 4 * 4
    ),
    "at every step": (lambda k: k.TimeDistributed(k.Dense(4)), (5, 3), 120, 120),
    "no product": (lambda k: k.MaxPooling2D(2), (8, 8, 2), 0, 0),
}  # fmt: skip


@pytest.mark.parametrize(("make", "shape", "forward", "gradients"), ALONE.values(), ids=ALONE)
def test_a_layer_counts_as_worked_out_by_hand(keras, make, shape, forward, gradients):
    one = model(keras, shape, make(keras.layers))
    assert (forward_flop(one), training_flop(one)) == (forward, forward + gradients)


def test_attention_counts_projections_and_both_products(keras):
    words = keras.Input((5, 6))
    attention = keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    one = keras.Model(words, attention(words, words))
    projection, product = 2 * 5 * 6 * 6, 2 * 2 * 5 * 5 * 3
    assert forward_flop(one) == 4 * projection + 2 * product
    # of the inputs of products, those of the three projections of the words need no gradient
    assert training_flop(one) == forward_flop(one) + 4 * projection + projection + 4 * product


def test_a_shared_layer_counts_at_every_application_and_nested_models_count(keras):
    head = keras.Sequential([keras.Input((None, None, 2)), keras.layers.Conv2D(4, 3, padding="same")])
    levels = [keras.Input((size, size, 2)) for size in (8, 4)]
    before = keras.layers.Conv2D(2, 1)
    one = keras.Model(levels, {str(level.shape): head(before(level)) for level in levels})
    first, second = 2 * 80 * 4, 2 * 80 * 4 * 18
    assert forward_flop(one) == first + second
    assert training_flop(one) == 2 * first + 3 * second
    with pytest.raises(ValueError, match="fixed"):  # of the inside of a nested model
        layers.model_flop(one, backward=False)


def test_frozen_layers_have_no_gradients(keras):
    frozen, last = keras.layers.Dense(4, trainable=False), keras.layers.Dense(5)
    one = model(keras, (3,), frozen, last)
    assert training_flop(one) == 24 + 2 * 40 == layers.model_flop(one, backward=True)
    assert training_flop(one, input_gradients=True) == 2 * 24 + 3 * 40
    last.trainable = False
    assert training_flop(one) == forward_flop(one) == 24 + 40
    assert training_flop(one, input_gradients=True) == 2 * (24 + 40)
    assert layers.model_flop(one, backward=True, input_gradients=True) == 2 * (24 + 40)


def test_sixteen_bits_and_the_state_of_a_model_do_not_matter(keras):
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        one = model(keras, (8, 8, 2), keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization())
    finally:
        keras.config.set_dtype_policy("float32")
    before = [value.copy() for value in one.get_weights()]
    assert {metric.name: metric.value for metric in flop_metrics(one)} == {
        "forward_flop_per_sample": 5184, "training_flop_per_sample": 2 * 5184
    }  # fmt: skip
    assert all((new == old).all() for new, old in zip(one.get_weights(), before, strict=True))


def test_a_pyramid_and_its_heads_have_the_figures_of_the_sheet(keras):
    tensors = [
        keras.Input((768 // stride, 1152 // stride, channels))
        for stride, channels in ((4, 256), (8, 512), (16, 1024), (32, 2048))
    ]
    sides = [keras.layers.Conv2D(256, 1)(one) for one in tensors]
    levels = [keras.layers.Conv2D(256, 3, padding="same")(one) for one in sides]
    pyramid = keras.Model(tensors, levels)
    assert round(forward_flop(pyramid) / 1e9, 1) == 100.2
    shared, scores, boxes = (
        keras.layers.Conv2D(filters, size, padding="same") for filters, size in ((256, 3), (3, 1), (12, 1))
    )
    inputs = [keras.Input((768 // stride, 1152 // stride, 256)) for stride in (4, 8, 16, 32, 64)]
    proposals = keras.Model(inputs, [[scores(shared(one)), boxes(shared(one))] for one in inputs])
    once = keras.Model(inputs, [[scores(tensor), boxes(tensor)] for tensor in map(shared, inputs)])
    assert round(forward_flop(once) / 1e9, 1) == 87.5
    assert forward_flop(proposals) > 1.9 * forward_flop(once)  # applied twice, it counts twice
    regions = keras.Input((512, 12_544))
    hidden = keras.layers.Dense(1024)(keras.layers.Dense(1024)(regions))
    head = keras.Model(regions, [keras.layers.Dense(5)(hidden), keras.layers.Dense(20)(hidden)])
    assert round(forward_flop(head) / 1e9, 1) == 14.3


def test_our_workloads_count_as_their_kernels():
    small = p1b1.WORKLOAD.typed(
        p1b1.WORKLOAD.resolve({"outer_width": 20, "inner_width": 6, "latent_width": 2})
    )
    one = p1b1.build(30, small, 1)
    kernels = [30 * 20, 20 * 6, 6 * 2, 2 * 6, 6 * 20, 20 * 30]
    assert forward_flop(one) == 2 * sum(kernels)
    assert (
        training_flop(one) == 3 * forward_flop(one) - 2 * kernels[0] == layers.model_flop(one, backward=True)
    )
    widths = {"shared_width": 8, "first_width": 6, "second_width": 5}
    three = p3b1.build(10, (2, 3), p3b1.WORKLOAD.typed(p3b1.WORKLOAD.resolve(widths)))
    assert [forward_flop(one) for one in three] == [2 * (80 + 48 + 30 + 5 * classes) for classes in (2, 3)]


def test_the_genes_classifier_counts_its_convolutions_at_every_place():
    from workloads.runtime.collectives import Ranks

    small = nt3.WORKLOAD.typed(nt3.WORKLOAD.resolve({"filters": 4, "first_width": 6, "second_width": 5}))
    one = nt3.build(100, small, 0.001, Ranks(Context(seed=1, slot=SlotView())))
    first, second = 2 * 81 * 20 * 4, 2 * 72 * 10 * 4 * 4
    dense = 2 * (7 * 4 * 6 + 6 * 5 + 5 * 2)
    assert forward_flop(one) == first + second + dense
    assert training_flop(one) == 2 * first + 3 * (second + dense) == layers.model_flop(one, backward=True)


def test_a_function_counts_without_a_model():
    import tensorflow as tf

    from workloads.lstm import Layer

    layer = Layer(6, 0.01)
    sequences = tf.TensorSpec((4, 1, 6), tf.float32)
    assert function_flop(layer.output_of, sequences) == 4 * 2 * 12 * 24
    given = tf.constant([[1.0, 2.0]])
    assert function_flop(lambda one: {"sum": one @ tf.transpose(one), "unused": 1.0}, given) == 2 * 2
    assert function_flop(lambda one: [one @ one[:, :, :2], tf.reduce_sum(one)], tf.zeros((3, 2, 2))) == 3 * 16


@pytest.mark.parametrize("choose", ["cond", "switch_case"])
def test_the_branch_with_the_most_flop_counts_with_its_gradient(choose):
    import tensorflow as tf

    def chosen(tensor):
        def once():
            return tensor @ tensor

        def twice():
            return tensor @ tensor @ tensor

        if choose == "cond":
            return tf.cond(tensor[0, 0] > 0, once, twice)
        return tf.switch_case(tf.cast(tensor[0, 0], tf.int32), [once, lambda: tensor, twice])

    def gradient(tensor):
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            result = chosen(tensor)
        return result, tape.gradient(result, tensor)

    product, given = 2 * 3 * 3 * 3, tf.TensorSpec((3, 3), tf.float32)
    assert function_flop(chosen, given) == 2 * product
    assert function_flop(gradient, given) == (2 + 4) * product


def test_what_cannot_be_counted_is_named(keras):
    import tensorflow as tf

    def unknown(tensor):
        return tf.numpy_function(lambda one: one, [tensor], tf.float32, name="mystery")

    def endless(tensor):
        return tf.while_loop(lambda one: tf.reduce_sum(one) < 9, lambda one: (one @ one,), (tensor,))

    def mapped(tensor):
        step = tf.function(lambda one: one @ one).get_concrete_function(tf.TensorSpec((2, 2)))
        return tf.raw_ops.MapDefun(
            arguments=[tensor[None]], captured_inputs=[], output_types=[tf.float32],
            output_shapes=[(2, 2)], f=step,
        )  # fmt: skip

    given = tf.TensorSpec((2, 2), tf.float32)
    with pytest.raises(ValueError, match="operation MapDefun is not known"):
        function_flop(mapped, given)
    with pytest.raises(ValueError, match=r"mystery: operation .*PyFunc is not known"):
        function_flop(unknown, given)
    with pytest.raises(ValueError, match="while: the number of turns of this loop is not known"):
        function_flop(endless, given)
    with pytest.raises(ValueError, match=r"the shape .* is not fixed"):
        forward_flop(model(keras, (None, 8, 2), keras.layers.Conv2D(4, 3)))
    own = type("Own", (keras.Model,), {"call": lambda self, one: one})(name="mine")
    with pytest.raises(ValueError, match="mine: the model has no declared inputs"):
        forward_flop(own)
    with pytest.raises(ValueError, match="not functional"):
        layers.model_flop(type("With", (), {"inputs": [], "name": "mine"})(), backward=False)
    with pytest.raises(ValueError, match="FLOP of layer wave: LSTM is not known"):
        layers.model_flop(model(keras, (5, 3), keras.layers.LSTM(4, name="wave")), backward=False)
    with pytest.raises(ValueError, match="is not fixed"):
        layers.model_flop(model(keras, (None, 8, 2), keras.layers.Conv2D(4, 3)), backward=False)
