"""Rulebooks by name: those of this package, and those that installed packages add.

A package adds one under the entry-point group `GROUP`; the entry names a module, or an object of one, that
offers what `model.Rulebook` lists. Names of this package's own rulebooks cannot be taken over.
"""

from __future__ import annotations

import importlib
from typing import cast

from orchestrator.errors import RulebookError
from orchestrator.rulebooks.model import Rulebook
from orchestrator.version import __version__
from workloads import plugins
from workloads.description import Workload
from workloads.external.reference import is_file

GROUP = "ensemble_throughput_orchestrator.rulebooks"
_BUILT_IN = {  # as in pyproject.toml, so that a checkout works without being installed
    "coral2": "orchestrator.rulebooks.coral2.rulebook",
    "hpcai500": "orchestrator.rulebooks.hpcai500.rulebook",
    "mlperf_hpc": "orchestrator.rulebooks.mlperf_hpc.rulebook",
    "none": "orchestrator.rulebooks.none.rulebook",
    "recipe": "orchestrator.rulebooks.recipe.rulebook",
}
_OFFERED = (
    "NAME", "TITLE", "SOURCE", "HEADLINE", "RUN_CLASSES", "ONE_BENCHMARK_AT_A_TIME", "NEEDS_RUNS", "RULES",
    "GROUPS", "workloads", "judge", "preflight", "reject_reason",
)  # fmt: skip


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
        return cast("Rulebook", importlib.import_module(_BUILT_IN[name]))
    try:
        rulebook = plugins.load(GROUP, name)
    except LookupError:
        known = names()
        hint = plugins.near(name, known, f"installed: {', '.join(known)}")
        raise RulebookError(f"no rulebook {name!r}{hint}") from None
    except ValueError as error:
        raise RulebookError(f"rulebook {error}") from error
    missing = [one for one in _OFFERED if not hasattr(rulebook, one)]
    if missing:
        raise RulebookError(f"rulebook {name!r} lacks {', '.join(missing)}")
    return cast("Rulebook", rulebook)


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


def run_class_of(rulebook: Rulebook, run_class: str) -> str:
    """Return a campaign's class, by default the rulebook's first.

    Raises
    ------
    ValueError
        If the rulebook has no such class.
    """
    known = rulebook.RUN_CLASSES
    if not run_class:
        return known[0]
    if run_class not in known:
        raise RulebookError(
            f"rulebook {rulebook.NAME} has {' or '.join(map(repr, known))}, not {run_class!r}"
            f"{plugins.near(run_class, known)}"
        )
    return run_class
