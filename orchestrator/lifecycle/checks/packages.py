"""The packages a plan's trainings import, and whether the Python that runs them has them."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import CampaignError
from orchestrator.host.interpreter import absent_packages
from orchestrator.planning.containers import containers_of
from orchestrator.planning.plan import Plan, without
from orchestrator.planning.stage import PlannedBenchmark
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_KERAS = "keras"
_EXTRAS = {"jax": "jax", "torch": "torch", "mpi4py": "mpi"}
_Ask = Callable[[str, Sequence[str], Mapping[str, str]], set[str] | None]


@dataclass(frozen=True, slots=True)
class Packages:
    """Packages that the trainings import, as their Python reports them.

    Parameters
    ----------
    missing
        A line for each package that it lacks: who needs it and how to get it. Nothing where it is not here.
    """

    missing: tuple[str, ...] = ()
    unknown: str | None = None
    silent_here: bool = False
    """True if the Python that gave no answer is to run instances on this very machine."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    needed: bool = False
    """Whether what is missing cannot come from a block's own setup lines."""


def look_for_packages(plan: Plan) -> Packages:
    """Ask the trainings' Python, where it is here, for the packages that a plan's trainings import."""
    contained = {place for place, one in containers_of(plan).items() if one}
    by_pool: dict[str, list[PlannedBenchmark]] = {}
    for each in plan.benchmarks:
        for one in {place.pool: place for place in each.all_places}.values():
            if (one.pool, one.name) not in contained:  # `containers` asks the Python in the container
                by_pool.setdefault(one.pool, []).append(one)
    ask = _asked_once()
    found = [_look(plan, site, by_pool.get(pool, []), ask) for pool, site in plan.site.pooled().items()]
    return Packages(
        missing=tuple(dict.fromkeys(line for one in found for line in one.missing)),
        unknown=next(
            (one.unknown for one in sorted(found, key=lambda one: not one.silent_here) if one.unknown), None
        ),
        silent_here=any(one.silent_here for one in found),
        left_out={name: why for one in found for name, why in one.left_out.items()},
        needed=any(one.needed and one.missing for one in found),
    )


def _asked_once() -> _Ask:
    """Return `absent_packages` with a memory: pools mostly have one Python."""
    known: dict[tuple[object, ...], set[str] | None] = {}

    def ask(interpreter: str, packages: Sequence[str], environment: Mapping[str, str]) -> set[str] | None:
        asked = interpreter, tuple(packages), tuple(environment.items())
        if asked not in known:
            known[asked] = absent_packages(interpreter, packages, environment)
        return known[asked]

    return ask


def _look(plan: Plan, site: Site, benchmarks: Sequence[PlannedBenchmark], ask: _Ask) -> Packages:
    """Ask the Python of one pool of the site."""
    wanted: dict[str, list[str]] = {}
    for benchmark in benchmarks:
        for package in benchmark.workload.packages(benchmark.parameters, benchmark.shape.ranks):
            wanted.setdefault(package, []).append(benchmark.name)
    interpreter = shutil.which(site.interpreter or sys.executable)
    if interpreter is None or not wanted:
        return Packages()
    absent = ask(interpreter, tuple(wanted), _environment(site))
    if absent is None:
        silent = f"{interpreter} was asked for {', '.join(wanted)}, and gave no answer"
        text = f"{silent}; `orchestrator site check` looks closer"
        return Packages(unknown=text, silent_here=site.local)
    if absent - {_KERAS}:
        absent -= {_KERAS}  # whatever brings the other brings it too
    gpus = any(benchmark.shape.gpus for benchmark in benchmarks)
    set_up = _set_up_on_nodes(site)
    unless = " (unless the site's setup lines bring it)" if set_up else ""
    why = {
        package: f"{package} is not installed for {interpreter}{unless}; in the project's folder: "
        f"{_install(interpreter, package, gpus=gpus)}"
        for package in wanted
        if package in absent
    }
    named = {benchmark.name: benchmark.sweep or benchmark.name for benchmark in benchmarks}
    optional = set() if unless else {one.name for one in plan.campaign.benchmarks if one.optional}
    return Packages(
        missing=tuple(
            f"benchmark{'s' if len(names) > 1 else ''} {', '.join(names)}: {reason}"
            for package, reason in why.items()
            if (names := list(dict.fromkeys(named[one] for one in wanted[package] if one not in optional)))
        ),
        left_out={
            name: reason for package, reason in why.items() for name in wanted[package] if name in optional
        },
        needed=not set_up,
    )


def check_packages(plan: Plan) -> Plan:
    """Return the plan without optional benchmarks that lack a package; refuse it where another lacks one.

    A warning is logged for each benchmark that is left out; where a block's own setup lines may bring what
    is missing here; and where a Python that runs on other nodes gives no answer on this one.

    Raises
    ------
    CampaignError
        With a line for each missing package, or that this host's own Python gives no answer.
    """
    found = look_for_packages(plan)
    if found.missing and found.needed:
        raise CampaignError("\n".join(found.missing))
    if found.unknown and found.silent_here:  # the very Python, here: every instance would fail
        raise CampaignError(found.unknown)
    for line in filter(None, (*found.missing, found.unknown)):
        _log.warning("%s", line)
    for name, why in found.left_out.items():
        _log.warning("benchmark %s is optional and left out: %s", name, why)
    return without(plan, found.left_out)


def _set_up_on_nodes(site: Site) -> bool:
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    return batch is not None and bool(batch.prologue or batch.node_prologue or site.script_hook)


def _environment(site: Site) -> dict[str, str]:
    """Return the variables of the trainings that decide what they can import."""
    return os.environ | {name: os.path.expandvars(value) for name, value in site.environment.items()}


def _install(interpreter: str, package: str, *, gpus: bool) -> str:
    """Return the command that installs the project's extra with a package."""
    if package == "horovod":  # built against TensorFlow, with settings that uv alone reads from the project
        return f"uv pip install --python {interpreter} '.[{'gpu' if gpus else 'cpu'},horovod]'"
    extra = _EXTRAS.get(package, "gpu" if gpus else "cpu")
    return f"{interpreter} -m pip install '.[{extra}]'"
