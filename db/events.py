"""Events: every transition of an attempt, and everything else worth keeping. Only ever appended."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from db.column_values import now_us, sanitize_text, sha256, to_column_value, valid_time
from db.states import RENAMED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.records import LedgerReport
    from db.states import AttemptState

__all__ = ["Event", "EventKind", "now_us", "sha256"]

_CONTENT_LIMIT = 8_192


class EventKind(StrEnum):
    """Kinds of events; `description` says in one sentence when an event of the kind is written."""

    description: str

    def __new__(cls, value: str, description: str) -> EventKind:
        """Return a member with its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    TRANSITION = "transition", "An attempt changed its state."
    CAMPAIGN_REGISTERED = "campaign_registered", "The campaign and its instances were written to the ledger."
    SESSION_STARTED = "session_started", "A driver took the lease and opened a session."
    SESSION_PLACE = "session_place", "A session recorded which ledger file and run directory it has."
    SESSION_ENDED = "session_ended", "A driver closed its session and returned the lease."
    DRIVER_STARTED = "driver_started", "A driver began to work: its host, process, job and log."
    DRIVER_JOB_SUBMITTED = "driver_job_submitted", "A job was submitted in which the driver goes on."
    DRIVER_DIED = "driver_died", "The session of a dead driver was closed for it."
    LAUNCH_REQUESTED = "launch_requested", "A program asked `serve` to launch the campaign."
    STOP_REQUESTED = "stop_requested", "A user asked the driver to drain or to cancel."
    DRAIN_STARTED = "drain_started", "The driver stopped submitting and waits for running attempts."
    CANCEL_STARTED = "cancel_started", "The driver stopped submitting and ends running attempts."
    ABORTED_AFTER_FAILURES = "aborted_after_failures", "The driver stopped since too many attempts failed."
    INSTANCE_EXHAUSTED = "instance_exhausted", "An instance used up its retries."
    EXHAUSTED_REOPENED = "exhausted_reopened", "Exhausted instances were planned again."
    ATTEMPT_NOT_STARTED = (
        "attempt_not_started",
        "The first attempt of a node that could not start, by reason.",
    )
    WAVE_SHORT = "wave_short", "A synchronized wave started with fewer instances than planned."
    ORDER_REGISTERED = (
        "order_registered",
        "The drawn order of the instances was recorded.",
    )
    ORDER_DEVIATED = "order_deviated", "An instance was handed out outside its block of the drawn order."
    FORECAST_REGISTERED = (
        "forecast_registered",
        "The predicted length and node-hours were recorded before the campaign began.",
    )
    FORECAST_UPDATED = (
        "forecast_updated",
        "The length and node-hours of a campaign that runs were predicted anew, from where it stands.",
    )
    QUESTIONS_REGISTERED = (
        "questions_registered",
        "The questions that may end the campaign were recorded.",
    )
    TIMEOUT_RAISED = "timeout_raised", "An instance that had timed out was tried again with a longer timeout."
    MEMORY_RAISED = "memory_raised", "An instance that ran out of memory was tried again in a larger slot."
    DISK_RAISED = (
        "disk_raised",
        "An instance that ran out of its node's disk was tried again in a larger slot.",
    )
    SEARCH_REGISTERED = "search_registered", "The searches of the campaign, with their trials, were recorded."
    TRIAL_SUGGESTED = "trial_suggested", "An optimizer chose the parameters of a trial of a search."
    TRIAL_PROMOTED = "trial_promoted", "A trial of a search was among the best, and goes on to its next rung."
    TRIAL_PRUNED = "trial_pruned", "A trial of a search ended before its last rung: others are better."
    POINT_SETTLED = "point_settled", "A point got no more instances: its questions have answers."
    BUDGET_SPENT = "budget_spent", "No further instance starts, as the campaign's budget is spent."
    NODE_EXCLUDED = "node_excluded", "A node that failed repeatedly, or is excluded, gets no attempts."
    EXCLUDE_LIST = (
        "exclude_list",
        "The campaign leaves out these nodes, by launch, resume or `node exclude`.",
    )
    NODE_DESCRIBED = "node_described", "A node's hardware and software were recorded for a session."
    ALLOCATION_USED = "allocation_used", "A session runs inside an allocation and submits no jobs."
    BLOCK_CHANGED = "block_changed", "A block (scheduler job) was queued, held, started or ended."
    BLOCK_SHAPED = "block_shaped", "A block (scheduler job) was asked for in a shape that the driver chose."
    BLOCK_LOST = "block_lost", "A block (scheduler job) lost its nodes."
    SCHEDULER_AWAY = "scheduler_away", "The scheduler's commands stopped answering the driver."
    SCHEDULER_BACK = "scheduler_back", "The scheduler's commands answer again."
    BLOCK_SHORT = "block_short", "A block's remaining walltime was too short to start an attempt."
    BLOCK_WAITING = "block_waiting", "A block (scheduler job) waits for a reason that may never pass."
    BLOCK_ENERGY = "block_energy", "The batch system stated a block's energy, or why it states none."
    BLOCK_FAILED = "block_failed", "A block (scheduler job) ended with an error, or was refused."
    SITE_CHANGED = "site_changed", "A session went on by another text of the site file."
    POOL_ADDED = "pool_added", "A user added a pool to the campaign's site, as `node add` does."
    POOL_REMOVED = "pool_removed", "A user removed a pool from the campaign's site, as `node remove` does."
    CAMPAIGN_CHANGED = "campaign_changed", "A resume went on with other settings of the campaign file."
    CAMPAIGN_EXTENDED = "campaign_extended", "A user added instances or benchmarks."
    CAMPAIGN_RENAMED = RENAMED, "Command `ledger rename` gave the campaign another name."
    CAMPAIGN_LABELLED = "campaign_labelled", "The campaign got owner, tags or note; the newest counts."
    INSTANCES_REQUESTED = (
        "instances_requested",
        "A user asked to cancel, retry or pause instances, or to change, pause, add or remove a pool.",
    )
    INSTANCES_CHANGED = "instances_changed", "Such a request was applied."
    CODE_CHANGED = "code_changed", "A resume went on although today's code resolves a benchmark otherwise."
    ENGINE_RESTARTED = "engine_restarted", "The engine failed and was started again."
    ENGINE_FAILED = "engine_failed", "The engine failed and was not started again."
    POOL_REPLACED = "pool_replaced", "A pool of workers made no progress and was replaced."
    DRIVER_STOOD_STILL = "driver_stood_still", "The driver's loop turns again after a minute or more."
    LEDGER_AWAY = "ledger_away", "The ledger's database stopped answering the driver."
    LEDGER_BACK = "ledger_back", "The ledger's database answers again; what waited was written."
    LEFTOVERS_ENDED = "leftovers_ended", "Processes or blocks of a dead driver were ended."
    RESULTS_ADOPTED = "results_adopted", "Results of a dead driver's attempts were read from journals."
    RESULTS_JOURNALLED = "results_journalled", "The driver wrote results that workers could not journal."
    RESULTS_NOT_JOURNALLED = (
        "results_not_journalled",
        "Accepted results stand in no journal, as the run directory could not be written.",
    )
    LEDGER_REMOVED = "ledger_removed", "The ledger's file was removed or replaced while a driver had it open."
    LEDGER_REBUILT = (
        "ledger_rebuilt",
        "Command `ledger rebuild` made the campaign's rows from its run directory.",
    )
    ATTEMPTS_OUTLIVE = "attempts_outlive", "Attempts of a dead driver still ran; resume waited for them."
    ATTEMPTS_LOST = "attempts_lost", "Attempts of a dead driver left no result and run again."
    LATE_REPORT = "late_report", "A report came after its attempt was final, and changes no figure."
    REJECTED_VALUES = "rejected_values", "Values of a report did not fit their columns and were left out."
    JOURNAL_DAMAGED = "journal_damaged", "A journal has a line that is not a report."
    JOURNAL_HEADS = "journal_heads", "Lines and chain hashes of journals were recorded."
    FILES_REMOVED = (
        "files_removed",
        "Command `ledger remove` removed what the run directory had besides journals and saved rows.",
    )
    EVIDENCE_PACKAGED = "evidence_packaged", "A package for reviewers was written."
    CODE_RECORDED = "code_recorded", "A driver recorded the version and the files of the code that it runs."
    CODE_FILES_CHANGED = "code_files_changed", "A session runs other code files than the first session."
    DOCUMENT_RECORDED = "document_recorded", "The ledger got a list of code files or environment variables."
    HOOK_RAN = "hook_ran", "A command of the user, such as campaign_end, ended with exit code 0."
    HOOK_FAILED = "hook_failed", "A command of the user, such as campaign_end, failed or took too long."
    WORKLOAD_RECORDED = "workload_recorded", "A benchmark's workload was described at registration."
    VERDICT_STATED = (
        "verdict_stated",
        "Command `fom` stated another verdict than before on an ended campaign.",
    )
    INSTANCE_SUPERSEDED = "instance_superseded", "A new instance takes the place of one below its target."
    CORES_FREE = "cores_free", "The other campaign on the same cores of this machine has ended."
    DATA_READ = (
        "data_read",
        "The data files of a benchmark, or of a sweep, were found, and read and hashed, before the launch.",
    )
    DATA_CHANGED = (
        "data_changed",
        "The data files of a benchmark, or of a sweep, are no longer those that were hashed.",
    )
    CACHE_NOT_STAGED = (
        "cache_not_staged",
        "A node's copy of the dataset cache was made again, or could not be made and is not used.",
    )
    CORES_SHARED = "cores_shared", "Another campaign used the same cores of this machine."


