"""How far the micro-batches that the integer programme chooses are from the best of an exhaustive search."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Any

BATCH, WIDTH, CHANNELS = 8, 56, 32
ROUNDS = 40
LIMIT = 0.6
"""Share of the whole batch's memory that a part may take."""
NAME = Path("bench")


def main() -> None:
    """Print the CPU time of both, and their ratio."""
    if any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "scipy")):
        print("micro-batching  left out: onnxruntime or SciPy is not installed")
        return
    from workloads.deep500.networks import micro_batches, onnx_files
    from workloads.deep500.networks.onnx_execution import OnnxNetwork

    def opened(changed: Any) -> Any:
        given = onnx_files.draw_inputs(NAME, changed, 1)
        return OnnxNetwork("bench", changed, given, 1, arena=False).call

    model = network()
    parts_of = {
        size: opened(onnx_files.with_shapes(NAME, micro_batches.with_batch(model, size)))
        for size in micro_batches.sizes("any", BATCH)
    }
    costs = micro_batches.measured(parts_of)
    limit = int(LIMIT * costs[BATCH].memory_bytes)
    choice = micro_batches.chosen(costs, BATCH, limit)
    allowed = [size for size, cost in costs.items() if cost.memory_bytes <= limit]
    calls = {parts: opened(micro_batches.split(model, parts)) for parts in partitions(BATCH, allowed)}
    seconds: dict[tuple[int, ...], list[float]] = {parts: [] for parts in calls}
    for _ in range(ROUNDS):
        for parts, call in calls.items():
            begin = time.process_time()  # load by others leaves it alone; the network runs on this thread
            call()
            seconds[parts].append(time.process_time() - begin)
    shortest = {parts: min(times) for parts, times in seconds.items()}
    best = min(shortest, key=shortest.__getitem__)
    print(
        f"micro-batching  batch {BATCH}, parts of at most {LIMIT:.0%} of its memory, CPU time: "
        f"chosen {choice} "
        f"{shortest[choice] * 1e3:.2f} ms, best of {len(shortest)} by exhaustive search {best} "
        f"{shortest[best] * 1e3:.2f} ms, ratio {shortest[choice] / shortest[best]:.3f}"
    )


def partitions(batch: int, allowed: list[int]) -> list[tuple[int, ...]]:
    """Return all ways to write a batch as a sum of these sizes, largest first."""
    if batch == 0:
        return [()]
    return [
        (size, *rest)
        for size in sorted(allowed, reverse=True)
        if size <= batch
        for rest in partitions(batch - size, [other for other in allowed if other <= size])
    ]


def network() -> Any:
    """Return a network of two convolutions."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(1)
    first, second = (random.standard_normal((CHANNELS, depth, 3, 3)) / 9 for depth in (3, CHANNELS))
    nodes = [
        helper.make_node("Conv", ["x", "first"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "second"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["c"], ["y"]),
    ]
    weights = [
        numpy_helper.from_array(array.astype(np.float32), name)
        for name, array in (("first", first), ("second", second))
    ]
    shapes = {"x": (BATCH, 3, WIDTH, WIDTH), "y": (BATCH, CHANNELS, 1, 1)}
    given, made = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()
    )
    graph = helper.make_graph(nodes, "small", [given], [made], weights)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


if __name__ == "__main__":
    main()
