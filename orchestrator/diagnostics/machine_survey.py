"""Look at the machine this runs on: its batch system, its hardware, and the allocation around it."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from orchestrator.host.gpu_inventory import Gpu, find_gpus
from orchestrator.host.network import Interface, outside_interfaces
from orchestrator.host.topology import further_threads
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.client import run_command
from orchestrator.schedulers.flux import FluxFamily
from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import Command, SchedulerError
from orchestrator.schedulers.pbs import PbsProFamily
from orchestrator.schedulers.slurm import SlurmFamily
from orchestrator.schedulers.survey import flux, lsf, pbs, slurm
from orchestrator.schedulers.survey.model import Survey
from sites import Site


class _Reader(NamedTuple):
    """A batch system: the variable that names an allocation, its commands, and what reads their output."""

    name: str
    variable: str
    commands: Mapping[str, tuple[tuple[str, ...], bool]]
    survey: Callable[..., Survey]


_READERS = (
    _Reader("Slurm", SlurmFamily.allocation_variable, slurm.COMMANDS, slurm.survey),
    _Reader("LSF", LsfFamily.allocation_variable, lsf.COMMANDS, lsf.survey),
    _Reader("PBS", PbsProFamily.allocation_variable, pbs.COMMANDS, pbs.survey),
    _Reader("Flux", FluxFamily.allocation_variable, flux.COMMANDS, flux.survey),
)


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
    """

    host: str
    cores: tuple[int, ...]
    further_threads: tuple[int, ...]
    domains: tuple[tuple[int, ...], ...]
    memory_bytes: int
    gpus: tuple[Gpu, ...] = ()
    interfaces: tuple[Interface, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found.

    Parameters
    ----------
    survey
        Of the batch system; None without one.
    allocation
        The batch system and the allocation around this process, such as ``Slurm 71``; empty without one.
    launchers
        Commands of launchers that are here.
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
    # An instance of Flux may run inside an allocation of another batch system, never the other way round.
    around = [one for one in reversed(_READERS) if os.environ.get(one.variable)]
    inside_flux = bool(around) and around[0].name == "Flux"
    for reader in reversed(_READERS) if inside_flux else _READERS:
        try:
            survey = _survey(reader)
        except SchedulerError as error:
            complaints.append(f"{reader.name}: {error}")
        if survey is not None:
            break
    return Machine(
        _hardware(),
        survey,
        f"{around[0].name} {os.environ[around[0].variable]}" if around else "",
        frozenset(name for name in ("jsrun", "mpiexec") if shutil.which(name)),
        tuple(complaints),
    )


def _survey(reader: _Reader) -> Survey | None:
    """Return what a batch system says; None if its commands are not here. Raises `SchedulerError`."""
    if any(shutil.which(words[0]) is None for words, _ in reader.commands.values()):
        return None
    answers = {}
    for part, (words, is_needed) in reader.commands.items():
        code, stdout, stderr = run_command(Command(words))
        if code and is_needed:
            lines = (stderr or stdout).strip().splitlines() or ["it printed nothing"]
            raise SchedulerError(f"{words[0]} ended with {code}: {lines[-1]}")
        answers[part] = "" if code else stdout
    found = reader.survey(**answers)
    if not found.kinds:
        raise SchedulerError("it lists no node")
    return found


def _hardware() -> Hardware:
    facts = node_facts(Site(site="here"))
    return Hardware(
        socket.gethostname().split(".")[0],
        facts.cores,
        further_threads(),
        facts.numa_domains,
        facts.memory_bytes,
        tuple(find_gpus()),
        tuple(outside_interfaces()),
    )
