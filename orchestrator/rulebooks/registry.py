"""Rulebooks by name: those of this package, and those that installed packages add.

A package adds one under the entry-point group `GROUP`; the entry names a
`model.Rulebook`. Names of this package's own rulebooks cannot be taken over.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection
from typing import cast

from orchestrator.errors import RulebookError
from orchestrator.rulebooks.model import Rulebook
from orchestrator.version import __version__
from workloads import plugins
from workloads.description import Workload
from workloads.external.reference import is_file
from workloads.spelling import near

GROUP = "ensemble_throughput_orchestrator.rulebooks"
_BUILT_IN = {  # as in pyproject.toml, so that a checkout works without being installed
    "coral2": "orchestrator.rulebooks.coral2.rulebook:RULEBOOK",
    "hpcai500": "orchestrator.rulebooks.hpcai500.rulebook:RULEBOOK",
    "mlperf_hpc": "orchestrator.rulebooks.mlperf_hpc.rulebook:RULEBOOK",
    "none": "orchestrator.rulebooks.none.rulebook:RULEBOOK",
    "recipe": "orchestrator.rulebooks.recipe.rulebook:RULEBOOK",
}


def names() -> tuple[str, ...]:
    """Return the names of all rulebooks that are installed."""
    return tuple(sorted({*_BUILT_IN, *plugins.names(GROUP)}))


def load(name: str) -> Rulebook:
    """Return the rulebook called `name`.

    Raises
    ------
    ValueError
        If there is none of that name (the nearest one is suggested), or an installed one cannot be used.
    """
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        return cast("Rulebook", getattr(importlib.import_module(module), attribute))
    try:
        rulebook = plugins.load(GROUP, name)
    except LookupError:
        known = names()
        hint = near(name, known, f"installed: {', '.join(known)}")
        raise RulebookError(f"no rulebook {name!r}{hint}") from None
    except ValueError as error:
        raise RulebookError(f"rulebook {error}") from error
    if not isinstance(rulebook, Rulebook):
        kind = type(rulebook).__name__
        raise RulebookError(f"rulebook {name!r}: its entry point names a {kind}, not a Rulebook")
    return rulebook


def version_of(name: str) -> str:
    """Return the version of the package that a rulebook comes with; empty where that is not known."""
    if name in _BUILT_IN:
        return __version__
    found = [point.dist for point in plugins.offered(GROUP) if point.name == name and point.dist]
    return f"{found[0].name} {found[0].version}" if found else ""


def workload_name(module: str, workload: Workload) -> str:
    """Return the name by which rulebooks know a workload.

    That of an external command is its file's; a user's module is no benchmark of a suite, whatever its name.
    """
    return workload.name if is_file(module) else module


def misfit(name: str, workloads: Collection[str]) -> str:
    """Return what to write where a suite has no workload of a campaign; empty where it has one."""
    suite = load(name).workloads()
    if not suite or any(one in suite for one in workloads):
        return ""
    fitting = [
        f"`rulebook: {other}`, whose suite has {one}"
        for other in sorted(_BUILT_IN)
        for one in list(dict.fromkeys(workloads))
        if one in load(other).workloads()
    ]
    better = f", or {fitting[0]}" if fitting else ""
    return (
        f"rulebook {name} has no benchmark of this campaign: write in its file `rulebook: none`, for counts, "
        f"times and throughput{better}"
    )


def run_class_of(rulebook: Rulebook, run_class: str) -> str:
    """Return a campaign's class, by default the rulebook's first.

    Raises
    ------
    ValueError
        If the rulebook has no such class.
    """
    known = rulebook.run_classes
    if not run_class:
        return known[0]
    if run_class not in known:
        raise RulebookError(
            f"rulebook {rulebook.name} has {' or '.join(map(repr, known))}, not {run_class!r}"
            f"{near(run_class, known)}"
        )
    return run_class
