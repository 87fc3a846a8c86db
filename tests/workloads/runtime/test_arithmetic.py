"""The precision that is reported is the one that was used, whatever was asked for."""

from __future__ import annotations

import json

import pytest

from tests.requirements import needs
from tests.workloads.orders import send
from workloads.runtime.arithmetic import Arithmetic, rounded_by_variables, switch_variables

FRAMEWORKS = ["tensorflow", "jax", "torch"]
LSTM = {"batch_size": 4, "hidden_width": 8, "sequence_length": 3, "steps": 2}
VGG = {"batch_size": 2, "image_size": 32, "width_divisor": 32, "steps": 1, "burn_in": 1}


def seen(workload, parameters):
    report = send(workload, parameters)
    assert "result" in report.last, (report.last, report.stderr)
    return report.last["result"]["seen"]


@pytest.fixture(params=FRAMEWORKS)
def framework(request):
    if request.param != "tensorflow":
        needs(request.param)
    return request.param


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "tensor_float32", "mixed_bfloat16", "mixed_float16"])
def test_what_was_asked_for_is_measured_where_nothing_interferes(framework, precision):
    for workload, small in (("lstm", LSTM), ("vgg", VGG)):
        found = seen(workload, small | {"framework": framework, "precision": precision})
        # Keras makes products of float16 in float32 where PyTorch computes on a CPU, outside of layers.
        widened = (framework, workload, precision) == ("torch", "lstm", "mixed_float16")
        measured = "float32" if widened else precision
        assert (found["precision"], found["precision_asked"]) == (measured, precision), found["arithmetic"]
    assert found["arithmetic"]["variables"] == ["float32"]
    assert found["arithmetic"]["products"]


@pytest.mark.slow
def test_a_policy_that_a_module_sets_itself_is_seen(framework):
    found = seen("tests.toys.halved", {"framework": framework})
    assert (found["precision"], found["precision_asked"]) == ("mixed_bfloat16", "float32")


@pytest.mark.slow
def test_keras_default_type_of_a_configuration_file_is_seen(framework, tmp_path, monkeypatch):
    (tmp_path / "keras.json").write_text(json.dumps({"floatx": "float16", "backend": framework}))
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    found = seen("lstm", LSTM | {"framework": framework})
    assert found["precision"] != "float32"
    assert found["arithmetic"]["variables"] == ["float16"]
    assert found["precision_asked"] == "float32"
    found = seen("vgg", VGG | {"framework": framework})  # its layers are float32, its loss is not
    assert found["precision"] == "float32; Keras floatx float16"


@pytest.mark.slow
def test_onednn_that_rounds_to_bfloat16_is_seen(framework, monkeypatch):
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    found = seen("lstm", LSTM | {"framework": framework})
    assert found["precision"] == "mixed_bfloat16"
    assert found["arithmetic"]["float32_products"] == "bfloat16"
    assert found["arithmetic"]["switches"]["ONEDNN_DEFAULT_FPMATH_MODE"] == "BF16"


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"variables": ("float32",), "products": ("float32",)}, "float32"),
        ({"variables": ("float32",), "layers": ("float32",), "products": ("bfloat16",)}, "mixed_bfloat16"),
        ({"variables": ("float32",), "products": ("float16", "float32")}, "mixed_float16"),
        ({"variables": ("float16",), "products": ("float16",)}, "float16"),
        ({"variables": ("float64",)}, "float64"),
        ({"variables": ("float32",), "float32_products": "tensorfloat32"}, "tensor_float32"),
        (
            {"variables": ("float16", "float32"), "products": ("float32",)},
            "variables float16+float32; products float32",
        ),
        (
            {"variables": ("float32",), "products": ("bfloat16", "float16")},
            "variables float32; products bfloat16+float16",
        ),
        ({"variables": ("float32",), "floatx": "float16"}, "float32; Keras floatx float16"),
        ({"variables": ("float16",), "floatx": "float16"}, "float16"),
    ],
)
def test_the_name_follows_from_the_types(facts, name):
    assert Arithmetic(**facts).precision() == name


def test_variables_count_now_and_as_the_process_began(tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "self/environ").write_bytes(b"XLA_FLAGS=--a=b\0HOME=/root\0TF_ENABLE_ONEDNN_OPTS=1\0")
    found = switch_variables({"NVIDIA_TF32_OVERRIDE": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}, tmp_path)
    assert found == {"XLA_FLAGS": "--a=b", "NVIDIA_TF32_OVERRIDE": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}


@pytest.mark.parametrize(
    ("variables", "dtype"),
    [
        ({}, None),
        ({"ONEDNN_DEFAULT_FPMATH_MODE": "STRICT"}, None),
        ({"DNNL_DEFAULT_FPMATH_MODE": "bf16"}, "bfloat16"),
        ({"TF_SET_ONEDNN_FPMATH_MODE": "BF16"}, "bfloat16"),
        ({"TF_ENABLE_AUTO_MIXED_PRECISION": "1"}, "float16"),
        ({"TF_ENABLE_AUTO_MIXED_PRECISION": "0", "NVIDIA_TF32_OVERRIDE": "0"}, None),
        ({"NVIDIA_TF32_OVERRIDE": "1"}, "tensorfloat32"),
    ],
)
def test_a_variable_that_rounds_float32_is_known(variables, dtype):
    assert rounded_by_variables(variables) == dtype
