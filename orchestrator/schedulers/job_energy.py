"""The energy of ended jobs, as far as a batch system accounts for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from orchestrator.schedulers.client import run_command
from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.model import Command
from sites.schedulers import Batch


@dataclass(frozen=True, slots=True)
class JobEnergy:
    """Energy of jobs, as a batch system states it.

    Parameters
    ----------
    joules
        Of the jobs that it knows to have ended, by id; None where it states none.
    absent
        Why it states the energy of no job; empty where it may.
    """

    joules: Mapping[str, float | None] = field(default_factory=dict)
    absent: str = ""


@runtime_checkable
class EnergyFamily(Protocol):
    """A family that may account for the energy of jobs."""

    def energy_command(self, ids: Sequence[str]) -> Command:
        """Return the command that prints the energy of jobs, and whether any is measured."""

    def parse_energy(self, code: int, stdout: str, stderr: str) -> tuple[Mapping[str, float | None], str]:
        """Return the parts of a `JobEnergy` from what that command printed."""


def job_energy(scheduler: Batch, ids: Sequence[str]) -> JobEnergy | None:
    """Return the energy of jobs; None where the batch system has no such accounting.

    Raises
    ------
    SchedulerError
        If the batch system does not answer.
    """
    family = family_of(scheduler)
    if not isinstance(family, EnergyFamily):
        return None
    return JobEnergy(*family.parse_energy(*run_command(family.energy_command(ids))))
