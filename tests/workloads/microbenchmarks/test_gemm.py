from __future__ import annotations

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.description import WorkloadError
from workloads.microbenchmarks import gemm
from workloads.microbenchmarks.gemm import WORKLOAD, GemmParameters

SMALL = {"m": 60, "n": 70, "k": 80, "seconds": 0.0, "repetitions": 3}


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_numpy_multiplies_on_cores(run, precision):
    done = run("gemm", SMALL | {"precision": precision})
    assert done.metric("flop_per_repetition") == 2 * 60 * 70 * 80
    assert done.metric("repetitions") == 3
    assert done.metric("flop_per_second_lowest") <= done.metric("flop_per_second")
    assert done.metric("largest_relative_error") < 1e-5
    assert done.result.observed["framework"] == "numpy"
    assert done.result.observe_after() == {"precision": precision, "precision_asked": precision}


@pytest.mark.parametrize(
    ("precision", "largest"), [("float32", 1e-5), ("bfloat16", 2**-7), ("float16", 2**-8)]
)
def test_tensorflow_multiplies_in_every_type(run, precision, largest):
    done = run("gemm", SMALL | {"precision": precision, "framework": "tensorflow"})
    assert 0 < done.metric("largest_relative_error") < largest
    assert done.result.observed["framework"] == "tensorflow"


def test_a_variable_that_rounds_float32_is_stated(run, monkeypatch):
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    assert gemm.precision_in_force("tensorflow", "float32")["precision"] == "bfloat16"
    assert gemm.precision_in_force("numpy", "float32")["precision"] == "float32"
    assert gemm.precision_in_force("tensorflow", "float64")["precision"] == "float64"


@pytest.mark.parametrize(
    ("framework", "precision", "gpus", "runs"),
    [
        ("auto", "float32", 0, "numpy"),
        ("auto", "float64", 0, "numpy"),
        ("auto", "bfloat16", 0, "tensorflow"),
        ("auto", "float32", 1, "tensorflow"),
        ("tensorflow", "float32", 0, "tensorflow"),
    ],
)
def test_who_multiplies(framework, precision, gpus, runs):
    assert GemmParameters(framework=framework, precision=precision).framework_on(gpus) == runs


def test_tensorflow_is_needed_only_where_it_multiplies():
    assert WORKLOAD.packages(WORKLOAD.resolve({}), 1) == ("numpy",)
    half = WORKLOAD.resolve({"precision": "float16"})
    assert WORKLOAD.packages(half, 1) == ("numpy", "keras", "tensorflow")


@pytest.mark.parametrize(
    ("parameters", "gpus", "message"),
    [
        ({"framework": "numpy", "precision": "float16"}, (), "no type float16: write framework: tensorflow"),
        ({"framework": "numpy"}, ("GPU-1",), "does not use the GPUs"),
        ({"precision": "tensor_float32"}, (), "the slot has none: write float32"),
    ],
)
def test_arithmetic_that_a_slot_does_not_have_is_refused(parameters, gpus, message):
    context = Context(seed=1, slot=SlotView(cores=(0,), devices=gpus))
    with pytest.raises(WorkloadError, match=message):
        gemm.run(GemmParameters(**parameters), context)


@pytest.mark.parametrize("wrong", [np.nan, 5.0])
def test_a_wrong_product_is_an_error(run, monkeypatch, wrong):
    monkeypatch.setattr(np, "matmul", lambda one, other, out: out.fill(wrong))
    with pytest.raises(ArithmeticError, match="float32 product of 60 x 80 and 80 x 70 is wrong"):
        run("gemm", SMALL)
