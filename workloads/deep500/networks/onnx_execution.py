"""A network in ONNX Runtime, on the slot's cores: whole, and each of its operators alone."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from workloads.context import Context, Metric
from workloads.deep500.networks import micro_batches, onnx_files
from workloads.deep500.networks.definition import NONE, Measurable, NetworkParameters
from workloads.description import WorkloadError, require_memory
from workloads.runtime.framework import threads_of
from workloads.runtime.host_facts import memory_of

Call = Callable[[], Any]


def prepare_onnx(parameters: NetworkParameters, context: Context) -> Measurable:
    """Return a network of the catalogue, exported, or of an ONNX file, with its batch and its reference.

    Raises
    ------
    WorkloadError
        If the slot has GPUs, or the network cannot be read, run or evaluated, or does not fit the memory.
    """
    if context.devices:
        raise WorkloadError("networks run on cores through onnxruntime here: give the slot gpus: 0")
    prepare = _of_file if parameters.onnx_file else _of_catalogue
    return prepare(parameters, context)


def _of_catalogue(parameters: NetworkParameters, context: Context) -> Measurable:
    """Export a network for ONNX Runtime; the reference is computed from the network that was exported."""
    if "keras" not in sys.modules:  # any framework describes a network to Keras; nothing runs in it
        from workloads.runtime.framework import configure_framework

        configure_framework(context, "tensorflow")
    from workloads.deep500.networks import onnx_export, reference
    from workloads.deep500.networks.keras_execution import described, network_figures

    context.start()
    graph, seed = described(parameters), parameters.weights_seed
    with context.phase("build"):
        weights = reference.draw_weights(graph, seed)
        inputs = reference.draw_tensors(graph.inputs, parameters.batch_size, seed + 1)
        model = onnx_export.export(graph, weights, parameters.batch_size)
        given = {f"input{number}": one for number, one in enumerate(inputs)}
        network, split = _opened(parameters, parameters.network, model, given, threads_of(context))
    with context.phase("reference"):
        expected = reference.outputs(graph, weights, inputs)
        tolerances = reference.tolerances(graph, expected, parameters.precision)
    return Measurable(
        call=network.call,
        reference=expected,
        tolerances=tolerances,
        operators=network.operators,
        figures=(*network_figures(graph, parameters), *split.figures),
        observed={**network.observed, "precision": "float32", **split.observed},
        facts={"weights_sha256": reference.digest(weights), "reference": "NumPy, float64"},
    )


def _of_file(parameters: NetworkParameters, context: Context) -> Measurable:
    """Read a network; the reference is ONNX' own evaluator, in the types of the file."""
    path = Path(parameters.onnx_file)
    context.start()
    with context.phase("build"):
        model = onnx_files.read(path)
        onnx_files.fix_batch(path, model, parameters.batch_size)
        require_memory(onnx_files.memory_bytes(model), memory_of(context.memory_bytes))
        model = onnx_files.with_shapes(path, model)
        need = onnx_files.memory_bytes(model)
        require_memory(need, memory_of(context.memory_bytes))
        given = onnx_files.draw_inputs(path, model, parameters.weights_seed + 1)
        network, split = _opened(parameters, str(path), model, given, threads_of(context))
    with context.phase("reference"):
        expected, tolerances, precision = evaluated(path, model, given)
    return Measurable(
        call=network.call,
        reference=expected,
        tolerances=tolerances,
        operators=network.operators,
        figures=(
            Metric("weight_elements", onnx_files.weight_elements(model)),
            Metric("memory_estimate_bytes", need, "B"),
            *split.figures,
        ),
        observed={**network.observed, "precision": precision, **split.observed},
        facts={
            **onnx_files.describe(path, model),
            **({"operator_times": network.missing} if network.missing else {}),
            "reference": f"onnx.reference {onnx.__version__} (NumPy), in the types of the file",
        },
    )


def evaluated(path: Path, model: Any, given: Mapping[str, Any]) -> tuple[list[Any], list[Any], str]:
    """Return the outputs of ONNX' own evaluator, in the file's types, their tolerances, and its precision.

    Raises
    ------
    WorkloadError
        If the evaluator cannot run the network.
    """
    from onnx.reference import ReferenceEvaluator

    from workloads.deep500.networks import reference

    try:
        expected = list(ReferenceEvaluator(model).run(None, dict(given)))
    except Exception as error:
        raise onnx_files.runtime_error(f"{path}: no reference by onnx.reference", error) from error
    precision = onnx_files.precision_of(model)
    terms = max((int(np.prod(one.dims[1:])) for one in model.graph.initializer if one.dims), default=1)
    share = reference.rounding_share(len(model.graph.node), terms, precision)
    return expected, [2 * one for one in reference.rounding(share, expected)], precision  # it rounds as well


@dataclass(frozen=True, slots=True)
class _Split:
    """Figures and observations of a network's micro-batches; nothing where the batch is not split."""

    figures: tuple[Metric, ...] = ()
    observed: dict[str, Any] = field(default_factory=dict)


