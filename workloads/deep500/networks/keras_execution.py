"""A network in the framework that Keras runs on: whole, and each of its operators alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from workloads.context import Context, Metric
from workloads.deep500.networks import catalogue
from workloads.deep500.networks.definition import Measurable, NetworkParameters
from workloads.deep500.networks.graph import Graph, Operator, graph_of
from workloads.deep500.rounding import KERAS_POLICIES
from workloads.runtime.framework import configure_framework, current_backend

Call = Callable[[], Any]


def prepare_keras(parameters: NetworkParameters, context: Context) -> Measurable:
    """Return a network of `catalogue` with its weights, its batch and its reference.

    Raises
    ------
    WorkloadError
        If the framework is not installed.
    """
    observed = configure_framework(context, parameters.framework, KERAS_POLICIES[parameters.precision])
    from workloads.deep500.networks import reference

    context.start()
    gradient, batch, seed = parameters.direction == "gradient", parameters.batch_size, parameters.weights_seed
    with context.phase("build"):
        model = catalogue.build(parameters.network, parameters.size)
        without_dropout(model)
        graph = graph_of(model)
        weights = reference.draw_weights(graph, seed)
        inputs = reference.draw_tensors(graph.inputs, batch, seed + 1)
        slopes = reference.draw_tensors(graph.output_shapes, batch, seed + 2) if gradient else []
        network = KerasNetwork(model, graph, weights, inputs, slopes, gradient=gradient)
        digest = reference.digest(network.weights())
    with context.phase("reference"):
        emulated = None
        if gradient:
            expected = reference.gradients(graph, weights, inputs, slopes)
            emulated = reference.gradients(graph, weights, inputs, slopes, parameters.precision)
        else:
            expected = reference.outputs(graph, weights, inputs)
        tolerances = reference.tolerances(graph, expected, parameters.precision, emulated)
    return Measurable(
        call=network.call,
        reference=expected,
        tolerances=tolerances,
        operators=network.operators,
        figures=network_figures(graph, parameters),
        observed=observed,
        facts={"weights_sha256": digest, "reference": "NumPy, float64"},
    )


def described(parameters: NetworkParameters) -> Graph:
    """Return the operators of a network, without memory for its weights in a framework."""
    import keras

    with keras.StatelessScope(initialize_variables=False):
        return graph_of(catalogue.build(parameters.network, parameters.size))


def network_figures(graph: Graph, parameters: NetworkParameters) -> tuple[Metric, ...]:
    """Return the size of a network as metrics."""
    return (
        Metric("weight_elements", graph.size.weights),
        Metric("memory_estimate_bytes", parameters.memory_bytes, "B"),
    )


class KerasNetwork:
    """A Keras model with given weights and one batch, both on the device.

    Parameters
    ----------
    model, graph
        The model, and its list of operators.
    weights
        What its variables are set to, in the order of the graph.
    inputs, slopes
        The batch, and of each output the slope of the sum that gradients are of.
    gradient
        Compute the gradients by all trained weights instead of the outputs.
    """

    def __init__(
        self,
        model: Any,
        graph: Graph,
        weights: Sequence[Any],
        inputs: Sequence[Any],
        slopes: Sequence[Any],
        *,
        gradient: bool,
    ) -> None:
        self._model, self._graph, self._gradient = model, graph, gradient
        for weight, value in zip(graph.weights, weights, strict=True):
            weight.variable.assign(value)
        backend = current_backend()
        self._batch_size = len(inputs[0])
        given = [*inputs, *slopes] if gradient else inputs
        self._given = [backend.to_device(one) for one in given]
        trained = [one.variable for one in graph.weights if one.trained]
        if gradient:
            self._step = backend.gradients(self._weighted_sum, trained)
        else:
            self._step = backend.forward(self._outputs, [one.variable for one in graph.weights])

    def call(self) -> Any:
        """Compute outputs or gradients, and wait until they are there."""
        results = self._step(*self._given)
        current_backend().synchronise(results)
        return results

    def weights(self) -> list[Any]:
        """Return the weights as the framework holds them."""
        return [_array(one.variable.value) for one in self._graph.weights]

    def operators(self) -> list[tuple[str, int, Call]]:
        """Return a call of each distinct operator, with its name and how often the network has it."""
        counts = Counter(one.signature for one in self._graph.operators)
        first = {one.signature: one for one in reversed(self._graph.operators)}
        return [(one.name, counts[signature], self._operator(one)) for signature, one in first.items()]

    def _operator(self, operator: Operator) -> Call:
        """Return a call of one operator alone, on normal random inputs of its own shapes.

        For gradients it runs forward and backward, by its trained weights and by the inputs that depend
        on trained weights; an operator with neither runs forward, as it does in the network.
        """
        import keras
        import numpy as np

        backend, layer = current_backend(), operator.layer
        random = np.random.default_rng(0)
        dtype = layer.compute_dtype
        inputs = [
            keras.Variable(
                random.standard_normal((self._batch_size, *shape), np.float32), dtype=dtype, trainable=True
            )
            for shape in operator.shapes
        ]
        by = [one for one, trained in zip(inputs, operator.trained, strict=True) if trained]
        by += [one for one in layer.trainable_variables if self._gradient]
        training = _training(layer, self._gradient)

        def output() -> Any:
            values = [one.value for one in inputs]
            return layer(values if len(values) > 1 else values[0], **training)

        def weighted_sum(slope: Any) -> Any:
            return keras.ops.sum(keras.ops.cast(output(), "float32") * slope)

        if self._gradient and by:
            slope = random.standard_normal((self._batch_size, *operator.shape), np.float32)
            given = [backend.to_device(slope)]
            step = backend.gradients(weighted_sum, by)
        else:
            given, step = [], backend.forward(output, [*inputs, *layer.variables])

        def call() -> None:
            backend.synchronise(step(*given))

        return call

    def _outputs(self, *inputs: Any) -> list[Any]:
        return self._flat(self._model(_one_or_all(inputs), training=False))

    def _weighted_sum(self, *given: Any) -> Any:
        from keras import ops

        inputs, slopes = given[: len(self._graph.inputs)], given[len(self._graph.inputs) :]
        found = self._flat(self._model(_one_or_all(inputs), training=True))
        terms = [ops.sum(ops.cast(one, "float32") * slope) for one, slope in zip(found, slopes, strict=True)]
        return sum(terms[1:], start=terms[0])

    def _flat(self, outputs: Any) -> list[Any]:
        return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def without_dropout(model: Any) -> None:
    """Set the share that dropout leaves out to 0, in a model and in those within it."""
    for layer in model._flatten_layers():
        if type(layer).__name__ == "Dropout":
            layer.rate = 0.0


def _training(layer: Any, training: bool) -> dict[str, Any]:
    """Return the argument of a layer's call, where it has one."""
    return {"training": training} if layer._call_has_training_arg else {}


def _one_or_all(inputs: Sequence[Any]) -> Any:
    return list(inputs) if len(inputs) > 1 else inputs[0]


def _array(value: Any) -> Any:
    import numpy as np

    return np.array(current_backend().fetch(value))
