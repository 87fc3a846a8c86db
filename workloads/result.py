"""Output of a running workload: `Result`, with any number of `Metric`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Metric:
    """A named number with a unit."""

    name: str
    value: float
    unit: str = ""


@dataclass(slots=True)
class Result:
    """Figures of a finished run.

    Parameters
    ----------
    accuracy
        The quality metric's value, or None where the workload has none.
    fom_seconds
        Mean seconds per batch or per sample; None where the figure of merit's time is the
        whole run, which the runner measures itself.
    metrics
        Other numbers for the ledger: losses, scores.
    observed
        What the process found in force: framework, versions, devices, thread counts, precision.
    data
        What was read: rows, columns, classes, and ``synthetic`` (true if ``data generate`` wrote the files).
    observe_after
        Returns further observations; called when the run's clock has stopped.
    measure_after
        Returns further metrics; called when the run's clock has stopped.
    """

    accuracy: float | None = None
    fom_seconds: float | None = None
    metrics: tuple[Metric, ...] = ()
    observed: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    observe_after: Callable[[], Mapping[str, Any]] | None = None
    measure_after: Callable[[], tuple[Metric, ...]] | None = None
