"""A network of an ONNX file that a user changes step by step; each change is checked before it counts.

    network = EditableNetwork.of_file("mine.onnx", batch_size=8)
    network.add_node("Tanh", ["hidden"], ["bounded"])
    network.add_edge("bounded", node="scores", position=0)
    network.remove_node("dropout")
    network.feed("input", rows)
    (scores,) = network.fetch("scores")

After each change ONNX' checker and its shape inference accept the network, and ONNX Runtime computes the
outputs that the NumPy evaluator of `onnx.reference` computes, within rounding. Otherwise the change is undone
and its error raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import onnx
from onnx import helper, numpy_helper

from workloads.deep500.networks import onnx_files
from workloads.deep500.networks.onnx_execution import OnnxNetwork, evaluated
from workloads.description import DataError, WorkloadError
from workloads.metrics.outputs import Difference, storable
from workloads.spelling import near

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EditableNetwork:
    """A network, and the arrays that its inputs have.

    Parameters
    ----------
    model
        Whose inputs have fixed shapes; it is copied. Nodes without a name get one of type and number.
    name
        For messages.
    seed
        Of the inputs, until they are fed.

    Attributes
    ----------
    error_over_bound
        Largest difference from the reference ÷ its tolerance, after the last change.

    Raises
    ------
    DataError, WorkloadError
        If the network contradicts itself, cannot be run, or differs from the reference.
    """

    def __init__(self, model: Any, name: str = "network", seed: int = 2017) -> None:
        self._path = Path(name)
        self._model = _copy(model)
        for number, node in enumerate(self._model.graph.node):
            node.name = node.name or f"{node.op_type}_{number}"
        self._given: dict[str, Any] = onnx_files.draw_inputs(self._path, self._model, seed)
        self.error_over_bound = self._check(self._model)

    @classmethod
    def of_file(cls, path: str | Path, batch_size: int, seed: int = 2017) -> Self:
        """Return the network of an ONNX file, with this batch where the file leaves it open."""
        model = onnx_files.read(Path(path))
        onnx_files.fix_batch(Path(path), model, batch_size)
        return cls(model, str(path), seed)

    @property
    def model(self) -> Any:
        """A copy of the ONNX model."""
        return _copy(self._model)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes, each after those that it takes tensors of."""
        return tuple(node.name for node in self._model.graph.node)

    def add_node(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], name: str = "", **attributes: Any
    ) -> None:
        """Add a node.

        Parameters
        ----------
        operator
            Type, such as ``Relu``.
        inputs, outputs
            Names of its tensors; those of the outputs are new.
        name
            Of the node; by default that of its first output.
        attributes
            As ONNX defines them for the operator.

        Raises
        ------
        DataError, WorkloadError
            If a name is unknown or taken, or the network is not valid then.
        """
        name = name or outputs[0]

        def change(model: Any) -> None:
            if name in self.nodes:
                raise WorkloadError(f"{self._path}: there is a node {name} already")
            for tensor in filter(None, inputs):
                _require(tensor, _tensors(model), "tensor")
            taken = sorted(_tensors(model) & set(outputs))
            if taken:
                raise WorkloadError(f"{self._path}: there is a tensor {taken[0]} already")
            model.graph.node.append(helper.make_node(operator, inputs, outputs, name, **attributes))

        self._changed(f"add_node {name}", change)

    def remove_node(self, name: str) -> None:
        """Remove a node of one output, in whose place others take its first input.

        Raises
        ------
        DataError, WorkloadError
            If there is no such node, it has no input or several outputs, one of the network's outputs is its,
            or the network is not valid then.
        """

        def change(model: Any) -> None:
            node = _node(model, name)
            if not node.input or len(node.output) != 1:
                raise WorkloadError(
                    f"{self._path}: node {name} has {len(node.input)} inputs and {len(node.output)} outputs; "
                    "only a node with an input and one output can be removed"
                )
            if node.output[0] in {output.name for output in model.graph.output}:
                raise WorkloadError(
                    f"{self._path}: {node.output[0]} of node {name} is an output of the network: "
                    "name another by set_output first"
                )
            source, output = node.input[0], node.output[0]
            model.graph.node.remove(node)
            for other in model.graph.node:
                other.input[:] = [source if tensor == output else tensor for tensor in other.input]

        self._changed(f"remove_node {name}", change)

    def add_edge(self, tensor: str, node: str, position: int) -> None:
        """Let a node take a tensor as the input of a position, from 0, in place of the one that it takes.

        Raises
        ------
        DataError, WorkloadError
            If a name or the position is unknown, or the network is not valid then.
        """

        def change(model: Any) -> None:
            _require(tensor, _tensors(model), "tensor")
            inputs = _node(model, node).input
            if not 0 <= position <= len(inputs):
                raise WorkloadError(
                    f"{self._path}: node {node} has {len(inputs)} inputs; position {position} must be from 0 "
                    f"to {len(inputs)}"
                )
            inputs[position : position + 1] = [tensor]

        self._changed(f"add_edge {tensor} to {node}", change)

    def set_output(self, old: str, new: str) -> None:
        """Make another tensor an output of the network, in place of one that is.

        Raises
        ------
        DataError, WorkloadError
            If a name is unknown, or the network is not valid then.
        """

        def change(model: Any) -> None:
            outputs = [output.name for output in model.graph.output]
            _require(old, outputs, "output")
            _require(new, _tensors(model), "tensor")
            kind = _kinds(self._path, model).get(new)
            model.graph.output[outputs.index(old)].CopyFrom(
                helper.make_empty_tensor_value_info(new) if kind is None else kind
            )

        self._changed(f"set_output {new}", change)

    def feed(self, name: str, value: NDArray[Any]) -> None:
        """Give an input or a weight a value, of its type and shape.

        Raises
        ------
        DataError, WorkloadError
            If there is no such input or weight, the shape is another one, or the network is not valid then.
        """
        weights = {weight.name: numpy_helper.to_array(weight) for weight in self._model.graph.initializer}
        _require(name, {*weights, *self._given}, "input or weight")
        before = self._given[name] if name in self._given else weights[name]
        if value.shape != before.shape:
            raise WorkloadError(f"{self._path}: {name} has shape {before.shape}, not {value.shape}")
        value = value.astype(before.dtype)
        if name in self._given:
            self._given[name] = value
            self.error_over_bound = self._check(self._model)
            return

        def change(model: Any) -> None:
            place = [weight.name for weight in model.graph.initializer].index(name)
            model.graph.initializer[place].CopyFrom(numpy_helper.from_array(value, name))

        self._changed(f"feed {name}", change)

    def fetch(self, *names: str) -> list[NDArray[Any]]:
        """Return tensors of any place, as ONNX Runtime computes them; by default the outputs.

        Raises
        ------
        WorkloadError
            If there is no such tensor.
        """
        model = self.model
        if names:
            kinds = _kinds(self._path, model)
            for name in names:
                _require(name, kinds, "tensor")
            del model.graph.output[:]
            model.graph.output.extend(kinds[name] for name in names)
        return OnnxNetwork(str(self._path), model, self._given, 1).call()

    def _changed(self, what: str, change: Callable[[Any], None]) -> None:
        """Make a change, and keep it if the network is valid then."""
        model = self.model
        change(model)
        try:
            _sort(model)
            self.error_over_bound = self._check(model)
        except (DataError, WorkloadError) as error:
            raise type(error)(f"{what} is undone: {error}") from error
        self._model = model

    def _check(self, model: Any) -> float:
        """Return the largest difference of the outputs from the reference ÷ its tolerance."""
        onnx_files.check(self._path, model)
        expected, tolerances, _ = evaluated(
            self._path, onnx_files.with_shapes(self._path, model), self._given
        )
        outputs = OnnxNetwork(str(self._path), model, self._given, 1).call()
        error = storable(Difference(tuple(outputs), tuple(expected), tuple(tolerances)).over_bound())
        if not error <= 1:
            raise WorkloadError(f"{self._path}: outputs are {error:.3g} tolerances away from onnx.reference")
        return error


