"""The scheduler family and launcher of a site, from this package or an installed one.

Another package offers a scheduler as an entry point in ``ensemble_throughput_orchestrator.schedulers``. The
name of the entry point is the ``type`` that site files write; it names an object, such as a module, with

``settings``
    A model derived from `sites.schedulers.Batch`, whose ``type`` has that name as its default: the keys that
    ``scheduler:`` of a site file may have.
``family``
    Called with such settings, returns a `Family`.

`orchestrator.schedulers.conformance` has the tests that every family must pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.schedulers.flux import FluxFamily
from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import AllocationFamily, Family
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.psij import PsijFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import Batch, Launcher, Lsf, PbsPro, Slurm
from workloads import plugins

_BUILT_IN: dict[str, Callable[[Any], Family]] = {
    "slurm": SlurmFamily,
    "lsf": LsfFamily,
    "pbspro": PbsProFamily,
    "torque": TorqueFamily,
    "flux": FluxFamily,
    "psij": PsijFamily,
}


def family_of(scheduler: Batch) -> Family:
    """Return the family that a scheduler's settings belong to."""
    if (made := _BUILT_IN.get(scheduler.type)) is not None:
        return made(scheduler)
    family: Family = plugins.load(plugins.SCHEDULERS, scheduler.type).family(scheduler)
    return family


def enclosing_families() -> list[AllocationFamily]:
    """Return the families in whose allocations another batch system, such as Flux, may be started."""
    settings = (Slurm(walltime=1.0), Lsf(walltime=1.0), PbsPro(walltime=1.0))
    families = map(family_of, settings)
    return [family for family in families if isinstance(family, AllocationFamily)]


def launcher_of(scheduler: Batch) -> Launcher:
    """Return the site's launcher, or the default one of its scheduler."""
    return scheduler.launcher or Launcher(type=family_of(scheduler).default_launcher)
