"""From what an attempt reported to what the ledger keeps."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from db.records import AttemptReport as LedgerReport
from db.records import NewSample
from db.rows import COPIED
from db.states import AttemptState, InstanceState
from orchestrator.driver.measured_facts import measured_facts
from orchestrator.driver.sampled_facts import (
    OBSERVATION,
    sample_rows,
    sampled_metrics,
    sampled_observation,
    without_stated_energy,
)
from orchestrator.protocol.report import AttemptReport, finite

# These differ between attempts in one environment; the environment is stored once without them.
_OF_THE_PROCESS = (
    *("host", "pid", "cpuset", "gpus", "ranks", "process_threads", "external", "hooks"),
    *("measured_files", "measured_files_absent"),
)
# The rulebook asks every attempt for these.
_OF_THE_ATTEMPT = (
    *_OF_THE_PROCESS,
    "thread_variables",
    "intra_op_threads",
    "inter_op_threads",
    "devices",
    "framework",
    "framework_version",
    "precision",
    "precision_asked",
    "tensor_float32",
    "code",
    "variables",
    "container",
    "processes",
    "fresh_because",
)

_copied = attrgetter(*COPIED.values())


def to_ledger(report: AttemptReport, received_us: int, becomes: InstanceState | None) -> LedgerReport:
    """Return the ledger's form of a supervisor's or worker's report.

    Parameters
    ----------
    received_us
        When the driver got it, UTC microseconds.
    """
    state = report.state
    copied = zip(COPIED, _copied(report), strict=True)
    values = {name: value for name, value in copied if value is not None}
    if report.cores is not None:
        values["cores"] = ",".join(map(str, report.cores))
    if report.devices:
        values["devices"] = ",".join(report.devices)
    environment = None
    documents: tuple[dict[str, Any], ...] = ()
    metrics: tuple[tuple[str, float, str], ...] = ()
    if state.final:
        values["received_us"] = received_us
    if (result := report.result) is not None:
        observed = result.observed.to_json()
        values["observed"] = {name: observed[name] for name in _OF_THE_ATTEMPT if name in observed}
        values["observed"] |= measured_facts(report, result)
        environment = {name: value for name, value in observed.items() if name not in _OF_THE_PROCESS}
        documents = result.documents
        values["data_facts"] = result.data
        values["fom_seconds"] = _number(result.fom_seconds)
        values["accuracy"] = _number(result.accuracy)
        metrics = (
            *((f"{name}_seconds", _measured(value), "s") for name, value in result.phases.items()),
            *((metric.name, _measured(metric.value), metric.unit) for metric in result.metrics),
        )
    samples: tuple[NewSample, ...] = ()
    if state.final and (sampling := report.sampling) is not None:
        metrics = (*sampled_metrics(sampling, result), *without_stated_energy(metrics, sampling))
        samples = sample_rows(sampling)
        if "observed" in values:
            values["observed"][OBSERVATION] = sampled_observation(sampling)
    return LedgerReport(
        token=report.token,
        state=state,
        at_us=report.at_us,
        values=values,
        metrics=tuple({metric[0]: metric for metric in metrics}.values()),
        environment=environment,
        documents=documents,
        instance_state=becomes,
        samples=samples,
    )


def lost(token: str, at_us: int, reason: str, message: str) -> AttemptReport:
    """Return the report of an attempt that the driver declares lost."""
    return AttemptReport(
        token=token,
        state=AttemptState.LOST,
        at_us=at_us,
        category="infrastructure",
        reason=reason,
        message=message,
    )


def cancelled(
    token: str, at_us: int, reason: str = "cancelled", message: str = "the campaign was stopped"
) -> AttemptReport:
    """Return the report of an attempt that ended with its campaign's stop, or for another reason."""
    return AttemptReport(
        token=token,
        state=AttemptState.CANCELLED,
        at_us=at_us,
        category="neutral",
        reason=reason,
        message=message,
    )


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and finite(value):
        return float(value)
    return None


def _measured(value: Any) -> float:
    number = _number(value)
    return math.nan if number is None else number
