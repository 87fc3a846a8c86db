"""Networks of ONNX files: read, checked, and described before anything of them runs."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper

from workloads.description import DataError, WorkloadError

_LISTED = 5


def read(path: Path) -> Any:
    """Return the model of an ONNX file.

    Raises
    ------
    DataError
        If the file is missing, cut short, or holds no model that ONNX' checker accepts, or one that is newer
        than the installed `onnx`, or operators that ONNX does not have; those are named with their nodes.
    """
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; onnx_file is a path on the node")
    try:
        model = onnx.load(str(path), format="protobuf")
    except (DecodeError, OSError, ValueError, onnx.checker.ValidationError) as error:
        raise DataError(f"{path} is no ONNX model, or is cut short: {_first_line(error)}") from error
    if not model.graph.node:
        raise DataError(f"{path} is no ONNX model, or holds a network without operators")
    _refuse_newer(path, model)
    check(path, model, str(path))
    return model


def check(path: Path, model: Any, checked: Any = None) -> None:
    """Check a model before it runs.

    Parameters
    ----------
    checked
        Path of its file; None: the model itself is checked, which cannot be as large as 2 GiB.

    Raises
    ------
    DataError
        If it has operators that ONNX does not have, or ONNX' checker refuses it.
    """
    _refuse_unknown(path, model)
    try:
        onnx.checker.check_model(model if checked is None else checked)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as error:
        raise DataError(f"{path}: ONNX' checker refuses the network: {_first_line(error)}") from error


def fix_batch(path: Path, model: Any, batch_size: int) -> None:
    """Set the first dimension of all inputs that leave it open.

    Raises
    ------
    DataError
        If another dimension of an input is open.
    """
    weights = {one.name for one in model.graph.initializer}
    for one in model.graph.input:
        if one.name in weights:
            continue
        for place, dimension in enumerate(one.type.tensor_type.shape.dim):
            if dimension.HasField("dim_value") and dimension.dim_value > 0:
                continue
            if place:
                raise DataError(
                    f"{path}: dimension {place} of input {one.name} is open ({dimension.dim_param or '?'}): "
                    "fix it in the file; only the first, the batch, is set by batch_size"
                )
            dimension.dim_value = batch_size


def with_shapes(path: Path, model: Any) -> Any:
    """Return the model with the shapes of what is between its operators.

    Raises
    ------
    DataError
        If the shapes contradict each other.
    """
    try:
        return onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except (onnx.shape_inference.InferenceError, ValueError) as error:
        raise DataError(f"{path}: the shapes contradict each other: {_first_line(error)}") from error


def inputs_of(model: Any) -> list[Any]:
    """Return the inputs that are no weights."""
    weights = {one.name for one in model.graph.initializer}
    return [one for one in model.graph.input if one.name not in weights]


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an input, an output or what is between operators; None if it is not known."""
    kind = value.type.tensor_type
    sizes = [one.dim_value for one in kind.shape.dim]
    return tuple(sizes) if kind.HasField("shape") and all(one > 0 for one in sizes) else None


def memory_bytes(model: Any) -> int:
    """Return an estimate of what running the network takes, here and in the evaluator of the reference.

    Weights count three times (the file's, those of ONNX Runtime and those of the evaluator), everything that
    is computed twice.
    """
    weights: int = sum(math.prod(one.dims) * _item_bytes(one.data_type) for one in model.graph.initializer)
    computed: int = 0
    for one in (*inputs_of(model), *model.graph.value_info, *model.graph.output):
        shape = shape_of(one)
        computed += math.prod(shape) * _item_bytes(one.type.tensor_type.elem_type) if shape else 0
    return 3 * weights + 2 * computed


def describe(path: Path, model: Any) -> dict[str, Any]:
    """Return what an ONNX file holds, JSON-ready."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "onnx_file": path.name,
        "onnx_file_sha256": digest,
        "onnx_ir_version": model.ir_version,
        "onnx_opset": max((one.version for one in model.opset_import if not one.domain), default=0),
        "onnx_operators": dict(sorted(Counter(one.op_type for one in model.graph.node).items())),
    }


def weight_elements(model: Any) -> int:
    """Return the number of all weights."""
    return sum(math.prod(one.dims) for one in model.graph.initializer)


def precision_of(model: Any) -> str:
    """Return the shortest floating-point type of the network, one of ``float32, float16, bfloat16``."""
    types = {one.data_type for one in model.graph.initializer}
    types |= {one.type.tensor_type.elem_type for one in (*model.graph.value_info, *model.graph.input)}
    if TensorProto.BFLOAT16 in types:
        return "bfloat16"
    return "float16" if TensorProto.FLOAT16 in types else "float32"


def draw_inputs(path: Path, model: Any, seed: int) -> dict[str, Any]:
    """Return random inputs by name: normal numbers, and 0 or 1 for whole numbers.

    Raises
    ------
    DataError
        If an input is no array of numbers, or its shape is not known.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    found = {}
    for one in inputs_of(model):
        shape, kind = shape_of(one), one.type.tensor_type.elem_type
        if shape is None or kind in (TensorProto.UNDEFINED, TensorProto.STRING):
            raise DataError(f"{path}: input {one.name} is no array of numbers with a shape")
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        whole = np.issubdtype(dtype, np.integer) or dtype == np.bool_
        drawn = random.integers(0, 2, shape) if whole else random.standard_normal(shape, np.float32)
        found[one.name] = drawn.astype(dtype)
    return found


def _refuse_newer(path: Path, model: Any) -> None:
    if model.ir_version > onnx.IR_VERSION:
        raise DataError(
            f"{path} has IR version {model.ir_version}, and onnx {onnx.__version__} knows versions up to "
            f"{onnx.IR_VERSION}: install a newer onnx, or export the network for an older one"
        )
    known = onnx.defs.onnx_opset_version()
    opset = max((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), default=0)
    if opset > known:
        raise DataError(
            f"{path} has operators of opset {opset}, and onnx {onnx.__version__} knows opsets up to {known}: "
            "install a newer onnx, or export the network for an older one"
        )


def _refuse_unknown(path: Path, model: Any) -> None:
    own = {(one.domain, one.name) for one in model.functions}
    unknown = [
        f"{one.domain + '.' if one.domain else ''}{one.op_type} (node {one.name or number})"
        for number, one in enumerate(_nodes(model.graph))
        if (one.domain, one.op_type) not in own and not onnx.defs.has(one.op_type, domain=one.domain)
    ]
    if unknown:
        more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
        raise DataError(f"{path}: ONNX has no operator {', '.join(unknown[:_LISTED])}{more}")


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the operators of a graph, and those of the graphs in them."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from _nodes(inner)


def _item_bytes(kind: int) -> int:
    try:
        return int(helper.tensor_dtype_to_np_dtype(kind).itemsize)
    except KeyError:
        return 1


def _first_line(error: BaseException) -> str:
    lines: Sequence[str] = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def runtime_error(name: str, error: Exception) -> WorkloadError:
    """Return what to say where ONNX Runtime, or the evaluator of the reference, refuses a network."""
    return WorkloadError(f"{name}: {_first_line(error)}")
