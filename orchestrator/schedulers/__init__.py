"""Batch systems: what is written into a submit script, which commands are run, what they answer.

Everything here is text in and text out; `orchestrator.batch` runs the commands. A family is a
module with one class; what a machine needs beyond it stands in its site file.
"""

from __future__ import annotations

from orchestrator.schedulers.jobs import Family
from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import BatchScheduler, Launcher, Lsf, PbsPro, Slurm, Torque

__all__ = ["family_of", "launcher_of"]


def family_of(scheduler: BatchScheduler) -> Family:
    """Return what speaks a batch system's language."""
    match scheduler:
        case Slurm():
            return SlurmFamily(scheduler)
        case Lsf():
            return LsfFamily(scheduler)
        case PbsPro():
            return PbsProFamily(scheduler)
        case Torque():
            return TorqueFamily(scheduler)


def launcher_of(scheduler: BatchScheduler) -> Launcher:
    """Return the site's launcher, or the one its batch system comes with."""
    return scheduler.launcher or Launcher(type=family_of(scheduler).default_launcher)