def _copy(model: Any) -> Any:
    return onnx.ModelProto.FromString(model.SerializeToString())


def _node(model: Any, name: str) -> Any:
    nodes = {node.name: node for node in model.graph.node}
    _require(name, nodes, "node")
    return nodes[name]


def _tensors(model: Any) -> set[str]:
    graph = model.graph
    computed = {name for node in graph.node for name in node.output if name}
    return computed | {value.name for value in (*graph.input, *graph.initializer)}


def _kinds(path: Path, model: Any) -> dict[str, Any]:
    """Return types and shapes of all tensors but the weights, by name."""
    graph = onnx_files.with_shapes(path, model).graph
    return {value.name: value for value in (*graph.input, *graph.value_info, *graph.output)}


def _require(name: str, known: Any, kind: str) -> None:
    if name not in known:
        raise WorkloadError(f"there is no {kind} {name}{near(name, sorted(known))}")


def _sort(model: Any) -> None:
    """Put each node after those that it takes tensors of."""
    nodes = list(model.graph.node)
    source = {tensor: number for number, node in enumerate(nodes) for tensor in node.output if tensor}
    graph = {
        number: sorted({source[tensor] for tensor in node.input if tensor in source})
        for number, node in enumerate(nodes)
    }
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        names = " → ".join(nodes[number].name for number in error.args[1])
        raise WorkloadError(f"nodes would take tensors of each other: {names}") from None
    kept = [onnx.NodeProto.FromString(nodes[number].SerializeToString()) for number in order]
    del model.graph.node[:]
    model.graph.node.extend(kept)
