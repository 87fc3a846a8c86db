"""Facts of a report that judging groups attempts by: counted steps, and load by other processes.

They stand with the attempt's observation, which attempts share, so that judging a million attempts reads
only as many rows as there are distinct values.
"""

from __future__ import annotations

from typing import Any

from orchestrator.protocol.foreign_load import METRIC, UNKNOWN, foreign_percent
from orchestrator.protocol.report import AttemptReport, TrainingResult, finite

COUNTS = ("epochs_run", "optimizer_steps")
"""Metrics that count a training's work."""


def measured_facts(report: AttemptReport, result: TrainingResult) -> dict[str, Any]:
    """Return ``steps``, a mapping of whole numbers, and ``foreign_cpu_percent`` or why it is absent."""
    values = {metric.name: metric.value for metric in result.metrics}
    steps = {name: number for name in COUNTS if (number := _whole(values.get(name))) is not None}
    facts: dict[str, Any] = {"steps": steps}
    foreign, reason = values.get(METRIC), result.observed.facts.get(UNKNOWN)
    begin, end = report.run_start_us, report.run_stop_us
    if foreign is not None and _is_number(foreign) and begin is not None and end is not None:
        cores = len(report.cores or ()) * max(1, len(report.nodes))
        facts["foreign_cpu_percent"] = foreign_percent(float(foreign), (end - begin) / 1e6, cores)
    elif reason is not None:
        facts[UNKNOWN] = str(reason)
    return facts


def _whole(value: Any) -> int | None:
    return int(value) if _is_number(value) and float(value).is_integer() else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and finite(value)