SITE_CHANGES = (EventKind.SITE_CHANGED, EventKind.POOL_ADDED, EventKind.POOL_REMOVED)
"""Events with another text of the site file."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a campaign.

    Parameters
    ----------
    event_id
        Number that grows with every event of the ledger.
    at_us
        When it happened: microseconds since the Unix epoch, UTC.
    kind
        An `EventKind`, as text.
    subject
        What it is about: a node, a block, an instance's label, a session; empty for the campaign.
    message
        One sentence for people; for `EventKind.LATE_REPORT` and `EventKind.REJECTED_VALUES` JSON that
        may be cut off.
    data
        Facts for programs; None where there are none.
    instance_id, attempt_number
        The attempt it is about, if any.
    from_state, to_state
        States of a transition; of a late report, the attempt's state and the reported one.
    """

    event_id: int
    at_us: int
    kind: str
    subject: str
    message: str
    data: Mapping[str, Any] | None
    instance_id: int | None
    attempt_number: int | None
    from_state: str | None
    to_state: str | None


def transition(
    campaign_id: int,
    at_us: int,
    instance: int,
    attempt: int,
    before: str | None,
    after: str,
    message: str | None = None,
) -> dict[str, Any]:
    """Return the event of a change of an attempt's state."""
    return {
        "campaign_id": campaign_id,
        "at_us": valid_time(at_us),
        "kind": EventKind.TRANSITION.value,
        "instance_id": instance,
        "attempt_number": attempt,
        "from_state": str(before) if before is not None else None,
        "to_state": str(after),
        "message": message,
    }


