"""Find schedulers and launchers that other packages provide through entry points.

A package offers a scheduler in the group ``ensemble_throughput_orchestrator.schedulers``: the name is the
``type`` that site files write, the object has ``settings``, a model derived from `sites.schedulers.Batch`
for the keys of the site file, and ``family``, as `orchestrator.schedulers.families` describes it. It offers a
launcher in the group ``ensemble_throughput_orchestrator.launchers``.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

SCHEDULERS = "ensemble_throughput_orchestrator.schedulers"
LAUNCHERS = "ensemble_throughput_orchestrator.launchers"


def names(group: str) -> list[str]:
    """Return the names that installed packages offer in a group, in alphabetical order."""
    return sorted({one.name for one in entry_points(group=group)})


def load(group: str, name: str) -> Any:
    """Return the object that an installed package offers.

    Raises
    ------
    LookupError
        If no package offers the name.
    ValueError
        If several do, or the object cannot be imported; the message names the package.
    """
    found = list(entry_points(group=group, name=name))
    if not found:
        raise LookupError(name)
    if len({one.value for one in found}) > 1:
        raise ValueError(f"{name} is offered by several packages: {', '.join(map(_package, found))}")
    try:
        return found[0].load()
    except Exception as error:  # whatever the code of another package does
        raise ValueError(
            f"{name} of package {_package(found[0])} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def near(name: str, known: Sequence[str]) -> str:
    """Return a hint at the known name that is nearest, to append to a message; empty without one."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _package(one: EntryPoint) -> str:
    return one.dist.name if one.dist is not None else one.module
