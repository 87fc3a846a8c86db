"""Energy, power and load of an attempt in a few lines of `instance show`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.protocol.sampling import METRICS

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_LOAD = "load"
_COUNTERS = {
    "counters": "counters of the CPU",
    "flop": "counted FLOP",
    "cpu_instructions": "instructions",
    "cpu_cycles": "cycles",
    "cpu_cache_misses": "cache misses",
    "dram": "bytes of DRAM",
    "gpu_counters": "counters of the GPU",
}
"""Names for people of what hardware counters give."""
_ALL_THE_TIME = 99.95
_SCALED = ("bytes", "_flop")
SHOWN_IN_LINES = frozenset(METRICS) | {"energy_per_epoch_joules", "energy_per_sample_joules"}
"""Metrics that these lines show."""


def sampling_lines(metrics: Mapping[str, float | None], sampling: Mapping[str, Any] | None) -> dict[str, str]:
    """Return lines of an attempt by name: ``energy``, ``power``, ``gpu``, ``cpu``, ``I/O`` and ``counters``.

    Parameters
    ----------
    metrics
        Values by name.
    sampling
        Observation of where energy was read and why parts are absent; None for an attempt that was not
        sampled.
    """
    not_counted = (sampling or {}).get("not_counted") or {}
    found = {
        "energy": _energy(metrics, sampling or {}),
        "power": _joined(metrics, power_mean_watts="mean {} W", power_peak_watts="peak {} W"),
        "gpu": _joined(
            metrics,
            gpu_utilisation_percent="{} % busy",
            gpu_memory_peak_bytes="memory up to {}B",
            gpu_temperature_peak_celsius="up to {} °C",
            gpu_clock_mean_megahertz="{} MHz",
            gpu_throttled_seconds="throttled {} s",
            gpu_power_capped_seconds="at its power limit {} s",
        ),
        "cpu": _joined(metrics, cpu_utilisation_percent="{} % of the slot's cores")
        or not_counted.get(_LOAD, ""),
        "I/O": _joined(
            metrics,
            read_bytes="read {}B",
            written_bytes="written {}B",
            storage_read_bytes="from storage {}B",
            storage_written_bytes="to storage {}B",
        ),
        "counters": _counters(metrics, not_counted),
    }
    return {name: text for name, text in found.items() if text}


def _energy(metrics: Mapping[str, float | None], sampling: Mapping[str, Any]) -> str:
    """Return the energy with its parts, or why there is none."""
    sources, absent = sampling.get("sources") or {}, sampling.get("absent") or {}
    parts = [
        f"{part} {scaled(joules)}J by {source}"
        for part, source in sources.items()
        if (joules := metrics.get(f"{part}_energy_joules")) is not None
    ]
    why = [f"without {part}: {reason}" for part, reason in absent.items()]
    if (energy := metrics.get("energy_joules")) is not None:
        over = " in the timed window" if sampling.get("interval") == "window" else ""
        per = [
            f"{scaled(value)}J per {what}"
            for what in ("epoch", "sample")
            if (value := metrics.get(f"energy_per_{what}_joules")) is not None
        ]
        return "; ".join([f"{scaled(energy)}J{over}", *per, *parts, *why])
    if (whole := metrics.get("attempt_energy_joules")) is not None:
        return "; ".join([f"{scaled(whole)}J until the attempt ended", *why])
    return "; ".join(["not measured", *parts, *why]) if absent else ""


def _counters(metrics: Mapping[str, float | None], not_counted: Mapping[str, str]) -> str:
    """Return hardware counters, with the operations that were counted in the graph, or why there are none."""
    shown = _joined(
        metrics,
        cpu_counted_flop="{}FLOP",
        cpu_instructions="{} instructions",
        cpu_cycles="{} cycles",
        cpu_cache_misses="{} cache misses",
        cpu_dram_read_bytes="from DRAM {}B",
        cpu_dram_written_bytes="to DRAM {}B",
        gpu_dram_percent="GPU DRAM {} %",
        gpu_dram_bytes="GPU DRAM {}B",
        gpu_fp16_percent="FP16 {} %",
        gpu_fp32_percent="FP32 {} %",
        gpu_fp64_percent="FP64 {} %",
        gpu_tensor_percent="tensor {} %",
    )
    share = metrics.get("cpu_counter_time_percent")
    if share is not None and share < _ALL_THE_TIME:
        shown += f", scaled up from {share:.4g} % of the time"
    per, samples = metrics.get("training_flop_per_sample"), metrics.get("samples_seen")
    if metrics.get("cpu_counted_flop") is not None and per and samples:
        shown += f"; the graph of the training has {scaled(per * samples)}FLOP"
    why = [
        f"without {_COUNTERS.get(name, name)}: {reason}"
        for name, reason in not_counted.items()
        if name != _LOAD
    ]
    return "; ".join(filter(None, [shown, *why]))


def _joined(metrics: Mapping[str, float | None], **shown: str) -> str:
    texts = []
    for name, text in shown.items():
        value = metrics.get(name)
        if value is not None:
            form: Callable[[float], str] = scaled if name.endswith(_SCALED) else "{:.4g}".format
            texts.append(text.format(form(value)))
    return ", ".join(texts)


def scaled(value: float) -> str:
    """Return a number with a prefix of its unit, such as ``1.23 k``."""
    number, place = value, 0
    while abs(number) >= 1000 and place + 1 < len(_PREFIXES):
        number, place = number / 1000, place + 1
    return f"{number:.3g} {_PREFIXES[place]}"
