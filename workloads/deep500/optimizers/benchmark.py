"""An optimizer's steps against a reference in float64, and the time of a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.deep500.optimizers import constants
from workloads.deep500.optimizers.check import Problem, compare
from workloads.deep500.optimizers.definitions import DEFINITIONS, NAMES, Settings
from workloads.deep500.optimizers.gradients import NETWORK_SHAPES
from workloads.deep500.optimizers.reference import trajectory
from workloads.deep500.optimizers.updates import (
    Update,
    framework_update,
    implementation,
    rule_of,
    rule_update,
)
from workloads.deep500.rounding import PRECISIONS
from workloads.description import Workload
from workloads.parameters import common, parameter, table
from workloads.runtime.framework import FRAMEWORK, configure_framework, synchronise

_BYTES_PER_NUMBER = 12 * 8
"""Reference, its states and magnitudes in float64, and what the framework holds, for each number."""


@dataclass(frozen=True, slots=True)
class OptimizerParameters:
    """Parameters of the check of an optimizer."""

    optimizer: str = parameter("adam", "formula, and with a rule the one that it claims to be", choices=NAMES)
    rule: str = common(constants.RULE)
    definition: str = parameter(
        "auto",
        "where formulas differ: keras, torch, or auto: that of the optimizer, and of a rule torch",
        choices=("auto", *DEFINITIONS),
    )
    implementation: str = common(constants.IMPLEMENTATION)
    framework: str = common(FRAMEWORK)
    precision: str = parameter("float32", "type of parameters, gradients and states", choices=PRECISIONS)
    steps: int = parameter(20, "compared steps", minimum=1)
    gradients: str = parameter(
        "drawn",
        "drawn; or network: of a perceptron with 2,762 weights, whose rows the classes follow from",
        choices=("drawn", "network"),
    )
    tensors: int = parameter(8, "arrays of parameters, with drawn gradients", minimum=1)
    elements: int = parameter(4096, "numbers in each of them", minimum=1)
    learning_rate: float = parameter(0.01, "in the first step", minimum=0)
    rate_factor: float = parameter(0.95, "learning rate of a step by that of the one before", minimum=0)
    momentum: float = common(constants.MOMENTUM)
    beta_1: float = common(constants.BETA_1)
    beta_2: float = common(constants.BETA_2)
    rho: float = common(constants.RHO)
    epsilon: float = parameter(1e-3, "added to divisors; large enough that its place shows", minimum=0)
    budget_seconds: float = parameter(1.0, "time for the reruns of a step", unit="s", minimum=0)
    relative_width: float = parameter(0.05, "wished width of the interval by the median", minimum=0)
    warm_up: int = parameter(2, "reruns before, which do not count", minimum=0)

    def settings(self) -> Settings:
        """Return the optimizer, as the reference takes it."""
        name = self.definition
        if name == "auto":
            name = "torch" if self.rule else implementation(self.framework, self.implementation)
        return constants.settings_of(self, DEFINITIONS[name])

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if the rule cannot be used, or a share is not below 1."""
        constants.check(self)

    @property
    def memory_bytes(self) -> int:
        """Estimate of the host memory for the parameters, their reference, and the states of both."""
        return _BYTES_PER_NUMBER * sum(math.prod(shape) for shape in self.shapes)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arrays of parameters."""
        return NETWORK_SHAPES if self.gradients == "network" else ((self.elements,),) * self.tensors


WORKLOAD = Workload(
    name="deep500_optimizer",
    title="Optimizer: steps against a reference in float64, and seconds per step",
    source="this project; the levels of deep500/deep500 commit cd9b21e",
    entry="workloads.deep500.optimizers.benchmark:run",
    parameters=table(OptimizerParameters),
    parameters_type=OptimizerParameters,
    fom_time="run",
    metrics=(
        "error_over_bound", "worst_step", "max_error", "nonfinite_outputs", "elements", "wallclock_seconds",
        "build_seconds", "check_seconds", "measure_seconds",
    ),
    requires=("keras", "{framework}"),
)  # fmt: skip


def run(parameters: OptimizerParameters, context: Context) -> Result:
    """Take the steps, compare the parameters after each, and time further steps.

    Raises
    ------
    WorkloadError
        If the rule cannot be used, or a share is not below 1.
    """
    settings = parameters.settings()
    rule = rule_of(parameters.rule, settings)
    observed = configure_framework(context, parameters.framework)
    problem = Problem(parameters.shapes, parameters.gradients, parameters.precision, context.seed % 2**63)
    rates = [parameters.learning_rate * parameters.rate_factor**step for step in range(parameters.steps)]
    with context.phase("build"):
        variables = problem.variables()
        update = (
            rule_update(rule, variables)
            if rule is not None
            else framework_update(settings, parameters.framework, parameters.implementation, variables)
        )
    context.start()
    with context.phase("check"):
        steps = trajectory(settings, problem.initial, problem.gradient, rates, parameters.precision)
        compared = compare(steps, problem, variables, update)
    with context.phase("measure"):
        _measure(parameters, context, update, problem.arrays(problem.gradient(1, problem.initial)))
    return Result(
        metrics=(*compared, Metric("elements", problem.initial.size)),
        observed=observed
        | {
            "optimizer": constants.optimizer_of(parameters),
            "definition": settings.source,
        },
        observe_after=lambda: {"precision": variables[0].dtype, "precision_asked": parameters.precision},
    )


def _measure(
    parameters: OptimizerParameters, context: Context, update: Update, gradient: Sequence[Any]
) -> None:
    def step() -> None:
        update.begin(parameters.learning_rate)
        update.apply(gradient, parameters.learning_rate)

    context.measure(
        step,
        metrics=["wallclock_seconds"],
        synchronise=synchronise,
        budget_seconds=parameters.budget_seconds,
        relative_width=parameters.relative_width,
        warm_up=parameters.warm_up,
    )
