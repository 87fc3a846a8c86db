"""From what an attempt reported to what the ledger keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from operator import attrgetter
from typing import Any

from db.column_values import to_json
from db.evidence.runs_of_campaign import ACCURACY
from db.records import LedgerReport, NewCurve, NewSample
from db.rows import COPIED, LINK_FACTS
from db.states import AttemptState, InstanceState
from orchestrator.analysis.base.metric_names import TIME
from orchestrator.protocol.foreign_load import PERCENT, UNKNOWN
from orchestrator.protocol.report import (
    BUSY_BEFORE_SECONDS,
    OTHER_PROGRAM,
    REFUSED_REPORTS,
    UNREAD_SECONDS,
    AttemptReport,
    TrainingResult,
    finite,
)
from orchestrator.protocol.sampling import METRICS, Sampling

# These differ between attempts in one environment; the environment is stored once without them.
_OF_THE_PROCESS = (
    *("host", "pid", "cpuset", "gpus", "ranks", "process_threads", "external", "hooks"),
    *("measured_files", "measured_files_absent", UNREAD_SECONDS, BUSY_BEFORE_SECONDS, LINK_FACTS),
    *(PERCENT, UNKNOWN, "profiled", "missing_numbers"),
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
    OTHER_PROGRAM,
    REFUSED_REPORTS,
)

_copied = attrgetter(*COPIED)


def to_ledger(
    report: AttemptReport,
    received_us: int,
    becomes: InstanceState | None,
    clock_offset_min_us: int | None = None,
) -> LedgerReport:
    """Return the ledger's form of a supervisor's or worker's report.

    Parameters
    ----------
    received_us
        When the driver got it, UTC microseconds.
    clock_offset_min_us
        Lower bound of the offset of the node's clock from the driver's, from earlier reports of the attempt.
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
    curves: tuple[NewCurve, ...] = ()
    if state.final:
        values["received_us"] = received_us
        if clock_offset_min_us is not None:
            values["clock_offset_min_us"] = clock_offset_min_us
    if (result := report.result) is not None:
        observed = result.observed.to_json()
        values["observed"] = {name: observed[name] for name in _OF_THE_ATTEMPT if name in observed}
        values["observed"]["steps"] = counted_steps(result)
        environment = {name: value for name, value in observed.items() if name not in _OF_THE_PROCESS}
        documents = result.documents
        curves = tuple(NewCurve(one.name, one.axis, to_json(one.points)) for one in result.curves)
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
        curves=curves,
    )


def metric_names(report: AttemptReport) -> list[str]:
    """Return the names of a report's metrics as the ledger keeps them."""
    row = to_ledger(report, 0, None)
    return [name for name, _, _ in row.metrics] + ([ACCURACY] if "accuracy" in row.values else [])


def value_of(report: AttemptReport, metric: str) -> float | None:
    """Return a metric of a report as the ledger keeps it; None where it has none."""
    row = to_ledger(report, 0, None)
    known = {name: value for name, value, _ in row.metrics}
    if metric in (TIME, ACCURACY) and metric not in known:
        value = row.values.get("fom_seconds" if metric == TIME else "accuracy")
        return value if isinstance(value, float) else None
    return known.get(metric)


def lost(token: str, at_us: int, reason: str, message: str) -> AttemptReport:
    """Return the report of an attempt that the driver declares lost."""
    return AttemptReport(
        token=token,
        state=AttemptState.LOST,
        at_us=at_us,
        failure_category="infrastructure",
        failure_reason=reason,
        failure_message=message,
    )


def cancelled(
    token: str, at_us: int, reason: str = "cancelled", message: str = "the campaign was stopped"
) -> AttemptReport:
    """Return the report of an attempt that ended with its campaign's stop, or for another reason."""
    return AttemptReport(
        token=token,
        state=AttemptState.CANCELLED,
        at_us=at_us,
        failure_category="neutral",
        failure_reason=reason,
        failure_message=message,
    )


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and finite(value):
        return float(value)
    return None


def _measured(value: Any) -> float:
    number = _number(value)
    return math.nan if number is None else number


COUNTS = ("epochs_run", "optimizer_steps")
"""Metrics that count a training's work."""


def counted_steps(result: TrainingResult) -> dict[str, int]:
    """Return the counts of a training's work that are whole numbers.

    They stand with the attempt's observation, which attempts share, so that judging a million attempts reads
    only as many rows as there are distinct values.
    """
    values = {metric.name: metric.value for metric in result.metrics}
    return {name: number for name in COUNTS if (number := _whole(values.get(name))) is not None}


def _whole(value: Any) -> int | None:
    return int(value) if _is_number(value) and float(value).is_integer() else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and finite(value)


OBSERVATION = "sampling"
"""Name among an attempt's observations; they are shared by attempts, so it has no measured values."""
_PER = {
    "run": {"energy_per_epoch_joules": "epochs_run", "energy_per_sample_joules": "samples_seen"},
    "window": {"energy_per_run_joules": "runs_in_window"},
}
"""Energy ÷ a count of the workload, by the part of the attempt that the energy is of."""
_ENERGY = {
    *(name for per in _PER.values() for name in per),
    *(name for name, (unit, _) in METRICS.items() if unit in ("J", "W")),
}


def sampled_metrics(sampling: Sampling, result: TrainingResult | None) -> list[tuple[str, float, str]]:
    """Return the metrics of a sampling, and the energy per epoch, sample or run of what counts them."""
    found = [
        (name, float(value), METRICS[name][0] if name in METRICS else "")
        for name, value in sampling.metrics.items()
        if finite(value)
    ]
    energy = sampling.metrics.get("energy_joules")
    if energy is None or result is None:
        return found
    counts = {metric.name: metric.value for metric in result.metrics}
    for name, counted in _PER.get(sampling.interval or "", {}).items():
        count = counts.get(counted)
        if isinstance(count, int | float) and finite(count) and count > 0 and math.isfinite(energy):
            found.append((name, energy / count, "J"))
    return found


def without_stated_energy(
    stated: Iterable[tuple[str, float, str]], sampling: Sampling
) -> list[tuple[str, float, str]]:
    """Return a program's metrics without energy and power where these were read: only readings count then."""
    measured = _ENERGY if sampling.sources else frozenset()
    return [metric for metric in stated if metric[0] not in measured]


def sampled_observation(sampling: Sampling) -> Mapping[str, Any]:
    """Return where the energy of each part was read, and why others, or counts, are absent."""
    facts = {
        "interval": sampling.interval,
        "sources": sampling.sources,
        "absent": sampling.absent,
        "not_counted": sampling.not_counted,
    }
    return {name: fact for name, fact in facts.items() if fact}


def sample_rows(sampling: Sampling) -> tuple[NewSample, ...]:
    """Return the ledger's form of the samples."""
    return tuple(NewSample(*astuple(one)) for one in sampling.samples)
