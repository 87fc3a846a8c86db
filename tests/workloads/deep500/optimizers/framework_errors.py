"""Errors of one framework's optimizers by their bounds, which `main` prints as JSON.

A process runs Keras on one framework only.
"""

from __future__ import annotations

import contextlib
import io
import json

from workloads.context import Context, SlotView
from workloads.deep500.optimizers.benchmark import OptimizerParameters
from workloads.deep500.optimizers.check import Problem, compare
from workloads.deep500.optimizers.definitions import NAMES
from workloads.deep500.optimizers.reference import trajectory
from workloads.deep500.optimizers.updates import Update, framework_update
from workloads.deep500.rounding import PRECISIONS
from workloads.runtime.framework import configure_framework

IN_16_BITS = ("momentum", "adam", "rmsprop_centred", "accelegrad")
RATES = [0.01 * 0.95**number for number in range(10)]


def errors(parameters: OptimizerParameters, make=None) -> dict[str, float]:
    """Return the metrics of the comparison; `make` returns the update, if it is no optimizer's."""
    settings = parameters.settings()
    problem = Problem(parameters.shapes, parameters.gradients, parameters.precision, 1)
    variables = problem.variables()
    update: Update = (
        framework_update(settings, parameters.framework, parameters.implementation, variables)
        if make is None
        else make(variables)
    )
    steps = trajectory(settings, problem.initial, problem.gradient, RATES, parameters.precision)
    with contextlib.redirect_stdout(io.StringIO()):
        return {one.name: one.value for one in compare(steps, problem, variables, update)}


def of_framework(framework: str) -> dict[str, float]:
    """Return the errors of all optimizers, implementations, precisions and gradients."""
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))), framework)
    found = {}
    for implementation in ("native", "keras") if framework == "torch" else ("native",):
        for precision in PRECISIONS:
            for source in ("drawn", "network") if precision == "float32" else ("drawn",):
                for name in NAMES if precision == "float32" else IN_16_BITS:
                    parameters = OptimizerParameters(
                        optimizer=name, framework=framework, implementation=implementation,
                        precision=precision, gradients=source, tensors=2, elements=500,
                    )  # fmt: skip
                    key = f"{name} {implementation} {precision} {source}"
                    found[key] = errors(parameters)["error_over_bound"]
    return found


def main(framework: str) -> None:
    """Print the errors as JSON."""
    print(json.dumps(of_framework(framework)))
