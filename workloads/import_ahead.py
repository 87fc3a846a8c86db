"""Import what a run of a workload will import, in a process that is forked later, and run nothing of it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from workloads import modules
from workloads.description import Workload
from workloads.runtime import backends

_PARAMETER = "framework"
_JOINS_RANKS = {
    "horovod": "horovod.tensorflow",
    "torch": "torch.distributed",
    "mpi4py": "mpi4py",
    "jax": "jax",
}
"""Module through which several ranks use a package; of mpi4py without ``MPI``, whose import starts MPI."""


def framework_of(workload: Workload, parameters: Mapping[str, Any]) -> str | None:
    """Return the framework that a workload's parameters name, or else the first that it needs, if any."""
    known = workload.resolve(parameters)
    named = (known.get(_PARAMETER), *workload.packages(known, 1))
    return next((name for name in named if name in backends.NAMES), None)


def import_workload(
    name: str, parameters: Mapping[str, Any], threads: int, *, ranks: int = 1, gpus: bool = False
) -> None:
    """Import a workload's module, its framework, and what joins its ranks.

    Parameters
    ----------
    threads
        Cores of a rank.
    gpus
        Whether a rank has GPUs.

    Raises
    ------
    WorkloadError
        If there is no such workload, or its module cannot be imported.
    ImportError
        If the framework, or what joins the ranks, cannot be imported.
    """
    workload = modules.workload(name)
    modules.load(workload.entry)
    framework = framework_of(workload, parameters)
    if framework is not None:
        from workloads.runtime.framework import import_framework

        import_framework(framework, threads, gpus=gpus)
        for module in ("arithmetic", f"arithmetic.{framework}", "step_count", "zero_copy"):
            importlib.import_module(f"workloads.runtime.{module}")
    packages = {*workload.packages(workload.resolve(parameters), ranks)}
    if framework != "tensorflow":
        packages.discard("horovod")  # the module for TensorFlow would import that
        if "tensorflow" in packages:  # it reads the data
            importlib.import_module("tensorflow")
    for package in sorted(packages & _JOINS_RANKS.keys() if ranks > 1 else ()):
        importlib.import_module(_JOINS_RANKS[package])
