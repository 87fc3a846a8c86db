"""The benchmark programs: what each one is, and where to find it.

Nothing here imports a deep-learning framework, so a workload can be listed, checked and
planned for on a machine that has none.
"""

from __future__ import annotations

import difflib
import importlib
import traceback
from typing import Any

from workloads.description import Workload, WorkloadError
from workloads.external.file import is_file, read

__all__ = ["describe", "load", "names"]

_BUILT_IN = {
    "p1b1": "workloads.p1b1",
    "p3b1": "workloads.p3b1",
    "lstm": "workloads.lstm",
    "alexnet": "workloads.alexnet",
    "googlenet": "workloads.googlenet",
    "overfeat": "workloads.overfeat",
    "vgg": "workloads.vgg",
    "resnet50": "workloads.resnet50",
}


def names() -> tuple[str, ...]:
    """Return the names of the built-in workloads."""
    return tuple(_BUILT_IN)


def describe(name: str) -> Workload:
    """Return the description of a workload.

    Parameters
    ----------
    name
        A built-in name, the dotted path of a module that holds a `Workload` named
        ``WORKLOAD``, or the path of a YAML file that describes an external command.

    Raises
    ------
    WorkloadError
        If there is no such workload (the nearest built-in name is suggested), or its file is wrong.
    """
    if is_file(name):
        return read(name)
    if name not in _BUILT_IN and "." not in name:
        near = difflib.get_close_matches(name, _BUILT_IN, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_BUILT_IN)}"
        raise WorkloadError(
            f"no workload {name!r}; {hint} (a workload of your own is named by its dotted module path, "
            "an external command by the path of its .yaml file)"
        )
    workload = load(f"{_BUILT_IN.get(name, name)}:WORKLOAD")
    if not isinstance(workload, Workload):
        raise WorkloadError(f"{name}.WORKLOAD is a {type(workload).__name__}, not a workload description")
    return workload


def load(reference: str) -> Any:
    """Return the object that a ``module:name`` text refers to.

    Raises
    ------
    WorkloadError
        If the text has another form, the module or the name does not exist, or the module
        cannot be imported because something that it imports is not installed.
    """
    module_name, colon, attribute = reference.partition(":")
    if not (module_name and colon and attribute):
        raise WorkloadError(f"{reference!r} must have the form module:name")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if module_name == missing or module_name.startswith(f"{missing}."):
            raise WorkloadError(
                f"no module {module_name!r} on the Python path (not found: {missing})"
            ) from error
        raise WorkloadError(
            f"module {module_name!r} needs {missing!r}, which is not installed here"
        ) from error
    except Exception as error:  # whatever somebody else's module does when it is imported
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename}:{place.lineno}"
        if isinstance(error, SyntaxError):
            where = f"{error.filename}:{error.lineno}"
        elif place.filename == importlib.__file__:
            raise WorkloadError(f"{module_name!r} is not a dotted module path: {error}") from error
        raise WorkloadError(
            f"module {module_name!r} cannot be imported: {type(error).__name__}: {error} ({where})"
        ) from error
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise WorkloadError(f"module {module_name!r} has no {attribute!r}") from None
