"""The scheduler family and launcher of a site, from this package or an installed one.

Another package offers a scheduler as an entry point in ``ensemble_throughput_orchestrator.schedulers``. The
name of the entry point is the ``type`` that site files write; it names an object, such as a module, with

``settings``
    A model derived from `sites.schedulers.Batch`, whose ``type`` has that name as its default: the keys that
    ``scheduler:`` of a site file may have.
``family``
    A class derived from `Family`, which is made from such settings.

`orchestrator.schedulers.conformance` has the tests that every family must pass.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from orchestrator.schedulers.flux import FluxFamily
from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import Family, JobRequest, SchedulerError
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.psij.family import PsijFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites import FileError
from sites.schedulers import SCHEDULER_GROUP, Batch, Launcher
from workloads import plugins

_BUILT_IN: dict[str, type[Family]] = {
    "slurm": SlurmFamily,
    "lsf": LsfFamily,
    "pbspro": PbsProFamily,
    "torque": TorqueFamily,
    "flux": FluxFamily,
    "psij": PsijFamily,
}
_LOG = logging.getLogger(__name__)


def family_of(scheduler: Batch) -> Family:
    """Return the family that a scheduler's settings belong to."""
    return family_class(scheduler.type)(scheduler)


def family_class(kind: str) -> type[Family]:
    """Return the family of a type that site files write; raises `LookupError` for a type that none has."""
    if (built_in := _BUILT_IN.get(kind)) is not None:
        return built_in
    installed: type[Family] = plugins.load(SCHEDULER_GROUP, kind).family
    return installed


def family_classes() -> dict[str, type[Family]]:
    """Return all families by type, those that may run inside others' allocations last.

    A warning names an installed package whose family cannot be loaded.
    """
    classes = dict(_BUILT_IN)
    for kind in plugins.names(SCHEDULER_GROUP):
        try:
            classes[kind] = family_class(kind)
        except ValueError as error:
            _LOG.warning("scheduler %s", error)
    return dict(sorted(classes.items(), key=lambda item: item[1].nested))


def enclosing_families() -> list[Family]:
    """Return the families in whose allocations another batch system, such as Flux, may be started."""
    by_variable: dict[str, Family] = {}
    for kind, family in family_classes().items():
        if family.allocation_variable and not family.nested:
            by_variable.setdefault(family.allocation_variable, family(Batch(type=kind, walltime=1.0)))
    return list(by_variable.values())


def exclude_line(row: CampaignRow, nodes: Sequence[str]) -> str | None:
    """Return the line of a campaign's site file that keeps blocks off nodes; None where there is none.

    Nor is there one for a site with several batch systems, which the names do not tell apart.
    """
    if not nodes:
        return None
    try:
        machines = registered_site(row).by_scheduler().values()
    except FileError:  # a simulated campaign has no site file
        return None
    batches = [one.scheduler for one in machines if isinstance(one.scheduler, Batch)]
    return family_of(batches[0]).exclude_line(nodes) if len(batches) == 1 else None


def directives(batch: Batch) -> list[str]:
    """Return the directives that are made from a site's keys, without those that it skips."""
    request = JobRequest("block", batch.nodes_per_block, batch.walltime, Path("out"), "true")
    try:
        lines = family_of(batch).directives(request)
    except SchedulerError:  # the account is a variable that is not set here, which another check reports
        lines = family_of(batch.model_copy(update={"account": None})).directives(request)
    return [line for line in lines if not line.startswith(tuple(batch.skip_directives))]


def changed_for_jobs(before: Batch, after: Batch) -> set[str]:
    """Return the settings in which jobs differ, without those whose directives a site skips."""
    changed = after.changed_for_jobs(before)
    if not after.skip_directives or type(before) is not type(after):
        return changed
    now = directives(after)
    hidden = {
        name
        for name in changed & family_of(after).alterable
        if directives(after.model_copy(update={name: getattr(before, name)})) == now
    }
    return changed - hidden


def keep_their_place(before: Batch, after: Batch) -> bool:
    """Return whether jobs that wait take other settings, and keep their place in the queue.

    They do not between servers, as with a PBS queue ``long@other``: there a job gets another id.
    """
    if type(before) is not type(after):
        return False
    changed = changed_for_jobs(before, after)
    values = [str(getattr(one, name) or "") for one in (before, after) for name in changed]
    return (
        changed <= family_of(after).alterable
        and all(getattr(after, name) for name in changed)
        and not any("@" in value for value in values)
    )


def launcher_of(scheduler: Batch) -> Launcher:
    """Return the site's launcher, or the default one of its scheduler."""
    return scheduler.launcher or Launcher(type=family_of(scheduler).default_launcher)
