from __future__ import annotations

import pytest

from tests.workloads.orders import send
from workloads.context import Context, SlotView
from workloads.runtime.framework import PRECISION, configure_framework, synchronise, trainable_parameters

ONE = Context(seed=3, slot=SlotView(cores=(0,)))


def test_what_is_in_force_is_read_back():
    seen = configure_framework(ONE)
    assert seen["framework_version"].startswith("2.")
    assert seen["keras_version"].startswith("3.")
    assert seen["keras_backend"] == seen["framework"] == "tensorflow"
    assert (seen["intra_op_threads"], seen["inter_op_threads"]) == (1, 1)
    assert seen["devices"] == ["/device:CPU:0"]
    assert seen["gpus"] == []
    assert (seen["precision"], seen["tensor_float32"], seen["deterministic"]) == ("float32", False, True)
    synchronise()


def test_every_core_of_the_slot_gets_a_thread():
    report = send(
        "lstm", {"hidden_width": 4, "batch_size": 2, "sequence_length": 2, "steps": 1}, cores=[0, 1]
    )
    assert report.last["result"]["seen"]["intra_op_threads"] == 2


@pytest.mark.parametrize("precision", PRECISION.choices)
def test_precision_is_what_was_asked_for(precision):
    import keras

    seen = configure_framework(ONE, precision=precision)
    policy = keras.config.dtype_policy().name
    configure_framework(ONE)
    assert seen["precision"] == precision
    assert policy == (precision if precision.startswith("mixed") else "float32")
    assert seen["tensor_float32"] is (precision == "tensor_float32")


def test_the_seed_decides_every_draw_whatever_its_size():
    import keras

    def draw(seed):
        configure_framework(Context(seed=seed, slot=SlotView(cores=(0,))))
        return keras.initializers.GlorotUniform()((4, 4)).numpy().tolist()

    assert draw(2**63 + 5) == draw(2**63 + 5)
    assert draw(1) != draw(2)


def test_a_slot_with_a_gpu_that_is_not_there_is_refused():
    with pytest.raises(RuntimeError, match=r"the slot has 1 GPUs and TensorFlow .* sees 0"):
        slot = SlotView(cores=(0,), devices=("GPU-5f0c2b16-6f0e-4a6e-9a50-0d2f2c3f4a5b",))
        configure_framework(Context(seed=3, slot=slot))


def test_shared_parameters_count_once():
    configure_framework(ONE)
    import keras

    given = keras.Input((3,))
    shared = keras.layers.Dense(2)(given)
    models = [keras.Model(given, keras.layers.Dense(1)(shared)) for _ in range(2)]
    assert trainable_parameters(*models) == (3 * 2 + 2) + 2 * (2 + 1)
