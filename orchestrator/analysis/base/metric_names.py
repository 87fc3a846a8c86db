"""Names of metrics, and which of their values are better."""

from __future__ import annotations

import re

from workloads.metrics.definitions import METRICS, Better

TIME = "time"
"""The FOM time of the instances, whatever the workload measures of itself."""
_HIGHER = re.compile("(accuracy|_per_second)$")
_LOWER = re.compile("(^|_)(seconds|bytes|joules|watts|error|loss)(_|$)|_to_accuracy$")


def better_of(metric: str) -> Better:
    """Return which values of a metric are better; without a definition, by its name, if that says so."""
    for name, one in METRICS.items():
        if metric == name or metric.endswith(f"_{name}"):
            return one.better
    if _HIGHER.search(metric) and not metric.endswith("_to_accuracy"):
        return "higher"
    return "lower" if metric == TIME or _LOWER.search(metric) else "none"