def _opened(
    parameters: NetworkParameters, name: str, model: Any, given: Mapping[str, Any], threads: int
) -> tuple[OnnxNetwork, _Split]:
    """Open a network, which takes its batch in the parts that take least time within the limit of memory."""
    if parameters.micro_batching == NONE:
        return OnnxNetwork(name, model, given, threads), _Split()

    def opened(changed: Any, inputs: Mapping[str, Any]) -> OnnxNetwork:
        return OnnxNetwork(name, changed, inputs, threads, arena=False)

    networks = {}
    for size in micro_batches.sizes(parameters.micro_batching, parameters.batch_size):
        part = onnx_files.with_shapes(Path(name), micro_batches.with_batch(model, size))
        networks[size] = opened(part, {key: value[:size] for key, value in given.items()})
    costs = micro_batches.measured({size: network.call for size, network in networks.items()})
    parts = micro_batches.chosen(costs, parameters.batch_size, parameters.memory_limit)
    network = opened(micro_batches.split(model, parts), given)
    pair = micro_batches.measured({0: networks[parameters.batch_size].call, 1: network.call})
    figures = [Metric("micro_batches", len(parts))]
    for prefix, cost in (("whole_batch", pair[0]), ("split", pair[1])):
        figures += [
            Metric(f"{prefix}_seconds", cost.seconds, "s"),
            Metric(f"{prefix}_memory_bytes", cost.memory_bytes, "B"),
        ]
    return network, _Split(tuple(figures), {"micro_batches": list(parts)})


class OnnxNetwork:
    """An ONNX model in ONNX Runtime.

    Parameters
    ----------
    name
        For messages.
    given
        Inputs by name.
    threads
        Of an operator; one operator runs at a time.
    arena
        Keep freed memory for later operators; without, each gives its memory back.

    Raises
    ------
    WorkloadError
        If ONNX Runtime cannot run it, with the operator.
    """

    def __init__(
        self, name: str, model: Any, given: Mapping[str, Any], threads: int, *, arena: bool = True
    ) -> None:
        self._arena = arena
        self._name, self._model, self._given, self._threads = name, model, dict(given), threads
        self._session = self._open(model)
        self._alone = _Alone(model)
        options = self._session.get_session_options()
        self.observed = {
            "framework": "onnxruntime",
            "framework_version": onnxruntime.__version__,
            "onnx_version": onnx.__version__,
            "onnxruntime_providers": self._session.get_providers(),
            "intra_op_threads": options.intra_op_num_threads,
            "inter_op_threads": options.inter_op_num_threads,
        }

    @property
    def missing(self) -> str:
        """Why single operators cannot be timed; empty if they can."""
        return self._alone.missing

    def call(self) -> list[Any]:
        """Return the outputs."""
        return list(self._session.run(None, self._given))

    def operators(self) -> list[tuple[str, int, Call]]:
        """Return a call of each distinct operator, with its node and how often the network has it."""
        return [(name, count, self._operator(name)) for name, count in self._alone.distinct]

    def _operator(self, name: str) -> Call:
        model, given = self._alone.model(name)
        session = self._open(model)
        return lambda: session.run(None, given)

    def _open(self, model: Any) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self._threads, 1
        options.log_severity_level = 3
        options.enable_cpu_mem_arena = options.enable_mem_pattern = self._arena
        try:
            return onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            what = f"{self._name}: onnxruntime {onnxruntime.__version__} cannot run it"
            raise onnx_files.runtime_error(what, error) from error


class _Alone:
    """The operators of a model, each as a model of its own, on random inputs of its shapes."""

    def __init__(self, model: Any) -> None:
        self.missing = ""
        self.distinct: list[tuple[str, int]] = []
        self._opsets, self._ir_version = list(model.opset_import), model.ir_version
        graph = model.graph
        self._constants = {one.name: one for one in graph.initializer}
        self._values = {one.name: one for one in (*graph.input, *graph.value_info, *graph.output)}
        if not self._values.keys() >= {name for node in graph.node for name in node.output if name}:
            inferred = onnx.shape_inference.infer_shapes(model).graph
            self._values |= {one.name: one for one in (*inferred.value_info, *inferred.output)}
        self._nodes: dict[str, Any] = {}
        counts: Counter[str] = Counter()
        for number, node in enumerate(graph.node):
            if self.missing:
                return
            counts[self._signature(node, number)] += 1
        self.distinct = [] if self.missing else list(counts.items())

    def model(self, signature: str) -> tuple[Any, dict[str, Any]]:
        """Return the model of an operator, and its inputs."""
        node = self._nodes[signature]
        weights = [self._constants[name] for name in node.input if name in self._constants]
        inputs = [self._values[name] for name in dict.fromkeys(node.input) if name and name in self._values]
        inputs = [one for one in inputs if one.name not in self._constants]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        graph = helper.make_graph([node], "operator", inputs, outputs, weights)
        alone = helper.make_model(graph, opset_imports=self._opsets, ir_version=self._ir_version)
        return alone, onnx_files.draw_inputs(Path(node.op_type), alone, 0)

    def _signature(self, node: Any, number: int) -> str:
        """Return what nodes that cost the same have in common, and keep the first of them."""
        shapes = []
        for name in node.input:
            if name in self._constants:
                shapes.append((tuple(self._constants[name].dims), "weight"))
                continue
            value = self._values.get(name)
            shape = onnx_files.shape_of(value) if value is not None else None
            kind = value.type.tensor_type.elem_type if value is not None else None
            if name and (shape is None or kind != onnx.TensorProto.FLOAT):
                self.missing = f"not measured: input {name} of node {node.name or number} is no float32 array"
            shapes.append((shape or (), "input"))
        attributes = sorted(helper.printable_attribute(one) for one in node.attribute)
        signature = f"{node.op_type} {shapes} {attributes}"
        self._nodes.setdefault(signature, node)
        return signature
