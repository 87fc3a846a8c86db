"""Look at the machine this runs on: its batch system, its hardware, and the allocation around it."""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass

from orchestrator.analysis.roofline.peaks import cpu_peak
from orchestrator.host.gpu_inventory import Gpu, find_gpus
from orchestrator.host.network import Interface, outside_interfaces
from orchestrator.host.topology import further_threads, nominal_hertz, read_cpuinfo
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.asked_survey import ask_survey
from orchestrator.schedulers.families import family_classes
from orchestrator.schedulers.model import SchedulerError
from orchestrator.schedulers.survey.model import Survey
from sites import Site


@dataclass(frozen=True, slots=True)
class Hardware:
    """The machine of this process, as a node.

    Parameters
    ----------
    cores
        Logical CPUs that this process may use.
    further_threads
        Those that are the second or a later thread of their core.
    domains
        Cores of each NUMA domain.
    interfaces
        Network interfaces that lead to other machines, the most likely fabric first.
    cpu_peak
        Theoretical peak of its cores, or why it is not known.
    """

    host: str
    cores: tuple[int, ...]
    further_threads: tuple[int, ...]
    domains: tuple[tuple[int, ...], ...]
    memory_bytes: int
    gpus: tuple[Gpu, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    cpu_peak: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts of a machine.

    Parameters
    ----------
    survey
        Of the batch system; None without one.
    allocation
        The batch system and the allocation around this process, such as ``Slurm 71``; empty without one.
    complaints
        Commands of batch systems that failed, with why.
    """

    hardware: Hardware
    survey: Survey | None = None
    allocation: str = ""
    launchers: frozenset[str] = frozenset()
    complaints: tuple[str, ...] = ()


def look() -> Machine:
    """Return what this machine says of itself; each command of a batch system has at most two minutes."""
    complaints: list[str] = []
    survey = None
    families = list(family_classes().values())
    around = [one for one in reversed(families) if os.environ.get(one.allocation_variable or " ")]
    is_nested = bool(around) and around[0].nested
    for family in reversed(families) if is_nested else families:
        if family.survey is None:
            continue
        try:
            survey = ask_survey(family.survey)
        except SchedulerError as error:
            complaints.append(f"{family.title}: {error}")
        if survey is not None:
            break
    return Machine(
        _hardware(),
        survey,
        f"{around[0].title} {os.environ[around[0].allocation_variable]}" if around else "",
        frozenset(name for name in ("jsrun", "mpiexec") if shutil.which(name)),
        tuple(complaints),
    )


def _hardware() -> Hardware:
    facts = node_facts(Site(site="here"))
    further = further_threads()
    whole = len(set(facts.cores) - set(further))
    return Hardware(
        socket.gethostname().split(".")[0],
        facts.cores,
        further,
        facts.numa_domains,
        facts.memory_bytes,
        tuple(find_gpus()),
        tuple(outside_interfaces()),
        str(cpu_peak(read_cpuinfo(), whole, nominal_hertz())),
    )
