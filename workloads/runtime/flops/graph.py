"""Count the products in a traced TensorFlow graph.

Only operations that an output depends on are counted: TensorFlow prunes the others before a run. The body of
a loop counts as often as it runs, and of a condition's branches the one with the most FLOP counts. A dilated
convolution counts as TensorFlow computes it, with its input padded to a multiple of the dilation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_LOOPS = ("While", "StatelessWhile")
_FUNCTIONS = ("func", "list(func)")
_MAY_MULTIPLY = re.compile(r"(?i)matmul|conv[123d(]|conv$|einsum|rnn|lstm|gru|xla|attention|pyfunc")


def model_flop(model: Any, *, backward: bool, input_gradients: bool = False) -> int:
    """Return the FLOP of one sample's pass through a built Keras model, as `layers.model_flop`."""
    import tensorflow as tf

    declared = getattr(getattr(model, "_functional", None) or model, "_inputs_struct", None)
    if declared is None:
        raise ValueError(f"FLOP of {model.name}: the model has no declared inputs; count it by function_flop")
    inputs = [tf.TensorSpec((1, *one.shape[1:]), one.dtype) for one in tf.nest.flatten(declared)]
    weights = [variable.value for variable in model.trainable_variables] if backward else []

    def outputs(*tensors: Any) -> list[Any]:
        sources = [*weights, *(tensors if input_gradients else ())]
        with tf.GradientTape() as tape:
            tape.watch(tensors if input_gradients else ())
            found = tf.nest.flatten(model(tf.nest.pack_sequence_as(declared, tensors), training=True))
            floats = [one for one in found if one.dtype.is_floating]
            loss = tf.add_n([tf.reduce_sum(tf.cast(one, tf.float32)) for one in floats])
        return [found, tape.gradient(loss, sources) if sources else []]

    with _without_cudnn(model):
        return function_flop(outputs, *inputs)


def function_flop(function: Callable[..., Any], *inputs: Any) -> int:
    """Return the FLOP of all outputs of a function; see `workloads.runtime.flops.function_flop`."""
    import tensorflow as tf

    traced = tf.__internal__.FuncGraph("flop")
    with traced.as_default():
        tensors = [tf.compat.v1.placeholder(one.dtype, one.shape) for one in inputs]
        outputs = [one for one in tf.nest.flatten(function(*tensors)) if one is not None]
        return _flop(traced, [tf.convert_to_tensor(one) for one in outputs])


@contextmanager
def _without_cudnn(model: Any) -> Iterator[None]:
    """Let recurrent layers be traced as products, on machines with GPUs too."""
    layers = [one for one in model._flatten_layers() if hasattr(one, "use_cudnn")]
    before = [one.use_cudnn for one in layers]
    try:
        for one in layers:
            one.use_cudnn = False
        yield
    finally:
        for one, value in zip(layers, before, strict=True):
            one.use_cudnn = value


def _flop(graph: Any, outputs: Iterable[Any]) -> int:
    return sum(_operation_flop(graph, *found) for found in _needed(graph, outputs).values())


def _needed(graph: Any, outputs: Iterable[Any]) -> dict[str, tuple[Any, set[int]]]:
    """Return the operations that outputs depend on, by name, each with the numbers of its outputs in use."""
    needed: dict[str, tuple[Any, set[int]]] = {}
    waiting = list(outputs)
    while waiting:
        tensor = waiting.pop()
        operation = tensor.op
        _, used = needed.setdefault(operation.name, (operation, set()))
        if tensor.value_index in used:
            continue
        used.add(tensor.value_index)
        if operation.type in _LOOPS:
            used |= _carried(graph, operation, used)
            waiting += [operation.inputs[number] for number in used]
        else:
            waiting += operation.inputs
    return needed


def _carried(graph: Any, loop: Any, used: set[int]) -> set[int]:
    """Return the numbers of a loop's variables that these and the loop's condition depend on."""
    body, condition = _called(graph, loop, "body"), _called(graph, loop, "cond")
    found = used | _reached(condition, condition.outputs)
    while more := _reached(body, [body.outputs[number] for number in found]) - found:
        found |= more
    return found


def _reached(graph: Any, outputs: Iterable[Any]) -> set[int]:
    needed = _needed(graph, outputs)
    return {number for number, tensor in enumerate(graph.inputs) if tensor.op.name in needed}


