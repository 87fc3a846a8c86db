"""Reference results of a network (outputs or gradients, in float64 by NumPy), and how far one may be off."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from workloads.deep500.networks import numpy_operators
from workloads.deep500.networks.graph import Graph
from workloads.deep500.networks.numpy_operators import EXACT, Arithmetic, Array, Pull
from workloads.deep500.rounding import SAFETY, UNIT_ROUNDOFF, rounded


def draw_weights(graph: Graph, seed: int) -> list[Any]:
    """Return the weights of a network as float32 arrays, in the order of the graph.

    Kernels are normal with variance 2 ÷ inputs of a unit, so that the values neither vanish nor explode
    through rectified layers; biases, β and means are normal with deviation 0.1, γ and variances uniform
    between 0.5 and 1.5. Nothing is 0 or 1, so that a weight that is left out shows.
    """
    random = np.random.default_rng(seed)
    return [_drawn(random, one.role, one.shape) for one in graph.weights]


def _drawn(random: np.random.Generator, role: str, shape: tuple[int, ...]) -> Any:
    if role in ("gamma", "moving_variance"):
        return random.random(shape, np.float32) + np.float32(0.5)
    deviation = math.sqrt(2 / math.prod(shape[:-1])) if len(shape) > 1 else 0.1
    drawn = random.standard_normal(shape, np.float32)
    drawn *= np.float32(deviation)
    return drawn


def draw_tensors(shapes: Sequence[tuple[int, ...]], batch_size: int, seed: int) -> list[Any]:
    """Return standard normal float32 arrays of these shapes, with a batch in front."""
    random = np.random.default_rng(seed)
    return [random.standard_normal((batch_size, *shape), np.float32) for shape in shapes]


def digest(weights: Sequence[Any]) -> str:
    """Return the SHA-256 of shapes and bytes of float32 weights in order."""
    found = hashlib.sha256()
    for one in weights:
        found.update(repr(tuple(one.shape)).encode())
        found.update(np.ascontiguousarray(one, "<f4").data)
    return found.hexdigest()


def outputs(graph: Graph, weights: Sequence[Any], inputs: Sequence[Any]) -> list[Array]:
    """Return the network's outputs, as in inference, in float64."""
    tensors, _ = _forward(graph, weights, inputs, training=False)
    return [tensors[number] for number in graph.outputs]


def gradients(
    graph: Graph, weights: Sequence[Any], inputs: Sequence[Any], slopes: Sequence[Any], precision: str = ""
) -> list[Array]:
    """Return the gradients of Σ slope × output by all trained weights, in order, as in training.

    Batch normalisation takes mean and variance of the batch; dropout is left out.

    Parameters
    ----------
    precision
        Round the weights, the result of every operator and every slope to this type, and decide otherwise
        where a rectifier's or a maximum's inputs are as near to the edge as their errors are large; empty:
        float64 throughout.
    """
    _, pulls = _forward(graph, weights, inputs, training=True, precision=precision)
    by_tensor: dict[int, Array] = {}
    for number, slope in zip(graph.outputs, slopes, strict=True):
        by_tensor[number] = by_tensor.get(number, 0) + np.asarray(slope, np.float64)
    by_weight: dict[int, Array] = {}
    for operator in reversed(graph.operators):
        into, of_weights = pulls.pop()(_rounded(by_tensor.pop(operator.output), precision))
        for number, slope in zip(operator.inputs, into, strict=True):
            by_tensor[number] = by_tensor[number] + slope if number in by_tensor else slope
        for role, slope in of_weights.items():
            number = operator.weights[role]
            by_weight[number] = by_weight[number] + slope if number in by_weight else slope
    trained = [number for number, one in enumerate(graph.weights) if one.trained]
    return [_rounded(by_weight[number], precision) for number in trained]


