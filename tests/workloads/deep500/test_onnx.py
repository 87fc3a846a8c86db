from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.deep500.test_networks import measured
from workloads.description import DataError, WorkloadError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from workloads.deep500.networks import onnx_files  # noqa: E402


def saved(path, nodes=None, *, shape=("batch", 4), initializers=None, ir_version=8, opset=17, domains=()):
    """Write a small network: y = relu(x · w)."""
    nodes = nodes or [
        helper.make_node("MatMul", ["x", "w"], ["z"], name="product"),
        helper.make_node("Relu", ["z"], ["y"], name="rectifier"),
    ]
    weights = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [shape[0], 3])],
        initializers or [numpy_helper.from_array(weights, "w")],
    )
    opsets = [helper.make_opsetid(name, version) for name, version in (("", opset), *domains)]
    path.write_bytes(
        helper.make_model(graph, ir_version=ir_version, opset_imports=opsets).SerializeToString()
    )
    return path


def measured_file(path, **parameters):
    return measured("lstm", framework="onnxruntime", onnx_file=str(path), **parameters)


def test_a_file_is_run_and_compared_with_the_evaluator(tmp_path):
    path = saved(tmp_path / "small, größe.onnx")
    metrics, observed = measured_file(path, batch_size=5, operator_times=True)
    assert metrics["error_over_bound"] <= 1
    assert metrics["weight_elements"] == 12
    assert metrics["operators"] == 2
    assert observed["onnx_operators"] == {"MatMul": 1, "Relu": 1}
    assert observed["onnx_opset"] == 17
    assert observed["intra_op_threads"] == 1
    assert observed["reference"].startswith("onnx.reference")


def test_a_runtime_that_computes_another_network_is_invalid(tmp_path, monkeypatch):
    from workloads.deep500.networks.onnx_execution import OnnxNetwork

    def wrong(self, name, model, *more):
        other = onnx.ModelProto()
        other.CopyFrom(model)
        other.graph.node[1].op_type = "Abs"
        right(self, name, other, *more)

    right = OnnxNetwork.__init__
    monkeypatch.setattr(OnnxNetwork, "__init__", wrong)
    assert measured_file(saved(tmp_path / "small.onnx"))[0]["error_over_bound"] > 1


@pytest.mark.usefixtures("tensorflow_on_one_thread")
@pytest.mark.parametrize("network", ["resnet50_v15", "googlenet", "nt3", "p1b1", "lstm", "p3b1"])
def test_exported_networks_are_valid(network):
    metrics, observed = measured(network, framework="onnxruntime", operator_times=network == "nt3")
    assert 0 < metrics["error_over_bound"] <= 1
    assert observed["framework"] == "onnxruntime"


def test_exported_weights_are_those_of_the_frameworks():
    digests = {measured("lstm", framework=one)[1]["weights_sha256"] for one in ("tensorflow", "onnxruntime")}
    assert len(digests) == 1


def test_a_wrong_weight_of_an_export_is_found(monkeypatch):
    from workloads.deep500.networks import onnx_export

    def wrong(graph, weights, batch_size):
        return right(graph, [weights[0] * np.float32(1.001), *weights[1:]], batch_size)

    right = onnx_export.export
    monkeypatch.setattr(onnx_export, "export", wrong)
    assert measured("p1b1", framework="onnxruntime")[0]["error_over_bound"] > 1


def test_broken_files_are_refused(tmp_path):
    whole = saved(tmp_path / "whole.onnx").read_bytes()
    for name, content in {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "text": b"not a network\n\0",
        "controls": bytes(range(256)),
    }.items():
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(content)
        with pytest.raises(DataError, match=rf"{name}\.onnx is no ONNX model"):
            onnx_files.read(path)
    with pytest.raises(DataError, match="there is no such file; onnx_file is a path on the node"):
        onnx_files.read(tmp_path / "missing.onnx")
    with pytest.raises(DataError, match="there is no such file"):
        onnx_files.read(tmp_path)


def test_an_unknown_operator_is_named_with_its_node(tmp_path):
    nodes = [
        helper.make_node("Wobble", ["x"], ["z"], name="first"),
        helper.make_node("Frobnicate", ["z"], ["y"], domain="com.example"),
    ]
    path = saved(tmp_path / "a.onnx", nodes, domains=[("com.example", 1)])
    wanted = r"ONNX has no operator Wobble \(node first\), com\.example\.Frobnicate \(node 1\)$"
    with pytest.raises(DataError, match=wanted):
        onnx_files.read(path)


def test_an_operator_that_the_runtime_lacks_is_named(tmp_path):
    node = helper.make_node("StringNormalizer", ["x"], ["y"], name="strings")
    with pytest.raises(WorkloadError, match=r"StringNormalizer|strings"):
        measured_file(saved(tmp_path / "a.onnx", [node]))


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"ir_version": 99}, r"has IR version 99, and onnx .* knows versions up to \d+: install a newer"),
        ({"opset": 999}, r"has operators of opset 999, and onnx .* knows opsets up to \d+: install a newer"),
    ],
)
def test_a_newer_file_is_refused(tmp_path, changes, wanted):
    with pytest.raises(DataError, match=wanted):
        onnx_files.read(saved(tmp_path / "a.onnx", **changes))


def test_open_dimensions_are_refused(tmp_path):
    path = saved(tmp_path / "a.onnx", shape=("batch", "length"))
    with pytest.raises(DataError, match=r"dimension 1 of input x is open \(length\): fix it in the file"):
        measured_file(path)


def test_huge_dimensions_are_refused_before_anything_is_drawn(tmp_path):
    huge = TensorProto(data_type=TensorProto.FLOAT, name="w", dims=[4, 10**12], raw_data=b"\0" * 16)
    with pytest.raises(WorkloadError, match=r"needs about \d+\.\d GiB of memory, and its slot has"):
        measured_file(saved(tmp_path / "weights.onnx", initializers=[huge]))
    relu = [helper.make_node("Relu", ["x"], ["y"])]
    path = saved(tmp_path / "input.onnx", relu, shape=(10**6, 10**6, 3))
    with pytest.raises(WorkloadError, match=r"needs about \d+\.\d GiB of memory, and its slot has"):
        measured_file(path)
