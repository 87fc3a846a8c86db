"""Metrics, observations and samples of an attempt's sampling, as the ledger keeps them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Any

from db.records import NewSample
from orchestrator.protocol.report import TrainingResult, finite
from orchestrator.protocol.sampling import METRICS, Sampling

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
    """Return where the energy of each part was read, and why others are absent."""
    facts = {"interval": sampling.interval, "sources": sampling.sources, "absent": sampling.absent}
    return {name: fact for name, fact in facts.items() if fact}


def sample_rows(sampling: Sampling) -> tuple[NewSample, ...]:
    """Return the ledger's form of the samples."""
    return tuple(NewSample(*astuple(one)) for one in sampling.samples)
