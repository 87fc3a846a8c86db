"""Measurements of made-up runs, for rulebooks that read every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orchestrator.rulebooks.measurements import AcceptedRuns, Measurements

SECOND = 1_000_000
T0 = 1_700_000_000 * SECOND


def runs(
    rows: Sequence[tuple[float, float, float]], began: Mapping[int, float] | None = None
) -> AcceptedRuns:
    """Return runs from start and stop in seconds, and accuracy; a start of -1 was not measured.

    `began` has the start, in seconds, of an earlier attempt that was ended, by the number of the run.
    """
    starts = [T0 + round(start * SECOND) if start >= 0 else 0 for start, _, _ in rows]
    stops = [T0 + round(stop * SECOND) if start >= 0 else 0 for start, stop, _ in rows]
    firsts = [T0 + round((began or {})[k] * SECOND) if k in (began or {}) else 0 for k in range(len(rows))]
    seconds = [stop - start if start >= 0 else np.nan for start, stop, _ in rows]
    return AcceptedRuns(
        np.array(starts, dtype=np.int64),
        np.array(stops, dtype=np.int64),
        np.array(firsts, dtype=np.int64),
        np.array(seconds, dtype=np.float64),
        np.array([accuracy for _, _, accuracy in rows], dtype=np.float64),
    )


def measured(workload: str, rows: Sequence[tuple[float, float, float]], **changes: Any) -> Measurements:
    """Return measurements of accepted runs, all of them at once, that break no rule of any suite."""
    columns = runs(rows)
    timed = [row for row in rows if row[0] >= 0]
    accuracies = [row[2] for row in rows if not np.isnan(row[2])]
    values: dict[str, Any] = {
        "benchmark": workload,
        "workload": workload,
        "run_class": "closed",
        "parameters": {},
        "planned": len(rows),
        "accepted": len(rows),
        "states": {"done": len(rows)},
        "concurrent": len(timed),
        "time_share": (1.0, 1.0),
        "max_seconds": max((stop - start for start, stop, _ in timed), default=None),
        "missing_times": len(rows) - len(timed),
        "makespan_seconds": max(row[1] for row in timed) - min(row[0] for row in timed) if timed else None,
        "min_accuracy": min(accuracies, default=None),
        "missing_accuracies": len(rows) - len(accuracies),
        "below_target": 0,
        "frameworks": frozenset({"external"}),
        "precisions": frozenset({"unknown"}),
        "synthetic_data": None,
        "slot_mismatches": 0,
        "devices_used": True,
        "largest_devices": 4,
        "distinct_seeds": True,
        "largest_share_of_system": 0.1,
        "runs": columns,
    }
    values |= changes
    return Measurements(**{"sustained": values["concurrent"]} | values)
