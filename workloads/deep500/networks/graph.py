"""A Keras model as a list of operators: what is computed from what, with which weights and settings.

The NumPy reference, the export to ONNX and the times of single operators are all made from this list. An
operator is a layer of Keras with the activation that the layer has. A layer that computes nothing here (an
input, dropout, the linear activation) is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workloads.deep500.networks.catalogue import NetworkSize
from workloads.description import WorkloadError


@dataclass(frozen=True, slots=True)
class Weight:
    """Weights of an operator.

    Parameters
    ----------
    role
        Such as ``kernel``, ``bias``, ``moving_variance``.
    shape
        As Keras has it.
    """

    role: str
    shape: tuple[int, ...]
    trained: bool
    variable: Any = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Operator:
    """One application of a layer.

    Parameters
    ----------
    kind
        Name of the layer's class in Keras.
    name
        Place in the list and `kind`, such as ``12 Conv2D``.
    inputs, output
        Numbers of tensors; those of the network's inputs come first.
    shapes, shape
        Of the inputs and the output, without the batch.
    weights
        Numbers of the network's weights, by role.
    settings
        What the computation depends on beside weights.
    trained
        Whether each input depends on trained weights, so that a gradient passes through it.
    """

    kind: str
    name: str
    layer: Any = field(repr=False, compare=False)
    inputs: tuple[int, ...]
    output: int
    shapes: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    weights: dict[str, int]
    settings: dict[str, Any]
    trained: tuple[bool, ...]

    @property
    def signature(self) -> str:
        """Key of operators that cost the same."""
        return f"{self.kind} {self.shapes} {self.shape} {self.settings} {self.trained} {sorted(self.weights)}"


@dataclass(frozen=True, slots=True)
class Graph:
    """A network: its operators in the order in which they run, and its weights in the order of first use.

    Parameters
    ----------
    operators, weights
        Its operators and weights, in these orders.
    inputs
        Shapes of the inputs, whose tensors are 0, 1, …, without the batch.
    """

    operators: tuple[Operator, ...]
    weights: tuple[Weight, ...]
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]

    @property
    def output_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the network's outputs, without the batch."""
        shapes = {one.output: one.shape for one in self.operators}
        return tuple(shapes[number] for number in self.outputs)

    @property
    def size(self) -> NetworkSize:
        """Sizes by which the memory of a measurement is estimated."""
        return NetworkSize(
            weights=sum(math.prod(one.shape) for one in self.weights),
            largest=max((math.prod(one.shape) for one in self.weights), default=0),
            activations=sum(math.prod(one.shape) for one in self.operators)
            + sum(map(math.prod, self.inputs)),
        )


def graph_of(model: Any) -> Graph:
    """Return the operators of a functional or sequential Keras model.

    Raises
    ------
    WorkloadError
        If a layer is not known, by name.
    """
    found = _Walk()
    inputs = [found.tensor(tensor) for tensor in _functional(model).inputs]
    outputs = found.walk(model, inputs)
    shapes = tuple(tuple(map(int, tensor.shape[1:])) for tensor in _functional(model).inputs)
    return Graph(tuple(found.operators), tuple(found.weights), shapes, tuple(outputs))


def _functional(model: Any) -> Any:
    return getattr(model, "_functional", None) or model


