"""Parameters that every workload with an optimizer has."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from workloads.deep500.optimizers.definitions import DEFINITIONS, Definition, Settings
from workloads.deep500.optimizers.updates import implementation
from workloads.deep500.user_module import check_file
from workloads.description import Parameter, WorkloadError

RULE = Parameter("rule", "", "Python file with an update rule, in place of the framework's optimizer")
IMPLEMENTATION = Parameter(
    "implementation",
    "native",
    "native: torch.optim where PyTorch runs, elsewhere Keras; keras: Keras everywhere",
    choices=("native", "keras"),
)
MOMENTUM = Parameter("momentum", 0.9, "of momentum, nesterov and rmsprop_momentum", minimum=0)
BETA_1 = Parameter("beta_1", 0.9, "share of Adam's mean that each step keeps", minimum=0)
BETA_2 = Parameter("beta_2", 0.999, "share of Adam's mean square that each step keeps", minimum=0)
RHO = Parameter("rho", 0.9, "share of RMSProp's mean square that each step keeps", minimum=0)


def optimizer_of(parameters: Any) -> str:
    """Return whose optimizer runs: a user's file, ``keras``, ``torch``, or ``project`` for AcceleGrad."""
    if parameters.rule:
        return str(parameters.rule)
    if parameters.optimizer == "accelegrad":
        return "project"
    return implementation(parameters.framework, parameters.implementation)


def settings_of(parameters: Any, definition: Definition = DEFINITIONS["torch"]) -> Settings:
    """Return the optimizer that the parameters of a workload name, with its constants.

    Raises
    ------
    WorkloadError
        As `check`.
    """
    check(parameters)
    names = [one.name for one in fields(Settings) if one.name != "definition"]
    return Settings(**{name: getattr(parameters, name) for name in names}, definition=definition)


def check(parameters: Any) -> None:
    """Raise `WorkloadError` if the rule's file cannot be used, or a constant is out of range."""
    for name in ("momentum", "beta_1", "beta_2", "rho"):
        if not getattr(parameters, name) < 1:
            raise WorkloadError(f"{name} must be below 1, not {getattr(parameters, name):g}")
    if parameters.rule:
        check_file(parameters.rule)
    elif (
        parameters.optimizer == "nesterov"
        and not parameters.momentum
        and implementation(parameters.framework, parameters.implementation) == "torch"
    ):
        raise WorkloadError(
            "momentum must be above 0 for nesterov of torch.optim, not 0; "
            "write optimizer: gradient_descent, which is the same without momentum"
        )
