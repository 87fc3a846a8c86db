from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.deep500.test_onnx import saved
from workloads.description import DataError, WorkloadError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from workloads.deep500.networks.onnx_edit import EditableNetwork  # noqa: E402
from workloads.deep500.networks.onnx_execution import OnnxNetwork  # noqa: E402

ROWS = np.array([[1, -2, 0.5, 0], [0, 1, 0, -1]], np.float32)
WEIGHTS = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)


@pytest.fixture
def network(tmp_path):
    """y = relu(x · w) of two rows."""
    found = EditableNetwork.of_file(saved(tmp_path / "small.onnx"), batch_size=2)
    found.feed("x", ROWS)
    return found


def outputs(network, *names):
    return [array.tolist() for array in network.fetch(*names)]


def near(array):
    return pytest.approx(np.asarray(array), abs=1e-6)


def test_tensors_of_any_place_are_fetched(network):
    product, result = network.fetch("z", "y")
    assert product == near(ROWS @ WEIGHTS)
    assert result == near(np.maximum(ROWS @ WEIGHTS, 0))
    assert network.fetch()[0] == near(result)
    assert network.error_over_bound <= 1


def test_a_node_is_added_connected_and_made_the_output(network):
    network.add_node("Tanh", ["z"], ["bounded"])
    network.add_edge("bounded", node="rectifier", position=0)
    assert network.nodes == ("product", "bounded", "rectifier")
    assert network.fetch()[0] == near(np.maximum(np.tanh(ROWS @ WEIGHTS), 0))
    network.add_node("Softmax", ["y"], ["shares"], name="last", axis=1)
    network.set_output("y", "shares")
    assert network.fetch()[0].sum(axis=1) == near([1, 1])


def test_others_take_the_input_of_a_node_that_is_removed(network):
    network.add_node("Neg", ["y"], ["negative"])
    network.set_output("y", "negative")
    network.remove_node("rectifier")
    assert network.fetch()[0] == near(-(ROWS @ WEIGHTS))


def test_a_weight_is_fed(network):
    network.feed("w", np.ones((4, 3)))
    assert network.fetch("z")[0] == near(np.repeat(ROWS.sum(axis=1, keepdims=True), 3, axis=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda n: n.add_node("Relu", ["zz"], ["a"]), "there is no tensor zz; did you mean z"),
        (lambda n: n.add_node("Relu", ["z"], ["y"], name="b"), "there is a tensor y already"),
        (lambda n: n.add_node("Relu", ["z"], ["a"], name="product"), "there is a node product already"),
        (
            lambda n: n.add_node("Wobble", ["z"], ["a"]),
            "add_node a is undone: .* ONNX has no operator Wobble",
        ),
        (lambda n: n.add_node("MatMul", ["z", "z"], ["a"]), "add_node a is undone: .*contradict"),
        (lambda n: n.add_edge("y", "product", 0), "is undone: nodes would take tensors of each other: "),
        (lambda n: n.add_edge("z", "rectifier", 2), "has 1 inputs; position 2 must be from 0 to 1"),
        (lambda n: n.remove_node("rectifer"), "there is no node rectifer; did you mean rectifier"),
        (
            lambda n: n.remove_node("rectifier"),
            "y of node rectifier is an output of the network: name another",
        ),
        (lambda n: n.remove_node("product"), None),
        (lambda n: n.feed("w", np.ones(3)), r"w has shape \(4, 3\), not \(3,\)"),
        (lambda n: n.fetch("nowhere"), "there is no tensor nowhere"),
    ],
)
def test_a_change_that_cannot_be_is_undone(network, change, message):
    before, nodes = outputs(network), network.nodes
    if message is None:  # the output keeps the shape that the file states
        message = "is undone"
    with pytest.raises((DataError, WorkloadError), match=message):
        change(network)
    assert (outputs(network), network.nodes) == (before, nodes)


def test_a_runtime_that_computes_another_network_undoes_a_change(network, monkeypatch):
    right = OnnxNetwork.call
    monkeypatch.setattr(OnnxNetwork, "call", lambda self: [array * 1.01 for array in right(self)])
    with pytest.raises(WorkloadError, match=r"add_node a is undone: .* tolerances away from onnx\.reference"):
        network.add_node("Relu", ["z"], ["a"])
    assert network.nodes == ("product", "rectifier")
