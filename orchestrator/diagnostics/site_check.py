"""Checking a site before a campaign is launched: from here, and with one small block on its nodes."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from orchestrator.diagnostics.site_probe import NO_KERAS, Finding, probe_request, reported_versions
from orchestrator.errors import CampaignError
from orchestrator.host.containers import ContainerError, interpreter_command, pinned, usable
from orchestrator.host.gpus import GpuError, discover
from orchestrator.host.interpreter import absent_packages, interpreter_facts
from orchestrator.planning.containers import container_order
from orchestrator.planning.placement import outside_of_pools
from orchestrator.planning.site_facts import driver_address, slot_maps
from orchestrator.protocol.order import ContainerOrder
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.conflicts import directive_conflicts
from orchestrator.schedulers.families import family_of, launcher_of
from orchestrator.schedulers.model import SchedulerError, client_commands
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Local
from workloads import modules
from workloads.spelling import nearest

_SLIP = 0.8
"""How like a workload of this project the name of a slot must be to be taken for a slip of the keys, of 1."""


def check(site: Site, own: Mapping[str, Mapping[str, ContainerOrder]] | None = None) -> list[Finding]:
    """Look at everything that can be seen from the machine a campaign would be launched on, pool by pool.

    Parameters
    ----------
    own
        Further containers, as of `own_containers`.
    """
    unused = outside_of_pools(site)
    return [Finding("keys outside of pools", True, unused)] * bool(unused) + [
        one.of_pool(pool)
        for pool, pooled in site.pooled().items()
        for one in _check(pooled, (own or {}).get(pool, {}))
    ]


def _check(site: Site, own: Mapping[str, ContainerOrder]) -> list[Finding]:
    findings = []
    try:
        node, maps = slot_maps(site)
        seen = "; ".join(
            f"{one.workload or 'default'}: {len(one.slots)} of {one.shape.label}" for one in maps
        )
        findings.append(Finding("slots of a node", True, seen))
        cores = f"{count_of(len(node.cores), 'core')}, {node.gpus} GPUs, {node.memory_bytes / 2**30:.0f} GiB"
        findings.append(Finding("node", True, f"{cores}, as the site file says"))
    except CampaignError as error:
        findings.append(Finding("slots of a node", False, str(error)))
    findings += [_own_slot(name) for name in site.slots if name not in modules.names()]
    try:
        address = driver_address(site)
        with socket.create_server((address, 0)):
            findings.append(Finding("address of the driver", True, address))
    except CampaignError as error:
        findings.append(Finding("address of the driver", False, str(error), blocking=True))
    except OSError as error:
        text = f"{address} is no address of this machine: {error.strerror}"
        findings.append(Finding("address of the driver", False, text, blocking=True))
    container = container_order(site.container)
    findings.append(
        _interpreter_finding(site) if container is None else _container_finding(site, container, "container")
    )
    findings += [_container_finding(site, one, f"container of {names}") for names, one in own.items()]
    runs = Path(site.paths.runs).expanduser().absolute()
    above = next(path for path in (runs, *runs.parents) if path.exists())
    usable = above.is_dir() and os.access(above, os.W_OK | os.X_OK)
    text = f"{runs}" if usable else f"{above}: not writable"
    findings.append(Finding("path of the runs", usable, text, blocking=True))
    return findings + (_gpu_findings(site) if site.local else _batch_findings(site))


def _own_slot(name: str) -> Finding:
    """Return a finding about the slot of a workload that does not come with the project."""
    slip = nearest(name, modules.names(), cutoff=_SLIP)
    text = f"no workload {name}; did you mean {slip}?" if slip else "for a workload of your own"
    return Finding(f"slots.{name}", slip is None, text)


def _interpreter_finding(site: Site) -> Finding:
    interpreter = site.interpreter or sys.executable
    there = shutil.which(interpreter)
    if there is None:
        return Finding("interpreter", False, f"{interpreter} cannot be run here")
    if not site.local:  # a login node imports nothing: all that it has on the nodes, the probe tells
        lacks = absent_packages(there, ["keras"], os.environ)
        return Finding("interpreter", True, f"{there}; {NO_KERAS}" if lacks else there)
    facts = interpreter_facts(there)
    return Finding("interpreter", "versions" in facts, f"{there}: {reported_versions(facts)}")


def _container_finding(site: Site, container: ContainerOrder, subject: str) -> Finding:
    if not site.local and shutil.which(container.command) is None:
        text = f"no command {container.command} on this machine; --probe looks for it on a node"
        return Finding(subject, True, text)
    try:
        usable_container = usable(container)
        pin, digest = pinned(usable_container)
    except ContainerError as error:
        return Finding(subject, False, str(error))
    what = f"{container.runtime}, {usable_container.image} ({digest})"
    if not site.local:
        return Finding(subject, True, what)
    declared = {name: os.path.expandvars(value) for name, value in site.environment.items()}
    facts = interpreter_facts(*interpreter_command(pin, declared))
    return Finding(subject, "versions" in facts, f"{what}: {reported_versions(facts)}")


def _gpu_findings(site: Site) -> list[Finding]:
    if site.node.gpus is None:
        return []
    try:
        return [Finding("GPUs", True, ", ".join(discover(site.node.gpus.vendor, site.node.gpus.count)))]
    except GpuError as error:
        return [Finding("GPUs", False, str(error))]


def _batch_findings(site: Site) -> list[Finding]:
    if isinstance(site.scheduler, Local):
        return []
    findings = []
    for command in client_commands(family_of(site.scheduler)):
        there = shutil.which(command)
        text = there or f"no {command} here; is this a login node of the machine?"
        findings.append(Finding(f"command {command}", there is not None, text, blocking=True))
    try:
        SchedulerClient(site).script(probe_request(site, Path("probe"), 1))
        findings.append(
            Finding("submit script", True, f"{site.scheduler.type}, {launcher_of(site.scheduler).type}")
        )
    except (SchedulerError, CampaignError) as error:
        findings.append(Finding("submit script", False, str(error), blocking=True))
    return findings + [
        Finding(one.directive, not one.is_error, one.message) for one in directive_conflicts(site)
    ]
