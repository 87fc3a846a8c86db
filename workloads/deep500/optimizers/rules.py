"""An update rule of a user, in a Python file with the three functions of Deep500's three-step optimizer.

``new_input(state)`` is called before each step, ``prepare_parameter(state, name, parameter)`` returns the
value at which the gradient is computed, and ``update_rule(state, name, parameter, gradient)`` the parameter
after the step, of that value. Only the last must be there. Parameters and gradients are arrays of the
framework, which all know ``+ - * / **``; `keras.ops` has other functions for all frameworks. ``state`` is a
dict that the rule may write to. It begins with the constants of the optimizer, such as ``momentum`` and
``epsilon``, and has at each step ``step``, from 1, and ``learning_rate``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workloads.deep500 import user_module
from workloads.description import WorkloadError


@dataclass(frozen=True, slots=True)
class UpdateRule:
    """The functions of an update rule, as the module describes them, and the state they share."""

    state: dict[str, Any]
    new_input: Callable[[dict[str, Any]], Any]
    prepare_parameter: Callable[[dict[str, Any], str, Any], Any]
    update_rule: Callable[[dict[str, Any], str, Any, Any], Any]

    def begin(self, learning_rate: float) -> None:
        """Begin a step."""
        self.state.update(step=self.state.get("step", 0) + 1, learning_rate=learning_rate)
        self.new_input(self.state)

    def prepared(self, name: str, parameter: Any) -> Any:
        """Return the value of a parameter at which the gradient is computed."""
        value = self.prepare_parameter(self.state, name, parameter)
        user_module.require_like(value, parameter, "prepare_parameter")
        return value

    def updated(self, name: str, parameter: Any, gradient: Any) -> Any:
        """Return a parameter after the step."""
        value = self.update_rule(self.state, name, parameter, gradient)
        user_module.require_like(value, parameter, "update_rule")
        return value


def load_rule(path: str, constants: Mapping[str, Any]) -> UpdateRule:
    """Return the update rule in a file.

    Parameters
    ----------
    path
        Of the file; a relative one begins at the working directory.
    constants
        What `UpdateRule.state` begins with.

    Raises
    ------
    WorkloadError
        If the file cannot be read or run, or has no function ``update_rule``.
    """
    module = user_module.load(path)
    functions: dict[str, Callable[..., Any]] = {
        "new_input": lambda state: None,  # noqa: ARG005
        "prepare_parameter": lambda state, name, parameter: parameter,  # noqa: ARG005
    }
    for name in ("new_input", "prepare_parameter", "update_rule"):
        found = getattr(module, name, functions.get(name))
        if not callable(found):
            raise WorkloadError(
                f"rule {path}: has no function {name}; "
                "write def update_rule(state, name, parameter, gradient), which returns the new parameter"
            )
        functions[name] = found
    return UpdateRule(dict(constants), **functions)
