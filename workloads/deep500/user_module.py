"""A Python file of a user that takes the place of a part of a workload: its checks and its import."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from workloads.description import WorkloadError

MODULE = "workloads.deep500.rule_of_user"
"""Name of the file's module; below `workloads` it is among the listed code of the training process."""


class _Loader(SourceFileLoader):
    """Loads the text of the file; a cached one is taken for a text of the same second and length."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def forget() -> None:
    """Forget the file of an earlier run of this process, which is none of this run's code."""
    sys.modules.pop(MODULE, None)


def load(path: str) -> ModuleType:
    """Return the module of a file.

    Parameters
    ----------
    path
        Of the file; a relative one begins at the working directory.

    Raises
    ------
    WorkloadError
        If the file cannot be read or run.
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
    return module


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


def require_like(value: object, parameter: object, function: str) -> None:
    """Check that a function's value can take the place of a parameter.

    Raises
    ------
    WorkloadError
        If it has no shape, or another one.
    """
    shape, wanted = getattr(value, "shape", None), tuple(parameter.shape)  # type: ignore[attr-defined]
    if shape is None or tuple(shape) != wanted:
        what = type(value).__name__ if shape is None else f"the shape {tuple(shape)}"
        raise WorkloadError(
            f"{function} of the rule must return an array of the parameter's shape {wanted}, "
            f"and returned {what}"
        )
