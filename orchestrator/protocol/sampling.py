"""Samples of an attempt: its metrics, where they come from, and why others are absent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


def mean(values: Sequence[float]) -> float:
    """Return the mean; the module ``statistics`` takes 8 ms to load, which every supervisor saves."""
    return sum(values) / len(values)


_SUM, _MEAN, _MAX = sum, mean, max
COUNTED: Mapping[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "cpu_instructions": ("instructions", _SUM),
    "cpu_cycles": ("cycles", _SUM),
    "cpu_cache_misses": ("misses", _SUM),
    "cpu_counted_flop": ("FLOP", _SUM),
    "cpu_counter_time_percent": ("%", min),
    "cpu_dram_read_bytes": ("B", _SUM),
    "cpu_dram_written_bytes": ("B", _SUM),
    "gpu_dram_percent": ("%", _MEAN),
    "gpu_dram_bytes": ("B", _SUM),
    "gpu_fp16_percent": ("%", _MEAN),
    "gpu_fp32_percent": ("%", _MEAN),
    "gpu_fp64_percent": ("%", _MEAN),
    "gpu_tensor_percent": ("%", _MEAN),
}
"""Metrics of hardware counters, which are among `METRICS`."""
METRICS: Mapping[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "energy_joules": ("J", _SUM),
    "gpu_energy_joules": ("J", _SUM),
    "cpu_energy_joules": ("J", _SUM),
    "memory_energy_joules": ("J", _SUM),
    "node_energy_joules": ("J", _SUM),
    "attempt_energy_joules": ("J", _SUM),
    "power_mean_watts": ("W", _SUM),
    "power_peak_watts": ("W", _SUM),
    "gpu_utilisation_percent": ("%", _MEAN),
    "gpu_memory_peak_bytes": ("B", _MAX),
    "gpu_temperature_peak_celsius": ("°C", _MAX),
    "gpu_clock_mean_megahertz": ("MHz", _MEAN),
    "gpu_throttled_seconds": ("s", _MAX),
    "gpu_power_capped_seconds": ("s", _MAX),
    "cpu_utilisation_percent": ("%", _MEAN),
    "read_bytes": ("B", _SUM),
    "written_bytes": ("B", _SUM),
    "storage_read_bytes": ("B", _SUM),
    "storage_written_bytes": ("B", _SUM),
    **COUNTED,
}
"""Unit of each metric, and how those of several nodes become one."""
MOST_POINTS = 600
"""Points of all samples of an attempt together."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of one quantity and device; see `db.rows.Sample`."""

    quantity: str
    node: str
    device: str
    unit: str
    source: str
    begin_us: int
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Samples of one node, or of all nodes of an attempt.

    Parameters
    ----------
    interval
        What the metrics describe: ``run``, or ``window`` where only timed steps count; None if the
        attempt did not end its run. ``attempt_energy_joules`` is of the whole attempt.
    metrics
        Values by name; see `METRICS`.
    sources
        Parts of `energy_joules`, each with where it was read and the share that was charged.
    absent
        Why the energy of a part, or another quantity, was not measured.
    not_counted
        Why CPU time, or what hardware counters give, was not counted.
    """

    interval: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    not_counted: dict[str, str] = field(default_factory=dict)
    samples: tuple[Samples, ...] = ()


def combine(nodes: Sequence[Sampling]) -> Sampling:
    """Return the sampling of an attempt from those of its nodes.

    A metric that one node lacks is absent.
    """
    if len(nodes) == 1:
        return nodes[0]
    common = [name for name in METRICS if nodes and all(name in one.metrics for one in nodes)]
    missing = {name: "not measured on every node" for one in nodes for name in one.metrics} if nodes else {}
    lacking = {name: why for name, why in missing.items() if name not in common}
    absent = {name: why for name, why in lacking.items() if name not in COUNTED}
    not_counted = {name: why for name, why in lacking.items() if name in COUNTED}
    for one in nodes:
        absent |= one.absent
        not_counted |= one.not_counted
    intervals = {one.interval for one in nodes}
    return Sampling(
        interval=intervals.pop() if len(intervals) == 1 else None,
        metrics={name: float(METRICS[name][1]([one.metrics[name] for one in nodes])) for name in common},
        sources={part: source for one in nodes for part, source in one.sources.items()},
        absent=absent,
        not_counted=not_counted,
        samples=tuple(series for one in nodes for series in one.samples),
    )
