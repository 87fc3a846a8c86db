"""A network as an ONNX model, so that ONNX Runtime runs it with the same weights.

Operators are written one by one with `onnx.helper`: Keras' own export needs a package that converts graphs
of TensorFlow. Images are batch × channels × height × width inside, as ONNX demands, and batch × height ×
width × channels at the input and before they are flattened, as Keras has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from workloads.deep500.networks.graph import Graph, Operator
from workloads.deep500.networks.numpy_operators import same_padding

OPSET, IR_VERSION = 17, 8
"""Supported by ONNX Runtime from version 1.12 on."""


def export(graph: Graph, weights: Sequence[Any], batch_size: int) -> Any:
    """Return the ONNX model of a network for batches of one size."""
    return _Export(graph, weights, batch_size).model()


_WITHOUT_WEIGHTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Add": ("Sum", {}),
    "Concatenate": ("Concat", {"axis": 1}),
    "GlobalAveragePooling2D": ("ReduceMean", {"axes": [2, 3], "keepdims": 0}),
}


class _Export:
    """Collects the nodes and the weights of an ONNX model."""

    def __init__(self, graph: Graph, weights: Sequence[Any], batch_size: int) -> None:
        self._graph, self._weights, self._batch_size = graph, weights, batch_size
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def model(self) -> Any:
        """Return the whole model."""
        inputs = []
        for number, shape in enumerate(self._graph.inputs):
            inputs.append(self._tensor(f"input{number}", shape))
            self._channels_first(f"input{number}", f"t{number}", len(shape))
        for operator in self._graph.operators:
            self._add(operator)
        outputs = []
        shapes = zip(self._graph.outputs, self._graph.output_shapes, strict=True)
        for place, (number, shape) in enumerate(shapes):
            self._channels_last(f"t{number}", f"output{place}", len(shape))
            outputs.append(self._tensor(f"output{place}", shape))
        graph = helper.make_graph(
            self._nodes,
            "network",
            inputs,
            outputs,
            [numpy_helper.from_array(one, name) for name, one in self._constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def _tensor(self, name: str, shape: tuple[int, ...]) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [self._batch_size, *shape])

    def _channels_first(self, before: str, after: str, axes: int) -> None:
        self._transposed(before, after, [0, axes, *range(1, axes)])

    def _channels_last(self, before: str, after: str, axes: int) -> None:
        self._transposed(before, after, [0, *range(2, axes + 1), 1])

    def _transposed(self, before: str, after: str, order: list[int]) -> None:
        if order == sorted(order):
            self._node("Identity", [before], after)
        else:
            self._node("Transpose", [before], after, perm=order)

    def _node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> None:
        outputs = ["", output] if kind == "LSTM" else [output]
        name = f"{len(self._nodes)} {kind}"
        self._nodes.append(helper.make_node(kind, list(inputs), outputs, name=name, **attributes))

    def _constant(self, name: str, array: Any) -> str:
        self._constants[name] = np.ascontiguousarray(array)
        return name

    def _add(self, operator: Operator) -> None:
        inputs, output = [f"t{one}" for one in operator.inputs], f"t{operator.output}"
        activation = operator.settings.get("activation", "linear")
        before = output if activation == "linear" else f"{output}_before"
        own = {role: (number, self._weights[number]) for role, number in operator.weights.items()}
        if operator.kind in ("Activation", "ReLU"):
            before = inputs[0]
        else:
            self._compute(operator, inputs, before, own)
        kinds = {"relu": "Relu", "sigmoid": "Sigmoid", "softmax": "Softmax"}
        if activation != "linear":
            self._node(
                kinds[activation], [before], output, **({"axis": -1} if activation == "softmax" else {})
            )

    def _compute(
        self, operator: Operator, inputs: list[str], output: str, own: dict[str, tuple[int, Any]]
    ) -> None:
        def weight(role: str, array: Any = None) -> str:
            number, found = own[role]
            return self._constant(f"w{number}", found if array is None else array)

        bias = [weight("bias")] if "bias" in own and operator.kind != "LSTM" else []
        match operator.kind:
            case "Conv1D" | "Conv2D":
                kernel = weight("kernel", np.moveaxis(own["kernel"][1], (-1, -2), (0, 1)))
                self._node("Conv", [*inputs, kernel, *bias], output, **_window(operator))
            case "MaxPooling1D" | "MaxPooling2D" | "AveragePooling2D":
                kind = "AveragePool" if operator.kind.startswith("Average") else "MaxPool"
                self._node(kind, inputs, output, **_window(operator))
            case "Dense":
                self._node("Gemm", [*inputs, weight("kernel"), *bias], output)
            case "BatchNormalization":
                roles = ("gamma", "beta", "moving_mean", "moving_variance")
                named = {"epsilon": operator.settings["epsilon"]}
                self._node("BatchNormalization", [*inputs, *map(weight, roles)], output, **named)
            case "ZeroPadding2D":
                (top, bottom), (left, right) = operator.settings["edges"]
                edges = np.array([0, 0, top, left, 0, 0, bottom, right], np.int64)
                self._node("Pad", [*inputs, self._constant(f"{output}_edges", edges)], output)
            case "Flatten":
                self._channels_last(inputs[0], f"{output}_last", len(operator.shapes[0]))
                self._node("Flatten", [f"{output}_last"], output)
            case "LSTM":
                self._lstm(operator, inputs, output, own)
            case _:
                kind, attributes = _WITHOUT_WEIGHTS[operator.kind]
                self._node(kind, inputs, output, **attributes)

    def _lstm(
        self, operator: Operator, inputs: list[str], output: str, own: dict[str, tuple[int, Any]]
    ) -> None:
        """Write ONNX' order of gates (enter, leave, forget, new); Keras has enter, forget, new, leave."""
        arrays = []
        for role in ("kernel", "recurrent_kernel", "bias"):
            enter, forget, new, leave = np.split(own[role][1], 4, axis=-1)
            arrays.append(np.concatenate([enter, leave, forget, new], axis=-1).T[None])
        arrays[2] = np.concatenate([arrays[2], np.zeros_like(arrays[2])], axis=1)
        names = [self._constant(f"{output}_{place}", one) for place, one in enumerate(arrays)]
        self._node("Transpose", inputs, f"{output}_steps", perm=[2, 0, 1])
        width = operator.shape[-1]
        self._node("LSTM", [f"{output}_steps", *names], f"{output}_state", hidden_size=width)
        axis = self._constant(f"{output}_axis", np.array([0], np.int64))
        self._node("Squeeze", [f"{output}_state", axis], output)


def _window(operator: Operator) -> dict[str, Any]:
    settings = operator.settings
    window, strides = settings["window"], settings["strides"]
    edges = [(0, 0)] * len(window)
    if settings["padding"] == "same":
        sizes = operator.shapes[0][:-1]
        edges = [same_padding(*one) for one in zip(sizes, window, strides, strict=True)]
    return {
        "kernel_shape": list(window),
        "strides": list(strides),
        "pads": [one[0] for one in edges] + [one[1] for one in edges],
    }