class _Walk:
    """Collects the operators of a model and of the models in it."""

    def __init__(self) -> None:
        self.operators: list[Operator] = []
        self.weights: list[Weight] = []
        self._shapes: list[tuple[int, ...]] = []
        self._trained: list[bool] = []
        self._numbers: dict[int, int] = {}

    def tensor(self, tensor: Any, trained: bool = False) -> int:
        """Return the number of a new tensor."""
        self._shapes.append(tuple(map(int, tensor.shape[1:])))
        self._trained.append(trained)
        return len(self._shapes) - 1

    def walk(self, model: Any, inputs: list[int]) -> list[int]:
        """Add the operators of a model, and return the numbers of its outputs."""
        functional = _functional(model)
        numbers = {id(one): number for one, number in zip(functional.inputs, inputs, strict=True)}
        for node in _nodes(functional):
            layer, given = node.operation, [numbers[id(one)] for one in node.arguments.keras_tensors]
            if hasattr(layer, "layers"):
                results = self.walk(layer, given)
            elif _computes_nothing(layer):
                results = given
            else:
                results = [self._add(layer, given, node.outputs[0])]
            numbers |= {id(one): number for one, number in zip(node.outputs, results, strict=True)}
        return [numbers[id(one)] for one in functional.outputs]

    def _add(self, layer: Any, inputs: list[int], output: Any) -> int:
        settings = _settings(layer)
        weights = {one.name: self._weight(one) for one in layer.variables if "seed" not in one.name}
        trained = tuple(self._trained[number] for number in inputs)
        number = self.tensor(output, any(trained) or bool(layer.trainable_variables))
        kind = type(layer).__name__
        self.operators.append(
            Operator(
                kind=kind,
                name=f"{len(self.operators)} {kind}",
                layer=layer,
                inputs=tuple(inputs),
                output=number,
                shapes=tuple(self._shapes[one] for one in inputs),
                shape=self._shapes[number],
                weights=weights,
                settings=settings,
                trained=trained,
            )
        )
        return number

    def _weight(self, variable: Any) -> int:
        if id(variable) not in self._numbers:
            self._numbers[id(variable)] = len(self.weights)
            shape = tuple(map(int, variable.shape))
            self.weights.append(Weight(variable.name, shape, bool(variable.trainable), variable))
        return self._numbers[id(variable)]


def _nodes(functional: Any) -> Iterator[Any]:
    """Yield the applications of layers, each after what it needs."""
    for _, nodes in sorted(functional._nodes_by_depth.items(), reverse=True):
        yield from (one for one in nodes if not one.is_input)


def _computes_nothing(layer: Any) -> bool:
    kind = type(layer).__name__
    return kind in ("Dropout", "InputLayer") or (kind == "Activation" and _activation(layer) == "linear")


def _activation(layer: Any) -> str:
    return str(layer.activation.__name__)


def _settings(layer: Any) -> dict[str, Any]:
    """Return what the computation of a layer depends on beside weights."""
    kind = type(layer).__name__
    _refuse_forms(layer)
    match kind:
        case "Conv1D" | "Conv2D":
            return {
                "window": tuple(layer.kernel_size),
                "strides": tuple(layer.strides),
                "padding": layer.padding,
                "activation": _activation(layer),
            }
        case "MaxPooling1D" | "MaxPooling2D" | "AveragePooling2D":
            return {
                "window": tuple(layer.pool_size),
                "strides": tuple(layer.strides),
                "padding": layer.padding,
            }
        case "Dense" | "Activation":
            return {"activation": _activation(layer)}
        case "ReLU":
            return {"activation": "relu"}
        case "BatchNormalization":
            return {"epsilon": float(layer.epsilon)}
        case "ZeroPadding2D":
            return {"edges": tuple(tuple(map(int, one)) for one in layer.padding)}
        case "Add" | "Concatenate" | "Flatten" | "GlobalAveragePooling2D" | "LSTM":
            return {}
    raise WorkloadError(f"layer {layer.name}: deep500_network has no reference for {kind}")


_PLAIN: dict[str, tuple[Any, ...]] = {
    "data_format": ("channels_last",),
    "groups": (1,),
    "dilation_rate": ((1,), (1, 1)),
    "max_value": (None,),
    "negative_slope": (0.0,),
    "threshold": (0.0,),
    "return_sequences": (False,),
    "go_backwards": (False,),
    "keepdims": (False,),
}
"""Attributes of layers that the reference takes as given."""


def _refuse_forms(layer: Any) -> None:
    for name, values in _PLAIN.items():
        found = getattr(layer, name, values[0])
        if found not in values:
            raise WorkloadError(f"layer {layer.name}: deep500_network has no reference for {name} {found}")
    if type(layer).__name__ == "AveragePooling2D" and layer.padding != "valid":
        raise WorkloadError(f"layer {layer.name}: deep500_network has no reference for a padded average")
