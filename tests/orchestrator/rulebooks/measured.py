"""Measurements of made-up runs, for rulebooks that read every run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.rulebooks.accepted_facts import (
    AccuracyFacts,
    DataFacts,
    OverlapFacts,
    ProvenanceFacts,
    SlotFacts,
    SoftwareFacts,
    TimeFacts,
)
from orchestrator.rulebooks.measurements import AcceptedRuns, Measurements

GROUPS: dict[str, Any] = {
    "times": TimeFacts,
    "accuracy": AccuracyFacts,
    "overlap": OverlapFacts,
    "slots": SlotFacts,
    "data": DataFacts,
    "software": SoftwareFacts,
    "provenance": ProvenanceFacts,
}
SECOND = 1_000_000
T0 = 1_700_000_000 * SECOND


def made(values: Mapping[str, Any]) -> Measurements:
    """Return measurements from their fields; ``times__missing`` is the field `missing` of `times`."""
    values = {"overlap__sustained": values["overlap__concurrent"]} | dict(values)
    groups: dict[str, dict[str, Any]] = {name: {} for name in GROUPS}
    flat = {}
    for key, value in values.items():
        group, _, name = key.partition("__")
        if name:
            groups[group][name] = value
        else:
            flat[key] = value
    return Measurements(**flat, **{name: GROUPS[name](**facts) for name, facts in groups.items()})


def changed(found: Measurements, **changes: Any) -> Measurements:
    """Return measurements with other values of some fields, named as for `made`."""
    for key, value in changes.items():
        group, _, name = key.partition("__")
        given = replace(getattr(found, group), **{name: value}) if name else value
        found = replace(found, **{group: given})
    return found


def runs(
    rows: Sequence[tuple[float, float, float]], began: Mapping[int, float] | None = None
) -> AcceptedRuns:
    """Return runs from start and stop in seconds, and accuracy; a start of -1 was not measured.

    `began` has the start, in seconds, of an earlier attempt that was ended, by the number of the run.
    """
    starts = [T0 + round(start * SECOND) if start >= 0 else 0 for start, _, _ in rows]
    stops = [T0 + round(stop * SECOND) if start >= 0 else 0 for start, stop, _ in rows]
    firsts = [T0 + round((began or {})[k] * SECOND) if k in (began or {}) else 0 for k in range(len(rows))]
    seconds = [stop - start if start >= 0 else math.nan for start, stop, _ in rows]
    return AcceptedRuns(
        starts,
        stops,
        firsts,
        seconds,
        [accuracy for _, _, accuracy in rows],
    )


def _span(rows: Sequence[tuple[float, float, float]]) -> float | None:
    return max(row[1] for row in rows) - min(row[0] for row in rows) if rows else None


def measured(workload: str, rows: Sequence[tuple[float, float, float]], **changes: Any) -> Measurements:
    """Return measurements of accepted runs, all of them at once, that break no rule of any suite."""
    columns = runs(rows)
    timed = [row for row in rows if row[0] >= 0]
    accuracies = [row[2] for row in rows if not math.isnan(row[2])]
    values: dict[str, Any] = {
        "benchmark": workload,
        "workload": workload,
        "run_class": "closed",
        "parameters": {},
        "planned": len(rows),
        "accepted": len(rows),
        "states": {"done": len(rows)},
        "overlap__concurrent": len(timed),
        "times__share": (1.0, 1.0),
        "times__max_seconds": max((stop - start for start, stop, _ in timed), default=None),
        "times__missing": len(rows) - len(timed),
        "times__makespan_seconds": max(row[1] for row in timed) - min(row[0] for row in timed)
        if timed
        else None,
        "accuracy__lowest": min(accuracies, default=None),
        "accuracy__missing": len(rows) - len(accuracies),
        "accuracy__below_target": 0,
        "software__frameworks": frozenset({"external"}),
        "software__precisions": frozenset({"unknown"}),
        "data__synthetic": None,
        "slots__mismatches": 0,
        "slots__devices_used": True,
        "slots__largest_devices": 4,
        "distinct_seeds": True,
        "slots__largest_share_of_system": 0.1,
        "runs": columns,
    }
    values |= changes
    return made(values)
