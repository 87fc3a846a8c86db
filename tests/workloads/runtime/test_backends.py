"""The other frameworks compute what TensorFlow computes, and are held to their slot like it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.requirements import needs
from tests.workloads.orders import call, send
from tests.workloads.runtime.test_cuda import Driver
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data import p1b2 as p1b2_data
from workloads.candle.data import p3b1 as p3b1_data
from workloads.context import Context, SlotView
from workloads.description import WorkloadError
from workloads.runtime import backends, cuda
from workloads.runtime.framework import FRAMEWORK, PRECISION, configure_framework

OTHERS = [name for name in FRAMEWORK.choices if name != FRAMEWORK.default]
GPU = "GPU-5f0c2b16-6f0e-4a6e-9a50-0d2f2c3f4a5b"
GIB = 2**30
# Gradients and losses of these sizes differ by a few roundings of float32.
CLOSE = {"rtol": 2e-4, "atol": 2e-6}


@pytest.fixture(scope="module", params=OTHERS)
def other(request):
    needs(request.param)
    return request.param


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("numbers"), {}

    def of(framework):
        if framework not in found:
            file = folder / f"{framework}.npz"
            call("tests.workloads.runtime.backend_numbers:main", framework, str(file), framework=framework)
            with np.load(file) as arrays:
                found[framework] = dict(arrays)
        return found[framework]

    return of


@pytest.fixture(scope="module")
def pair(numbers, other):
    return numbers("tensorflow"), numbers(other)


def result(report):
    assert "result" in report.last, (report.last, report.stderr)
    return report.last["result"]


def metrics(report):
    return {
        metric["name"]: metric["value"]
        for metric in result(report)["metrics"]
        if "_file_" not in metric["name"]  # times of reading
    }


@pytest.mark.slow
def test_every_number_is_there_on_every_framework(pair):
    ours, theirs = pair
    assert ours.keys() == theirs.keys()
    assert sum(name.startswith("convnet.gradient_") for name in ours) == 2 * (1 + 6 + 2) + 1


@pytest.mark.slow
@pytest.mark.parametrize("part", ["convnet", "lstm", "assigned", "trained"])
def test_the_same_weights_give_the_same_numbers(pair, part):
    ours, theirs = pair
    for name, value in ours.items():
        if name.startswith(part) and value.dtype != bool:
            np.testing.assert_allclose(theirs[name], value, **CLOSE, err_msg=name)


@pytest.mark.slow
def test_networks_have_the_same_sizes(pair):
    ours, theirs = pair
    sized = [name for name in ours if name.endswith(("parameters", "flop"))]
    assert len(sized) == 2 + 1 + 1
    assert {name: int(theirs[name]) for name in sized} == {name: int(ours[name]) for name in sized}


@pytest.mark.slow
def test_a_step_reads_what_there_is_and_changes_nothing(pair):
    for numbers in pair:
        for name in ("unchanged", "reads_images", "reads_labels", "reads_weights"):
            assert numbers[f"convnet.{name}"], name


@pytest.mark.slow
def test_the_gradient_of_every_variable_was_computed(pair):
    for numbers in pair:
        gradients = [value for name, value in numbers.items() if name.startswith("convnet.gradient_")]
        assert all(np.linalg.norm(gradient) > 0 for gradient in gradients)
        assert (np.diff(numbers["lstm.losses"]) < 0).all()


@pytest.mark.slow
def test_a_convnet_runs_and_says_what_it_ran_on(other, run):
    small = {"batch_size": 2, "image_size": 67, "width_divisor": 16, "steps": 3, "burn_in": 2}
    ours = run("alexnet", small)
    report = send("alexnet", small | {"framework": other})
    assert report.marks == ["ready", "run_start", "timed_window_start", "timed_window_stop", "run_stop"]
    found, seen = metrics(report), result(report)["seen"]
    assert len(report.stdout.splitlines()) == 1 + 3
    assert result(report)["fom_seconds"] == found["training_seconds_per_batch"] > 0
    assert found["gradient_norm"] > 0
    for size in ("trainable_parameters", "forward_flop_per_sample", "training_flop_per_sample"):
        assert found[size] == ours.metric(size)
    assert seen["framework"] == seen["keras_backend"] == other
    assert (seen["precision"], seen["tensor_float32"], seen["deterministic"]) == ("float32", False, True)
    assert (seen["gpus"], seen["device_memory_bytes"]) == ([], None)
    assert seen["framework_version"][0].isdigit()
    assert seen["keras_version"].startswith("3.")
    assert len(seen["devices"]) == 1
    assert "cpu" in seen["devices"][0]
    assert seen["intra_op_threads"] == 1
    assert seen["process_threads"] >= 1


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_the_lstm_runs_on_every_core_of_its_slot_with_half_the_precision(other):
    small = {"batch_size": 8, "hidden_width": 16, "sequence_length": 5, "steps": 10}
    report = send("lstm", small | {"framework": other, "precision": "mixed_float16"}, cores=[0, 1])
    found = metrics(report)
    assert found["last_loss"] < found["first_loss"]
    assert found["trainable_parameters"] == 4 * (32 * 16 + 16)
    assert result(report)["seen"]["intra_op_threads"] == 2
    seen = result(report)["seen"]
    assert seen["precision_asked"] == "mixed_float16"
    # On a CPU, Keras computes products of PyTorch's float16 tensors in float32, and that is measured.
    assert seen["precision"] == ("float32" if other == "torch" else "mixed_float16")


@pytest.mark.slow
def test_tensorflow_is_not_imported_beside_another_framework(other, tmp_path):
    p1b2_data.make(tmp_path, 7, train_rows=120, test_rows=60, features=40)
    small = {"epochs": 1, "first_width": 10, "second_width": 10, "third_width": 10, "framework": other}
    report = send("p1b2", small, data=str(tmp_path))
    versions = result(report)["documents"][0]["versions"]
    assert other in versions
    assert "tensorflow" not in versions


@pytest.mark.slow
def test_p1b1_learns_as_well_and_a_seed_gives_the_same_again(other, tmp_path, run):
    p1b1_data.make(tmp_path, 7, train_rows=200, test_rows=60, features=200, cancer_types=6)
    small = {"outer_width": 100, "inner_width": 30, "latent_width": 8, "batch_size": 20, "epochs": 10}
    ours = run("p1b1", small, tmp_path).result.accuracy
    first, again = (send("p1b1", small | {"framework": other}, data=str(tmp_path)) for _ in range(2))
    assert first.marks == ["ready", "run_start", "run_stop"]
    assert result(first)["accuracy"] == pytest.approx(ours, abs=0.15)
    assert metrics(first)["val_loss"] < metrics(first)["first_epoch_val_loss"]
    assert metrics(first)["train_batch_correlation"] > 0.7
    assert metrics(first) == metrics(again)


@pytest.mark.slow
def test_p3b1_learns_as_well_with_half_the_precision(other, tmp_path, run):
    p3b1_data.make(
        tmp_path, 7, features=200, site_train_rows=400, site_test_rows=60, site_classes=4,
        laterality_train_rows=150, laterality_test_rows=40, grade_train_rows=300, grade_test_rows=50,
    )  # fmt: skip
    small = {"shared_width": 60, "first_width": 40, "second_width": 40, "learning_rate": 0.05, "epochs": 8}
    ours = run("p3b1", small, tmp_path).result.accuracy
    half = {"framework": other, "precision": "mixed_float16"}
    theirs = result(send("p3b1", small | half, data=str(tmp_path)))
    assert theirs["accuracy"] == pytest.approx(ours, abs=0.15)


@pytest.mark.parametrize("precision", PRECISION.choices)
def test_p1b1_trains_with_every_arithmetic(precision, tmp_path, run):
    import keras

    p1b1_data.make(tmp_path, 7, train_rows=80, test_rows=20, features=50, cancer_types=3)
    small = {"outer_width": 20, "inner_width": 10, "latent_width": 4, "batch_size": 20, "epochs": 3}
    try:
        done = run("p1b1", small | {"precision": precision}, tmp_path)
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        scaled = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    finally:
        configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    assert scaled is (precision == "mixed_float16")
    assert done.metric("val_loss") < done.metric("first_epoch_val_loss")
    assert -1 <= done.metric("train_batch_correlation") <= 1


def test_a_process_keeps_its_framework(other):
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    with pytest.raises(RuntimeError, match=f"Keras already runs on tensorflow in this process, not {other}"):
        configure_framework(Context(seed=1, slot=SlotView(cores=(0,))), other)


@pytest.mark.parametrize("framework", FRAMEWORK.choices)
def test_a_framework_that_is_not_installed_is_named(framework, monkeypatch):
    monkeypatch.setattr("workloads.runtime.framework.find_spec", lambda _: None)
    said = f"^{backends.load(framework).TITLE} is not installed for {sys.executable}$"
    with pytest.raises(WorkloadError, match=said):
        configure_framework(Context(seed=1, slot=SlotView(cores=(0,))), framework)


def test_a_gpu_that_is_not_there_is_refused(other):
    report = send("lstm", {"framework": other}, devices=[GPU])
    assert report.last["error"]["kind"] == "exception"
    title = backends.load(other).TITLE
    assert f"the slot has 1 GPUs and {title} " in report.last["error"]["message"]
    assert "sees 0" in report.last["error"]["message"]


def test_tensorflow_gets_its_share_of_every_gpu_in_mebibytes(monkeypatch):
    import tensorflow as tf

    given, grows = {}, {}
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: ["one", "two"])
    monkeypatch.setattr(tf.config.experimental, "set_memory_growth", grows.__setitem__)
    monkeypatch.setattr(tf.config, "set_logical_device_configuration", given.__setitem__)
    monkeypatch.setattr(tf.config, "get_logical_device_configuration", lambda gpu: given[gpu])
    module = backends.load("tensorflow")
    assert module._limit_memory(10 * GIB + 7) == 10 * GIB
    assert {gpu: [one.memory_limit for one in share] for gpu, share in given.items()} == {
        "one": [10 * 1024],
        "two": [10 * 1024],
    }
    given.clear()
    assert module._limit_memory(None) is None
    assert given == {}
    assert grows == {"one": False, "two": False}


def test_jax_gets_its_share_of_the_largest_gpu_as_a_fraction(monkeypatch):
    monkeypatch.setattr(cuda, "open_driver", lambda: Driver(sizes=[40 * GIB, 80 * GIB]))
    module = backends.load("jax")

    def environment(**slot):
        return module.environment(Context(seed=1, slot=SlotView(cores=(0, 1, 2), **slot)), 3)

    values = environment(devices=(GPU,), device_memory_bytes=20 * GIB)
    assert values == {
        "PJRT_NPROC": "3",
        "JAX_PLATFORMS": "",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "true",
        "XLA_CLIENT_MEM_FRACTION": "0.250000000",
        "XLA_PYTHON_CLIENT_MEM_FRACTION": "",
    }
    assert environment(devices=(GPU,)) == {"PJRT_NPROC": "3", "JAX_PLATFORMS": ""}
    assert environment(device_memory_bytes=GIB) == {"PJRT_NPROC": "3", "JAX_PLATFORMS": "cpu"}


def test_pytorch_gets_its_share_of_every_gpu_as_a_fraction(monkeypatch):
    totals, given = [40 * GIB, 16 * GIB], {}
    gpus = SimpleNamespace(
        device_count=lambda: len(totals),
        get_device_properties=lambda ordinal: SimpleNamespace(total_memory=totals[ordinal]),
        set_per_process_memory_fraction=lambda share, ordinal: given.__setitem__(ordinal, share),
        get_per_process_memory_fraction=lambda ordinal: given[ordinal],
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=gpus))
    module = backends.load("torch")
    assert module._limit_memory(20 * GIB) == 20 * GIB
    assert given == {0: 0.5, 1: 1.0}
    given.clear()
    assert module._limit_memory(None) is None
    assert given == {}


def test_what_jax_says_of_its_gpus_is_what_is_reported(monkeypatch):
    device = SimpleNamespace(
        platform="gpu", device_kind="NVIDIA X", memory_stats=lambda: {"bytes_limit": GIB}
    )
    settings = SimpleNamespace(update=lambda name, value: setattr(settings, name, value))
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(local_devices=lambda: [device], config=settings))
    module = backends.load("jax")
    slot = SlotView(cores=(0,), devices=(GPU,))
    assert module.gpu_names() == ["NVIDIA X"]
    shared = Context(seed=1, slot=replace(slot, device_memory_bytes=2 * GIB))
    capped = module.configure(shared, 1, "tensor_float32")
    whole = module.configure(Context(seed=1, slot=slot), 1, "mixed_bfloat16")
    assert (capped["device_memory_bytes"], whole["device_memory_bytes"]) == (GIB, None)
    assert (capped["tensor_float32"], whole["tensor_float32"]) == (True, False)
    assert capped["deterministic"] is False
