"""What other packages offer through entry points, and the nearest of several names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

SCHEDULERS = "ensemble_throughput_orchestrator.schedulers"
"""Schedulers by the ``type`` that site files write; see `orchestrator.schedulers.families`."""
LAUNCHERS = "ensemble_throughput_orchestrator.launchers"
"""Launchers by their ``type``; see `orchestrator.schedulers.launchers`."""


def offered(group: str) -> EntryPoints:
    """Return what installed packages offer in a group."""
    return entry_points(group=group)


def names(group: str) -> list[str]:
    """Return the names that installed packages offer in a group, in alphabetical order."""
    return sorted(offered(group).names)


def load(group: str, name: str) -> Any:
    """Return the object that an installed package offers.

    Raises
    ------
    LookupError
        If no package offers the name.
    ValueError
        If several do, or the object cannot be imported; the message names the package.
    """
    found = list(offered(group).select(name=name))
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


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that was probably meant, if one is at least as alike as `cutoff` of 1."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), None)


def near(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint at the nearest known name, or else another one, to append to a message."""
    close = nearest(name, known)
    hint = f"did you mean {close}?" if close else otherwise
    return f"; {hint}" if hint else ""


def _package(one: EntryPoint) -> str:
    return one.dist.name if one.dist is not None else one.module
