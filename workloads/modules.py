"""Built-in workloads, and objects by their ``module:name``."""

from __future__ import annotations

import importlib
import traceback
from typing import Any

from workloads.description import WorkloadError

BUILT_IN = {
    "p1b1": "workloads.candle.p1b1",
    "p3b1": "workloads.candle.p3b1",
    "lstm": "workloads.lstm",
    "alexnet": "workloads.convnets.alexnet",
    "googlenet": "workloads.convnets.googlenet",
    "overfeat": "workloads.convnets.overfeat",
    "vgg": "workloads.convnets.vgg",
    "resnet50": "workloads.imagenet.resnet50.benchmark",
}


def names() -> tuple[str, ...]:
    """Return the names of the built-in workloads."""
    return tuple(BUILT_IN)


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