def late_report(
    campaign_id: int, report: LedgerReport, key: tuple[int, int, AttemptState] | None
) -> dict[str, Any]:
    """Return the event that keeps a report that changes no figure."""
    # Times first: the end of a long message is cut off.
    values = sorted(report.values.items(), key=lambda one: not one[0].endswith("_us"))
    content = {
        "token": report.token,
        "values": {name: to_column_value(value) for name, value in values if value is not None},
        "metrics": [metric for metric in report.metrics if math.isfinite(metric[1])],
    }
    return {
        "campaign_id": campaign_id,
        "at_us": valid_time(report.at_us),
        "kind": EventKind.LATE_REPORT.value,
        "instance_id": key[0] if key else None,
        "attempt_number": key[1] if key else None,
        "from_state": key[2].value if key else None,
        "to_state": report.state.value,
        "message": sanitize_text(json.dumps(content)[:_CONTENT_LIMIT]),  # the token stays when it is cut
    }


def rejected_values(
    campaign_id: int, report: LedgerReport, key: tuple[int, int] | None, rejected: dict[str, Any]
) -> dict[str, Any]:
    """Return the event that keeps what no column accepts of a report that counts."""
    content = {name: repr(value) for name, value in rejected.items()}
    return {
        "campaign_id": campaign_id,
        "at_us": valid_time(report.at_us),
        "kind": EventKind.REJECTED_VALUES.value,
        "instance_id": key[0] if key else None,
        "attempt_number": key[1] if key else None,
        "from_state": None,
        "to_state": report.state.value,
        "message": sanitize_text(json.dumps(content, sort_keys=True)[:_CONTENT_LIMIT]),
    }
