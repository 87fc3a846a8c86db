"""Micro-batches: a network that takes its batch in parts, so that less memory is in use at once.

The parts are chosen as an integer programme (Oyama et al., Accelerating deep learning frameworks with
micro-batches, IEEE Cluster 2018, there for single convolutions): of the sizes b that are allowed, with the
measured time t(b) and memory m(b) of the network, take n(b) parts so that Σ n(b) t(b) is least,
Σ n(b) b = batch, and m(b) is at most the limit where n(b) > 0.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from workloads.description import WorkloadError

_RUNS = 7


@dataclass(frozen=True, slots=True)
class Cost:
    """Measured costs of a network at one batch.

    Parameters
    ----------
    seconds
        Of the shortest of a few runs: load by others only adds to it.
    memory_bytes
        Growth of the process's resident memory at its peak within a run.
    """

    seconds: float
    memory_bytes: int


def sizes(micro_batching: str, batch: int) -> tuple[int, ...]:
    """Return the sizes that parts may have, in rising order; with the whole batch."""
    if micro_batching == "any":
        return tuple(range(1, batch + 1))
    powers = [2**power for power in range(batch.bit_length()) if 2**power < batch]
    return (*powers, batch)


def measured(calls: Mapping[int, Callable[[], Any]]) -> dict[int, Cost]:
    """Return what calls cost, once each has run; they run in turns, so that load by others meets all of them.

    Raises
    ------
    WorkloadError
        If the kernel does not reset the peak of this process's memory.
    """
    for call in calls.values():
        call()
    seconds: dict[int, list[float]] = {size: [] for size in calls}
    peaks = dict.fromkeys(calls, 0)
    for _ in range(_RUNS):
        for size, call in calls.items():
            before = _reset_peak()
            begin = time.perf_counter()
            call()
            seconds[size].append(time.perf_counter() - begin)
            peaks[size] = max(peaks[size], _status("VmHWM") - before)
    return {size: Cost(min(seconds[size]), peaks[size]) for size in calls}


def chosen(costs: Mapping[int, Cost], batch: int, limit_bytes: int = 0) -> tuple[int, ...]:
    """Return the parts of a batch that take least time within a limit of memory, largest first.

    Parameters
    ----------
    costs
        Of each size that a part may have.
    limit_bytes
        Largest memory of a part; 0: any.

    Raises
    ------
    WorkloadError
        If no parts of these sizes stay within the limit.
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    allowed = [size for size, cost in costs.items() if not limit_bytes or cost.memory_bytes <= limit_bytes]
    least = min(cost.memory_bytes for cost in costs.values())
    message = (
        f"no parts of {batch} samples stay within {limit_bytes} bytes of memory; one took {least} at least"
    )
    if not allowed:
        raise WorkloadError(message)
    found = milp(
        np.array([costs[size].seconds for size in allowed]),
        integrality=np.ones(len(allowed)),
        bounds=Bounds(0, [batch // size for size in allowed]),
        constraints=LinearConstraint(np.array([allowed]), batch, batch),
    )
    if found.x is None:
        raise WorkloadError(message)
    return tuple(
        size
        for size, count in sorted(zip(allowed, found.x, strict=True), reverse=True)
        for _ in range(round(count))
    )


def with_batch(model: Any, size: int) -> Any:
    """Return the model with another first dimension of all inputs; shapes that follow from it are left open.

    Shapes that are constants of the network, such as those of a Reshape, stay.
    """
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    weights = {weight.name for weight in copy.graph.initializer}
    for value in copy.graph.input:
        if value.name not in weights:
            value.type.tensor_type.shape.dim[0].dim_value = size
    del copy.graph.value_info[:]
    for value in copy.graph.output:
        value.type.tensor_type.ClearField("shape")
    return copy


def split(model: Any, parts: Sequence[int]) -> Any:
    """Return a network that computes the parts of its batch one after another, with the same outputs.

    Each input is split along its first dimension, every node is there once for each part, and the outputs are
    joined. Weights are shared. A single part is the network as it is.

    Parameters
    ----------
    model
        A network whose inputs and outputs all begin with the batch.
    parts
        Samples of each part.
    """
    if len(parts) == 1:
        return model
    graph = model.graph
    weights = {weight.name for weight in graph.initializer}
    inputs = [value.name for value in graph.input if value.name not in weights]
    nodes = [
        helper.make_node(
            "Split", [name, "parts"], [f"{name}/part{number}" for number in range(len(parts))], axis=0
        )
        for name in inputs
    ]
    for number in range(len(parts)):
        for place, node in enumerate(graph.node):
            copy = onnx.NodeProto.FromString(node.SerializeToString())
            copy.name = f"{node.name or place}/part{number}"
            copy.input[:] = [_part(name, number, weights) for name in node.input]
            copy.output[:] = [_part(name, number, weights) for name in node.output]
            nodes.append(copy)
    nodes += [
        helper.make_node(
            "Concat", [f"{value.name}/part{number}" for number in range(len(parts))], [value.name], axis=0
        )
        for value in graph.output
    ]
    lengths = helper.make_tensor("parts", TensorProto.INT64, [len(parts)], list(parts))
    made = helper.make_graph(nodes, graph.name, graph.input, graph.output, [*graph.initializer, lengths])
    return helper.make_model(made, opset_imports=model.opset_import, ir_version=model.ir_version)


def _part(name: str, number: int, weights: set[str]) -> str:
    return name if not name or name in weights else f"{name}/part{number}"


def _reset_peak() -> int:
    """Make the peak of this process's memory what it is now, and return that.

    Freed memory is given back before, because what a run reuses would not show.
    """
    with suppress(OSError, AttributeError):  # other systems, other C libraries
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    raise WorkloadError(
        "the kernel does not reset the peak of a process's memory: write micro_batching: none"
    )


def _status(key: str) -> int:
    """Return a size of this process in bytes, of ``/proc/self/status``."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:"))
