"""Workloads by the name of their module, and objects by their ``module:name``."""

from __future__ import annotations

import importlib
import traceback
from functools import cache
from pathlib import Path
from typing import Any

from workloads import import_guard, plugins
from workloads.description import Workload, WorkloadError
from workloads.spelling import near

GROUP = "ensemble_throughput_orchestrator.workloads"
"""Group of the entry points by which installed packages name their workloads."""

BUILT_IN = {
    "p1b1": "workloads.candle.p1b1",
    "p3b1": "workloads.candle.p3b1",
    "lstm": "workloads.lstm",
    "alexnet": "workloads.convnets.alexnet",
    "googlenet": "workloads.convnets.googlenet",
    "overfeat": "workloads.convnets.overfeat",
    "vgg": "workloads.convnets.vgg",
    "resnet50": "workloads.imagenet.resnet50.benchmark",
    "resnet50_v15": "workloads.imagenet.resnet50_v15.benchmark",
    "nt3": "workloads.candle.nt3",
    "p1b2": "workloads.candle.p1b2",
    "p1b3": "workloads.candle.p1b3",
    "p1b1_parallel": "workloads.candle.p1b1_parallel",
    "extreme_weather": "workloads.extreme_weather.benchmark",
    "cifar10_resnet44": "workloads.cifar10.benchmark",
    "gemm": "workloads.microbenchmarks.gemm",
    "conv": "workloads.microbenchmarks.conv",
    "triad": "workloads.microbenchmarks.triad",
    "read_bandwidth": "workloads.microbenchmarks.read_bandwidth",
    "allreduce": "workloads.microbenchmarks.allreduce",
    "links": "workloads.microbenchmarks.links",
    "deep500_operator": "workloads.deep500.operators.benchmark",
    "deep500_network": "workloads.deep500.networks.benchmark",
    "deep500_optimizer": "workloads.deep500.optimizers.benchmark",
    "deep500_training": "workloads.deep500.training.benchmark",
    "deep500_dataset": "workloads.deep500.training.dataset",
    "deep500_distributed": "workloads.deep500.distributed.benchmark",
    "perceptron": "workloads.perceptron",
    "cosmoflow": "workloads.cosmoflow.benchmark",
}


_OWN_PACKAGES = ("orchestrator", "workloads", "sites", "db")


def names() -> tuple[str, ...]:
    """Return the names of the built-in workloads."""
    return tuple(BUILT_IN)


@cache
def installed() -> dict[str, str]:
    """Return ``module:name`` of the workloads of installed packages, by name.

    A built-in name stays built-in.
    """
    offered = plugins.offered(GROUP)
    return {name: offered[name].value for name in plugins.names(GROUP) if name not in BUILT_IN}


def workload(name: str) -> Workload:
    """Return the description of a built-in or installed workload, or of one in a module by dotted path.

    Raises
    ------
    WorkloadError
        If there is no such workload; the nearest name is suggested.
    """
    if name.endswith(".py") or "/" in name:
        raise WorkloadError(
            f"workload {name!r} is a path and no .yaml file; a script needs a workload file, which says how "
            "it is started: `orchestrator docs your-own`, External command"
        )
    reference = BUILT_IN.get(name) or (name if "." in name else installed().get(name))
    if reference is None:
        known = (*BUILT_IN, *installed())
        hint = near(name, known, f"there are {', '.join(known)}")
        raise WorkloadError(
            f"no workload {name!r}{hint} (a workload of your own is named by its dotted module path, "
            "an external command by the path of its .yaml file)"
        )
    found = load(reference if ":" in reference else f"{reference}:WORKLOAD")
    if not isinstance(found, Workload):
        raise WorkloadError(f"{name}.WORKLOAD is a {type(found).__name__}, not a workload description")
    return found


def _hidden(module: str) -> str:
    """Return why a user's module is not found though its file is there; empty where it is not there."""
    package = module.partition(".")[0]
    file = Path(*module.split("."))
    if package not in _OWN_PACKAGES or not (file.with_suffix(".py").is_file() or file.is_dir()):
        return ""
    return f"; {package} is a package of the orchestrator itself: rename the folder {Path.cwd() / package}"


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
                f"no module {module_name!r} on the Python path (not found: {missing}){_hidden(module_name)}"
            ) from error
        raise WorkloadError(
            f"module {module_name!r} needs {missing!r}, which is not installed here"
        ) from error
    except (Exception, SystemExit) as error:  # a user's module may raise anything when it is imported
        frames = traceback.extract_tb(error.__traceback__)
        place = [frame for frame in frames if frame.filename != import_guard.__file__][-1]
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
