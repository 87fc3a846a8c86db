from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.micro_batching import partitions
from workloads.description import WorkloadError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("scipy")

from tests.workloads.deep500.test_networks import measured  # noqa: E402
from tests.workloads.deep500.test_onnx import saved  # noqa: E402
from workloads.deep500.networks import micro_batches, onnx_files  # noqa: E402
from workloads.deep500.networks.micro_batches import Cost, chosen, sizes, split  # noqa: E402
from workloads.deep500.networks.onnx_execution import OnnxNetwork  # noqa: E402


def test_sizes_of_parts():
    assert sizes("powers_of_two", 12) == (1, 2, 4, 8, 12)
    assert sizes("powers_of_two", 8) == (1, 2, 4, 8)
    assert sizes("any", 3) == (1, 2, 3)
    assert partitions(4, [1, 2, 4]) == [(4,), (2, 2), (2, 1, 1), (1, 1, 1, 1)]


@settings(max_examples=30, deadline=None)
@given(data=st.data(), batch=st.integers(1, 8), limit=st.integers(1, 60))
def test_the_parts_are_the_best_of_all(data, batch, limit):
    costs = {
        size: Cost(data.draw(st.floats(0.01, 10)), data.draw(st.integers(1, 100)))
        for size in sizes("any", batch)
    }
    allowed = [size for size, cost in costs.items() if cost.memory_bytes <= limit]
    every = [sum(costs[size].seconds for size in parts) for parts in partitions(batch, allowed)]
    if not every:
        with pytest.raises(WorkloadError, match=f"no parts of {batch} samples stay within {limit} bytes"):
            chosen(costs, batch, limit)
        return
    parts = chosen(costs, batch, limit)
    assert sum(parts) == batch
    assert set(parts) <= set(allowed)
    assert list(parts) == sorted(parts, reverse=True)
    assert sum(costs[size].seconds for size in parts) == pytest.approx(min(every))


def test_without_a_limit_memory_does_not_matter():
    costs = {1: Cost(1.0, 1), 2: Cost(1.5, 10**12)}
    assert chosen(costs, 4) == (2, 2)
    assert chosen(costs, 4, 5) == (1, 1, 1, 1)


@pytest.mark.parametrize("parts", [(5,), (3, 2), (2, 2, 1), (1,) * 5])
def test_a_split_network_has_the_same_outputs(tmp_path, parts):
    path = saved(tmp_path / "small.onnx")
    model = onnx_files.read(path)
    onnx_files.fix_batch(path, model, 5)
    rows = {"x": np.random.default_rng(2).standard_normal((5, 4)).astype(np.float32)}
    whole, changed = (OnnxNetwork("small", one, rows, 1).call() for one in (model, split(model, parts)))
    np.testing.assert_allclose(changed[0], whole[0], rtol=1e-6)
    assert len(split(model, parts).graph.node) == (2 if len(parts) == 1 else 2 + 2 * len(parts))


def test_costs_of_calls():
    blocks = {1: lambda: np.ones(2**20, np.uint8), 16: lambda: np.ones(2**24, np.uint8)}
    costs = micro_batches.measured(blocks)
    assert 0.9 * 2**24 < costs[16].memory_bytes < 1.5 * 2**24
    assert costs[1].memory_bytes < 2**22
    assert all(cost.seconds > 0 for cost in costs.values())


def test_a_network_runs_in_parts_beside_the_whole(tmp_path):
    metrics, observed = measured(
        "lstm", framework="onnxruntime", onnx_file=str(saved(tmp_path / "small.onnx")), batch_size=6,
        micro_batching="any", operator_times=True,
    )  # fmt: skip
    assert metrics["error_over_bound"] <= 1
    parts = observed["micro_batches"]
    assert sum(parts) == 6
    assert metrics["micro_batches"] == len(parts)
    assert {"whole_batch_seconds", "whole_batch_memory_bytes", "split_seconds", "split_memory_bytes"} <= set(
        metrics
    )


def test_a_network_of_the_catalogue_runs_in_parts():
    metrics, observed = measured("nt3", framework="onnxruntime", batch_size=4, micro_batching="powers_of_two")
    assert metrics["error_over_bound"] <= 1
    assert sum(observed["micro_batches"]) == 4


def test_a_limit_that_no_part_keeps_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(micro_batches, "measured", lambda calls: dict.fromkeys(calls, Cost(1.0, 4000)))
    with pytest.raises(
        WorkloadError, match="no parts of 6 samples stay within 1000 bytes of memory; one took 4000"
    ):
        measured(
            "lstm", framework="onnxruntime", onnx_file=str(saved(tmp_path / "small.onnx")), batch_size=6,
            micro_batching="any", memory_limit=1000,
        )  # fmt: skip
