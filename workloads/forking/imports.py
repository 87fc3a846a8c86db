"""Import what trainings need, in a process that they are forked from, and run nothing of it."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from workloads.forking import forked_child
from workloads.forking.process_state import changed_by

_RUNNER = ("workloads.run", "workloads.runtime.arithmetic", "workloads.external.reference")
"""The runner, and what it imports when a run needs it."""


_PINNING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""Variables that OpenMP's libraries read when they are loaded, with the cores of that process."""


class CannotForkError(Exception):
    """Nothing can be forked from a process with these imports; says why."""


def pinned_threads(variables: Mapping[str, str]) -> str | None:
    """Return which variable keeps trainings with these variables from being forked, in words, or None."""
    name = next((name for name in _PINNING if variables.get(name, "false") != "false"), None)
    return None if name is None else f"its variable {name} pins threads to the cores that an import sees"


def imported(load: Callable[[], object], cores: Collection[int]) -> str | None:
    """Import on the cores of a slot; return why nothing can be forked after that, or None.

    Parameters
    ----------
    load
        Imports; raises `CannotForkError` where they change what a forked process would not have.
    cores
        Logical CPUs; empty for those that this process has.
    """
    own, folder = os.sched_getaffinity(0), str(Path.cwd())
    try:
        os.sched_setaffinity(0, cores or own)
        sys.path.append(folder)  # as the runner does, for a user's own workloads
        load()
    except CannotForkError as error:
        return str(error)
    except BaseException as error:  # noqa: BLE001  a user's module may raise anything, SystemExit included
        return f"its imports failed: {type(error).__name__}: {' '.join(str(error).split())}"
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        os.sched_setaffinity(0, own)
    os.waitpid(forked_child.fork(lambda: 0), 0)  # OpenBLAS ends its idle threads before a fork
    if (left := forked_child.left_behind()) is not None:
        return f"its imports left {left}"
    gc.collect()
    gc.freeze()  # no later collection writes to pages that children share
    return None


def import_training(
    workload: str | None, parameters: Mapping[str, Any], threads: int, *, ranks: int, gpus: bool
) -> None:
    """Import the runner and a workload, and compute what each training would compute for itself.

    Parameters
    ----------
    workload
        None for nothing but the runner.
    threads
        Cores of a rank.
    ranks
        Number of ranks of an attempt.
    gpus
        Whether each rank has GPUs.

    Raises
    ------
    CannotForkError
        If a user's module changes this process.
    """
    for name in _RUNNER:
        importlib.import_module(name)
    from workloads import modules
    from workloads.import_ahead import import_workload
    from workloads.provenance.code import code_documents, local_devices
    from workloads.runtime.host_facts import host_facts

    if workload is not None:
        if workload not in modules.names() and (why := _changed_by_module(workload)):
            raise CannotForkError(f"importing {workload} changes {why}")
        import_workload(workload, parameters, threads, ranks=ranks, gpus=gpus)
    host_facts()
    local_devices()
    code_documents([workload or ""], {})


def package_of(workload: str | None) -> str:
    """Return the top package of the module of a workload; empty without one."""
    from workloads import modules

    name = workload or ""
    reference = name if "." in name else modules.installed().get(name, "")
    return reference.partition(":")[0].partition(".")[0]


def _changed_by_module(workload: str) -> str | None:
    """Import a user's workload; return what that changed of this process that forks would not have."""
    from workloads import modules

    return changed_by(lambda: modules.load(modules.workload(workload).entry), package_of(workload))
