"""An update rule of a user, in a Python file with the three functions of Deep500's three-step optimizer.

``new_input(state)`` is called before each step, ``prepare_parameter(state, name, parameter)`` returns the
value at which the gradient is computed, and ``update_rule(state, name, parameter, gradient)`` the parameter
after the step, of that value. Only the last must be there. Parameters and gradients are arrays of the
framework, which all know ``+ - * / **``; `keras.ops` has other functions for all frameworks. ``state`` is a
dict that the rule may write to. It begins with the constants of the optimizer, such as ``momentum`` and
``epsilon``, and has at each step ``step``, from 1, and ``learning_rate``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from workloads.description import WorkloadError

MODULE = "workloads.deep500.rule_of_user"
"""Name of the file's module; below `workloads` it is among the listed code of the training process."""


class _Loader(SourceFileLoader):
    """Loads the text of the file; a cached one is taken for a text of the same second and length."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


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
        return _like(self.prepare_parameter(self.state, name, parameter), parameter, "prepare_parameter")

    def updated(self, name: str, parameter: Any, gradient: Any) -> Any:
        """Return a parameter after the step."""
        return _like(self.update_rule(self.state, name, parameter, gradient), parameter, "update_rule")


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
    file = check_file(path)
    module = ModuleType(MODULE)
    module.__file__ = str(file)
    sys.modules[MODULE] = module
    try:
        _Loader(MODULE, str(file)).exec_module(module)
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        text = " ".join(str(error).split())
        raise WorkloadError(f"rule {path}: cannot be run: {type(error).__name__}: {text}") from error
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


def check_file(path: str) -> Path:
    """Return the absolute path of a rule's file.

    Raises
    ------
    WorkloadError
        If there is no such file, or it is not written in Python.
    """
    file = Path(path).absolute()
    if not file.is_file():
        raise WorkloadError(f"rule {path}: no such file; a relative path begins at {Path.cwd()}")
    if file.suffix != ".py":
        raise WorkloadError(f"rule {path}: must be a Python file, with the ending .py")
    try:
        compile(file.read_bytes(), path, "exec")
    except (SyntaxError, ValueError, OSError) as error:
        text = " ".join(str(error).split())
        raise WorkloadError(f"rule {path}: is no Python: {type(error).__name__}: {text}") from error
    return file


def _like(value: Any, parameter: Any, function: str) -> Any:
    """Return a function's value if it can take the place of a parameter.

    Raises
    ------
    WorkloadError
        If it has no shape, or another one.
    """
    shape = getattr(value, "shape", None)
    if shape is None or tuple(shape) != tuple(parameter.shape):
        found = type(value).__name__ if shape is None else f"the shape {tuple(shape)}"
        raise WorkloadError(
            f"{function} of the rule must return an array of the parameter's shape {tuple(parameter.shape)}, "
            f"and returned {found}"
        )
    return value
