from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.orders import send
from workloads import modules
from workloads.context import Context, SlotView
from workloads.deep500.networks import benchmark, catalogue
from workloads.description import WorkloadError
from workloads.metrics.measure import recorded_metrics

SMALL = {"size": "demo", "budget_seconds": 0.0, "operator_times": False}


def measured(network: str, **parameters: object) -> tuple[dict, dict]:
    """Run in this process, and return metrics, and observations with facts."""
    resolved = benchmark.WORKLOAD.resolve(SMALL | {"network": network} | parameters)
    context = Context(seed=1, slot=SlotView(cores=(0,)))
    result = benchmark.run(benchmark.WORKLOAD.typed(resolved), context)
    figures = (*context.metrics, *result.metrics, *recorded_metrics(context))
    return {one.name: one.value for one in figures}, result.observed | result.data


@pytest.mark.parametrize("direction", ["forward", "gradient"])
@pytest.mark.parametrize("network", ["p1b1", "p3b1", "nt3", "lstm"])
def test_a_right_network_is_valid(network, direction):
    metrics, observed = measured(network, direction=direction)
    assert 0 < metrics["error_over_bound"] <= 1
    assert metrics["wallclock_seconds"] > 0
    assert observed["reference"] == "NumPy, float64"
    assert len(observed["weights_sha256"]) == 64


@pytest.mark.parametrize("direction", ["forward", "gradient"])
def test_a_wrong_weight_is_found(monkeypatch, direction):
    """The framework holds other weights than the reference: one bias of one unit."""
    from workloads.deep500.networks.keras_execution import KerasNetwork

    def wrong(self, model, graph, weights, *more, **named):
        changed = [one.copy() for one in weights]
        changed[-1][0] += 0.05
        right(self, model, graph, changed, *more, **named)

    right = KerasNetwork.__init__
    before, observed = measured("p3b1", direction=direction)
    monkeypatch.setattr(KerasNetwork, "__init__", wrong)
    after, other = measured("p3b1", direction=direction)
    assert before["error_over_bound"] <= 1 < after["error_over_bound"]
    assert observed["weights_sha256"] != other["weights_sha256"]


@pytest.mark.parametrize("direction", ["forward", "gradient"])
def test_a_wrong_layer_is_found(monkeypatch, direction):
    """The framework computes another activation than the network has."""
    from keras import activations

    from workloads.deep500.networks import keras_execution

    def wrong(model):
        dense = [layer for layer in model._flatten_layers() if type(layer).__name__ == "Dense"]
        dense[1].activation = activations.leaky_relu

    def graph_of(model):
        found = right(model)
        wrong(model)
        return found

    right = keras_execution.graph_of
    monkeypatch.setattr(keras_execution, "graph_of", graph_of)
    assert measured("nt3", direction=direction)[0]["error_over_bound"] > 1


def test_outputs_that_are_no_numbers_are_invalid(monkeypatch):
    from workloads.deep500.networks.keras_execution import KerasNetwork

    right = KerasNetwork.call
    monkeypatch.setattr(KerasNetwork, "call", lambda self: [one * np.nan for one in right(self)])
    metrics, _ = measured("lstm")
    assert metrics["error_over_bound"] == 1e300
    assert metrics["nonfinite_outputs"] == 2 * 64


def test_latencies_have_a_99th_percentile_from_100_samples_on():
    metrics, _ = measured("p3b1", latency_samples=100)
    assert 0 < metrics["latency_seconds_p50"] <= metrics["latency_seconds_p99"]
    assert metrics["latency_seconds_samples"] == 100
    metrics, _ = measured("p3b1", latency_samples=99)
    assert metrics["latency_seconds_p50"] > 0
    assert metrics["latency_seconds_samples"] == 99
    assert "latency_seconds_p99" not in metrics
    assert not any(name.startswith("latency") for name in measured("p3b1")[0])


def test_the_overhead_is_the_network_less_its_operators():
    metrics, _ = measured("p1b1", operator_times=True)
    assert metrics["framework_overhead_seconds"] == pytest.approx(
        metrics["wallclock_seconds"] - metrics["operator_seconds"]
    )
    assert metrics["operators"] == metrics["distinct_operators"] == 6


def test_a_network_that_does_not_fit_is_refused():
    wanted = r"^needs about 3\.6 GiB of memory, and its slot has 1\.0 GiB"
    with pytest.raises(WorkloadError, match=wanted):
        benchmark.WORKLOAD.check_memory(benchmark.WORKLOAD.resolve({"network": "p1b1"}), 2**30)


def test_real_sizes_are_those_of_the_benchmarks():
    from workloads.deep500.networks.keras_execution import described
    from workloads.runtime.framework import configure_framework

    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    for name, size in catalogue.SIZES:
        graph = described(benchmark.NetworkParameters(network=name, size=size))
        assert graph.size == catalogue.SIZES[name, size], name
        if size == catalogue.REAL:
            trained = sum(np.prod(one.shape, dtype=int) for one in graph.weights if one.trained)
            workload = "cifar10_resnet44" if name == "resnet44" else name
            assert trained == modules.workload(workload).sizes["trainable_parameters"], name


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"onnx_file": "x.onnx"}, "runs through onnxruntime, not tensorflow: write framework: onnxruntime"),
        (
            {"framework": "onnxruntime", "direction": "gradient"},
            "computes no gradients: write direction: for",
        ),
        (
            {"framework": "onnxruntime", "precision": "float16"},
            "float32 through onnxruntime here, not float16",
        ),
        ({"latency_samples": 1, "direction": "gradient"}, "latency_samples are of inference"),
    ],
)
def test_contradicting_parameters_are_refused(parameters, wanted):
    with pytest.raises(WorkloadError, match=wanted):
        benchmark.NetworkParameters(**parameters).check_ranks(1)


def test_a_point_needs_the_packages_of_its_framework():
    def packages(**parameters: str) -> tuple[str, ...]:
        return benchmark.WORKLOAD.packages(benchmark.WORKLOAD.resolve(parameters), 1)

    assert packages(framework="torch") == ("numpy", "keras", "torch")
    assert packages(framework="onnxruntime") == ("numpy", "onnx", "onnxruntime", "keras", "tensorflow")
    assert packages(framework="onnxruntime", onnx_file="x.onnx") == ("numpy", "onnx", "onnxruntime")


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_other_frameworks_have_the_same_weights_and_are_valid(framework):
    pytest.importorskip(framework)
    _, observed = measured("lstm")
    parameters = SMALL | {"network": "lstm", "framework": framework, "precision": "bfloat16"}
    lines = send("deep500_network", parameters | {"direction": "gradient"}).lines
    (result,) = (one["result"] for one in lines if "result" in one)
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["error_over_bound"] <= 1
    assert result["data"]["weights_sha256"] == observed["weights_sha256"]
    assert result["seen"]["precision"] == "mixed_bfloat16"
