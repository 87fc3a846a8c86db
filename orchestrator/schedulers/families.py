"""The scheduler family and launcher of a site."""

from __future__ import annotations

from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import Family
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import BatchScheduler, Launcher, Lsf, PbsPro, Slurm, Torque


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
    return scheduler.launcher or Launcher.model_validate({"type": family_of(scheduler).default_launcher})
