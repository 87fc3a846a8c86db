"""Workloads by name."""

from __future__ import annotations

import difflib

from workloads.description import Workload, WorkloadError
from workloads.external.reader import read
from workloads.external.reference import is_file
from workloads.modules import BUILT_IN, load


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
    if name not in BUILT_IN and "." not in name:
        near = difflib.get_close_matches(name, BUILT_IN, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BUILT_IN)}"
        raise WorkloadError(
            f"no workload {name!r}; {hint} (a workload of your own is named by its dotted module path, "
            "an external command by the path of its .yaml file)"
        )
    workload = load(f"{BUILT_IN.get(name, name)}:WORKLOAD")
    if not isinstance(workload, Workload):
        raise WorkloadError(f"{name}.WORKLOAD is a {type(workload).__name__}, not a workload description")
    return workload