def _operation_flop(graph: Any, operation: Any, used: set[int]) -> int:
    """Return the FLOP of an operation and of the functions that it calls."""
    kind = operation.type
    if kind in _LOOPS:
        body = _called(graph, operation, "body")
        once = _flop(body, [body.outputs[number] for number in used])
        return once * _turns(operation) if once else 0
    if kind in ("PartitionedCall", "StatefulPartitionedCall"):
        called = _called(graph, operation, "f")
        return _flop(called, [called.outputs[number] for number in used])
    if kind in ("If", "StatelessIf", "Case", "StatelessCase"):
        return max(
            _flop(one, [one.outputs[number] for number in used]) for one in _branches(graph, operation)
        )
    if kind in _PRODUCTS:
        return 2 * _PRODUCTS[kind](operation)
    if _MAY_MULTIPLY.search(kind) or any(one.type in _FUNCTIONS for one in operation.op_def.attr):
        raise ValueError(f"FLOP of {operation.name}: operation {kind} is not known; add it to {__name__}")
    return 0


def _branches(graph: Any, operation: Any) -> list[Any]:
    """Return the graphs of a condition's branches."""
    if operation.type.endswith("Case"):
        return [_function(graph, one.name) for one in operation.get_attr("branches")]
    return [_called(graph, operation, f"{name}_branch") for name in ("then", "else")]


def _called(graph: Any, operation: Any, attribute: str) -> Any:
    """Return the graph of a function that an operation calls."""
    return _function(graph, operation.get_attr(attribute).name)


def _function(graph: Any, name: str) -> Any:
    """Return the graph of a function that a graph, or one around it, knows."""
    place = graph
    while not place._is_function(name):
        place = place.outer_graph
    return place._get_function(name).graph


def _turns(loop: Any) -> int:
    """Return how often a loop runs: its second input is the most turns that its author allows, -1 if any."""
    import tensorflow as tf

    try:
        with tf.compat.v1.Session(
            graph=loop.graph, config=tf.compat.v1.ConfigProto(device_count={"GPU": 0})
        ) as session:
            turns = int(session.run(loop.inputs[1]))
    except (tf.errors.OpError, TypeError, ValueError):
        turns = -1
    if turns < 0:
        raise ValueError(
            f"FLOP of {loop.name}: the number of turns of this loop is not known; give it maximum_iterations"
        )
    return turns


def _size(tensor: Any) -> int:
    if not tensor.shape.is_fully_defined():
        raise ValueError(
            f"FLOP of {tensor.op.name}: the shape {tensor.shape} is not fixed; give fixed inputs"
        )
    return math.prod(tensor.shape)


def _matrix(operation: Any, transposed: str) -> int:
    left = operation.inputs[0]
    _size(left)
    return _size(operation.outputs[0]) * int(left.shape[-2 if operation.get_attr(transposed) else -1])


def _einsum(operation: Any) -> int:
    """Return the product of the sizes of all labels; one operand has no product."""
    if len(operation.inputs) == 1:
        return 0
    sizes: dict[str, int] = {}
    left = operation.get_attr("equation").decode().split("->")[0].split(",")
    for labels, tensor in zip(left, operation.inputs, strict=True):
        _size(tensor)
        before, dots, after = labels.partition("...")
        hidden = len(tensor.shape) - len(before) - len(after)
        names = [*before, *(f"...{number}" for number in range(hidden, 0, -1) if dots), *after]
        for name, size in zip(names, tensor.shape, strict=True):
            sizes[name] = max(size, sizes.get(name, 1))
    return math.prod(sizes.values())


def _windows(places: Any, kernel: Any) -> int:
    """Return places × channels in × window of a convolution: `places` has the kernel's last dimension."""
    return _size(places) * _size(kernel) // int(kernel.shape[-1])


def _depthwise(places: Any, kernel: Any) -> int:
    """Return the same of one kernel per channel: `places` has the kernel's last two dimensions."""
    return _size(places) * int(math.prod(kernel.shape[:2]))


_PRODUCTS: dict[str, Callable[[Any], int]] = {
    "MatMul": lambda one: _matrix(one, "transpose_a"),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), lambda one: _matrix(one, "adj_x")),
    "Einsum": _einsum,
    **dict.fromkeys(("Conv", "Conv2D", "Conv3D"), lambda one: _windows(one.outputs[0], one.inputs[1])),
    **dict.fromkeys(
        ("Conv2DBackpropInput", "Conv3DBackpropInputV2"), lambda one: _windows(one.inputs[2], one.inputs[1])
    ),
    **dict.fromkeys(
        ("Conv2DBackpropFilter", "Conv3DBackpropFilterV2"),
        lambda one: _windows(one.inputs[2], one.outputs[0]),
    ),
    "DepthwiseConv2dNative": lambda one: _depthwise(one.outputs[0], one.inputs[1]),
    "DepthwiseConv2dNativeBackpropInput": lambda one: _depthwise(one.inputs[2], one.inputs[1]),
    "DepthwiseConv2dNativeBackpropFilter": lambda one: _depthwise(one.inputs[2], one.outputs[0]),
}
"""Multiply-accumulates of each operation. A gradient has as many as the product that it belongs to."""
