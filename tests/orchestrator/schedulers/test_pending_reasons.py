"""Which reasons of a waiting job are hopeless, which may pass, and which are ordinary."""

from __future__ import annotations

import json
import re

import pytest

from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import Job, JobState
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import Lsf, PbsPro, Slurm, Torque

HOPELESS, PATIENCE, ORDINARY = "hopeless", "patience", "ordinary"


def meant(job: Job) -> str:
    if job.pending is None:
        return ORDINARY
    return HOPELESS if job.pending.hopeless else PATIENCE


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        *((word, HOPELESS) for word in ("PartitionTimeLimit", "QOSMaxWallDurationPerJobLimit")),
        *((word, HOPELESS) for word in ("AssocMaxNodePerJobLimit", "QOSMaxCpuPerJobLimit", "BadConstraints")),
        *((word, HOPELESS) for word in ("AssocMaxCpuMinutesPerJobLimit", "QOSMaxGRESPerJob", "QOSMinGRES")),
        *((word, HOPELESS) for word in ("InvalidAccount", "InvalidQOS", "DependencyNeverSatisfied")),
        *((word, PATIENCE) for word in ("PartitionNodeLimit", "AssocGrpCpuLimit", "AssocGrpCPUMinutesLimit")),
        *((word, PATIENCE) for word in ("QOSGrpNodeLimit", "QOSMaxNodePerUserLimit", "AssocMaxJobsLimit")),
        *((word, PATIENCE) for word in ("QOSMaxJobsPerUserLimit", "MaxNodePerAccount", "PartitionDown")),
        *((word, PATIENCE) for word in ("ReqNodeNotAvail, UnavailableNodes:n[1-2]", "ReqNodeNotAvail")),
        (
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
            PATIENCE,
        ),
        *((word, ORDINARY) for word in ("Resources", "Priority", "None", "BeginTime", "Licenses")),
    ],
)
def test_slurm(reason: str, kind: str) -> None:
    [job] = SlurmFamily(Slurm(walltime=60)).parse_status(["7"], 0, f"7|PENDING|{reason}\n", "")
    assert (job.state, meant(job)) == (JobState.QUEUED, kind)
    [running] = SlurmFamily(Slurm(walltime=60)).parse_status(["7"], 0, f"7|RUNNING|{reason}\n", "")
    assert meant(running) == ORDINARY


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("Dependency condition invalid or never satisfied", HOPELESS),
        ("Not enough hosts to meet the job's spanning requirement", PATIENCE),
        ("The queue's per-user job slot limit reached", PATIENCE),
        ("User has reached the pending job limit", PATIENCE),
        ("The queue is inactivated by the administrator", PATIENCE),
        ("New job is waiting for scheduling", ORDINARY),
        ("Job requirements for reserving resource (ngpus_physical) not satisfied", ORDINARY),
        ("-", ORDINARY),
    ],
)
def test_lsf(reason: str, kind: str) -> None:
    [job] = LsfFamily(Lsf(walltime=60)).parse_status(["7"], 0, f"7|PEND|-|{reason}\n", "")
    assert (job.state, meant(job)) == (JobState.QUEUED, kind)
    assert job.reason == ("PEND" if reason == "-" else f"PEND ({reason})")


@pytest.mark.parametrize(
    ("comment", "kind"),
    [
        ("Can Never Run: Insufficient amount of resource: ncpus (R: 128 A: 64 T: 64)", HOPELESS),
        ("Not Running: User has reached server running job limit.", PATIENCE),
        ("Not Running: Job would exceed project limit", PATIENCE),
        ("Not Running: Queue not started.", PATIENCE),
        ("Not Running: Insufficient amount of resource: ncpus (R: 64 A: 0 T: 64)", ORDINARY),
        ("", ORDINARY),
    ],
)
def test_pbs(comment: str, kind: str) -> None:
    facts = {"job_state": "Q"} | ({"comment": comment} if comment else {})
    told = json.dumps({"Jobs": {"7.server": facts}})
    [job] = PbsProFamily(PbsPro(walltime=60)).parse_status(["7.server"], 0, told, "")
    assert (job.state, meant(job)) == (JobState.QUEUED, kind)
    lines = "".join(f"    {name} = {value}\n" for name, value in facts.items())
    [job] = TorqueFamily(Torque(walltime=60)).parse_status(["7.server"], 0, f"Job Id: 7.server\n{lines}", "")
    assert (job.state, meant(job)) == (JobState.QUEUED, kind)


@pytest.mark.parametrize(
    ("family", "told"),
    [
        (
            LsfFamily(Lsf(walltime=60)),
            "7|EXIT|TERM_PRE_EXEC_FAIL: job killed after pre-execution failure|-\n",
        ),
        (PbsProFamily(PbsPro(walltime=60)), '{"Jobs": {"7": {"job_state": "F", "Exit_status": -1}}}'),
        (TorqueFamily(Torque(walltime=60)), "Job Id: 7\n    job_state = C\n    exit_status = -1\n"),
    ],
    ids=["lsf", "pbspro", "torque"],
)
def test_a_job_whose_prologue_failed_was_not_cancelled(family: LsfFamily, told: str) -> None:
    assert family.parse_status(["7"], 0, told, "")[0].state is JobState.FAILED


def test_every_reason_says_what_to_do() -> None:
    for one in (*SlurmFamily.pending_reasons, *LsfFamily.pending_reasons, *PbsProFamily.pending_reasons):
        assert re.compile(one.pattern)
        assert one.advice[0].islower()
        assert not one.advice.endswith(".")
