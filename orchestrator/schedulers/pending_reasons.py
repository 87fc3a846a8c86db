"""Reasons for which schedulers leave a job waiting for ever, or for long, and what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PATIENCE_SECONDS = 1800.0
"""How long a block waits for a reason that may pass, until the driver names it as an event."""


@dataclass(frozen=True, slots=True)
class PendingReason:
    """One reason that a scheduler gives for a waiting job.

    Parameters
    ----------
    pattern
        Regular expression of the scheduler's own words.
    advice
        What to do, as part of a sentence.
    hopeless
        Whether only the user can change it; otherwise it may pass, as when other jobs end.
    """

    pattern: str
    advice: str
    hopeless: bool = False


_SHORTER = "write a shorter scheduler.walltime, or another partition, account or qos, into a site file"
_SMALLER = "write fewer scheduler.nodes_per_block, or another partition, account or qos, into a site file"
_SHARED = "it waits for other jobs of the user, account or qos; fewer scheduler.max_blocks or nodes need less"
_DOWN = "ask the machine's staff when the nodes are back, or name others in the site file"
_ACCOUNT = "write an account, partition and qos into the site file that may be used together"

# Names of job_reason_string of Slurm 22.05; each limit is of an association, or with QOS of a qos.
SLURM = (
    PendingReason("PartitionTimeLimit", _SHORTER, hopeless=True),
    PendingReason("AssociationTimeLimit|(Assoc|QOS)MaxWallDurationPerJobLimit", _SHORTER, hopeless=True),
    PendingReason(
        r"(Assoc|QOS)?Max(Node|Cpu|GRES|Memory|Mem|Billing|BB|Energy|CpuMinutes|CPUMins|TRESMins)\w*PerJob\w*",
        _SMALLER,
        hopeless=True,
    ),
    PendingReason(r"QOSMaxNodePerUserLimit|(Assoc|QOS)MaxNodes\w*", _SHARED),
    PendingReason(r"QOSMin\w*", "the qos is for larger jobs; " + _ACCOUNT, hopeless=True),
    PendingReason(
        "BadConstraints",
        "no nodes have what scheduler.constraint and extra_directives request; correct them in the site file",
        hopeless=True,
    ),
    PendingReason(
        r"InvalidAccount|InvalidQOS|\w*AccountNotAllowed|\w*QOSNotAllowed",
        _ACCOUNT,
        hopeless=True,
    ),
    PendingReason("DependencyNeverSatisfied", "remove --dependency from extra_directives", hopeless=True),
    PendingReason(
        "PartitionNodeLimit",
        "a block has more nodes than the partition allows, or nodes are down; " + _SMALLER,
    ),
    PendingReason(
        r"(Assoc|QOS)(Grp|Max)\w*|Max\w*PerAccount|Association(Job|Resource)Limit|AccountingPolicy|QOSUsageThreshold",
        _SHARED,
    ),
    PendingReason(r"ReqNodeNotAvail.*|NodeDown|PartitionDown|PartitionInactive|Reservation\w*", _DOWN),
)
# Texts of lsbatch.h of LSF 10.1.
LSF = (
    PendingReason(
        "Dependency condition invalid or never satisfied", "remove -w from extra_directives", hopeless=True
    ),
    PendingReason(
        r"(?i).*(not enough (hosts|processors|slots) to meet the job's spanning requirement"
        r"|no suitable hosts|no eligible hosts|not specified in job submission).*",
        "a block may have more nodes than the queue, or nodes are down; " + _SMALLER,
    ),
    PendingReason(r"(?i).*(slot|job|resource|memory|host) limit.*(reached|exceeded)?.*", _SHARED),
    PendingReason(r"(?i).*(queue is (inactivated|closed)|closed by lsf administrator|host is down).*", _DOWN),
)
# Comments of the schedulers of OpenPBS and Torque.
PBS = (
    PendingReason(r"(?i)can never run.*", "a block requests what no nodes have; " + _SMALLER, hopeless=True),
    PendingReason(r"(?i)not running:.*(limit|would exceed).*", _SHARED),
    PendingReason(r"(?i)not running:.*(queue not started|not (enabled|available|up)|offline|down).*", _DOWN),
)
# Dependencies that flux-accounting adds, and what Flux's schedulers annotate.
FLUX = (
    PendingReason(r"max-\S+-limit.*", _SHARED),
    PendingReason(r"(?i).*(queue|partition).*(stopped|disabled).*", _DOWN),
)


def find_pending_reason(table: Sequence[PendingReason], words: str) -> PendingReason | None:
    """Return the entry of a table for a scheduler's words; None for ordinary waiting."""
    return next((one for one in table if re.fullmatch(one.pattern, words.strip())), None)