def _forward(
    graph: Graph, weights: Sequence[Any], inputs: Sequence[Any], *, training: bool, precision: str = ""
) -> tuple[dict[int, Array], list[Pull]]:
    tensors = {number: _rounded(one, precision) for number, one in enumerate(inputs)}
    exact = dict(tensors)
    pulls = []
    for operator in graph.operators:
        own = {role: _rounded(weights[number], precision) for role, number in operator.weights.items()}
        given = [tensors[number] for number in operator.inputs]
        arithmetic = EXACT
        if precision:
            unrounded = {role: _rounded(weights[number], "") for role, number in operator.weights.items()}
            exact[operator.output], _ = numpy_operators.apply(
                operator.kind,
                [exact[number] for number in operator.inputs],
                unrounded,
                operator.settings,
                training=training,
            )
            doubt = max(_differences(tensors, exact, operator.inputs), default=0.0)
            arithmetic = Arithmetic(
                partial(_rounded, precision=precision), _DOUBT * doubt + _share(graph, precision)
            )
        output, pull = numpy_operators.apply(
            operator.kind, given, own, operator.settings, training=training, arithmetic=arithmetic
        )
        tensors[operator.output] = _rounded(output, precision)
        if training:
            pulls.append(pull)
    return tensors, pulls


def _differences(
    tensors: Mapping[int, Array], exact: Mapping[int, Array], numbers: Iterable[int]
) -> Iterator[float]:
    """Yield by how much tensors differ, as shares of their largest magnitudes."""
    for number in numbers:
        largest = np.abs(exact[number]).max(initial=0.0)
        if largest:
            yield float(np.abs(tensors[number] - exact[number]).max() / largest)


_DOUBT = 4.0
"""Factor of the error of a rectifier's or a maximum's inputs, within which it may be decided otherwise."""
_SMALL = 1e-3
"""An array whose magnitudes are a smaller share of the largest array's is judged as if they were this share:
its terms, which cancel each other, are not as small."""


def tolerances(
    graph: Graph, references: Sequence[Array], precision: str, emulated: Sequence[Array] | None = None
) -> list[Array]:
    """Return how far each array may be from its reference.

    Rounding errors of n operators one after the other (of a recurrent one: n steps) add up as √n, twice as
    many with gradients, those of a sum of n terms, which all frameworks accumulate in float32, as √n too;
    both are shares of the largest magnitude. Gradients have more than rounding: an input near the edge of a
    rectifier, or two near a maximum, may send a slope another way, and batch normalisation takes
    differences. How much that is depends on the network and the batch; so it is computed, in NumPy, by
    rounding every result of the reference.

    Parameters
    ----------
    precision
        One of `workloads.deep500.rounding.PRECISIONS`.
    emulated
        The same arrays computed with that precision in NumPy; None for outputs.
    """
    if emulated is None:
        return rounding(_share(graph, precision), references)
    return [
        least + np.array(SAFETY * np.abs(one - reference).max(initial=0.0))
        for least, one, reference in zip(
            rounding(_share(graph, precision, passes=2), references), emulated, references, strict=True
        )
    ]


def _share(graph: Graph, precision: str, *, passes: int = 1) -> float:
    """Return the rounding error of a network's results, or with two passes of its gradients."""
    terms = max((math.prod(one.shape[:-1]) for one in graph.weights), default=1)
    operators = sum(one.shapes[0][0] if one.kind == "LSTM" else 1 for one in graph.operators)
    return rounding_share(passes * operators, terms, precision)


def rounding_share(operators: int, terms: int, precision: str) -> float:
    """Return the error of so many operators and sums of so many terms, ÷ the largest magnitude."""
    return UNIT_ROUNDOFF[precision] * math.sqrt(operators) + UNIT_ROUNDOFF["float32"] * math.sqrt(terms)


def rounding(share: float, references: Sequence[Any]) -> list[Array]:
    """Return how far arrays may be off by an error that is such a share of the largest magnitude."""
    magnitudes = [float(np.abs(np.asarray(one, np.float64)).max(initial=0.0)) for one in references]
    return [np.array(SAFETY * share * max(one, _SMALL * max(magnitudes))) for one in magnitudes]


def _rounded(array: Any, precision: str) -> Array:
    """Return an array in float64, after its numbers were rounded to a type."""
    exact = np.asarray(array, np.float64)
    return rounded(exact, precision) if precision else exact
