"""Metrics of hardware counters over an interval, from what they counted at its beginning and end."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.host.meters.cpu_counters import CLOCK, ENABLED, RUNNING
from orchestrator.host.meters.gpm import DRAM_BYTES, counter
from orchestrator.host.meters.readings import COUNTERS, DRAM, FLOP, GPU_COUNTERS, LOAD
from orchestrator.protocol.sampling import mean

CPU_SECONDS = "cpu_seconds"
_GENERAL = ("cpu_instructions", "cpu_cycles", "cpu_cache_misses")
COUNTS = frozenset((LOAD, COUNTERS, FLOP, DRAM, GPU_COUNTERS, *_GENERAL))
"""Names of what is not energy among the reasons of what is absent."""
_FLOP = "flop_"
_DRAM = ("cpu_dram_read_bytes", "cpu_dram_written_bytes")
_GPU = ("gpu_dram", "gpu_fp16", "gpu_fp32", "gpu_fp64", "gpu_tensor")
_COVERED, _TICKS_SECONDS = 0.95, 0.1
"""Share of the CPU time that must have been counted, and what rounding of that time may hide."""
_NANO = 1e-9


class HardwareCounts:
    """Counts of an interval as metrics.

    Parameters
    ----------
    begin, end
        Counts at its beginning and end, by name.
    seconds
        Its length.
    absent
        Why parts are not measured, by name.

    Attributes
    ----------
    metrics
        Values by name.
    absent
        Why further quantities are not measured.
    """

    def __init__(
        self, begin: Mapping[str, float], end: Mapping[str, float], seconds: float, absent: Mapping[str, str]
    ) -> None:
        self._grown = {name: end[name] - begin[name] for name in begin.keys() & end.keys()}
        self.metrics: dict[str, float] = {}
        self.absent: dict[str, str] = {}
        if COUNTERS not in absent and CLOCK in self._grown:
            self._add_cpu()
        if DRAM not in absent:
            self.metrics |= {name: self._grown[name] for name in _DRAM if name in self._grown}
        if GPU_COUNTERS not in absent:
            self._add_gpus(seconds)

    def _add_cpu(self) -> None:
        """Add what was counted of the processes, if that was nearly all that they did."""
        used, counted = self._grown.get(CPU_SECONDS), self._grown[CLOCK] * _NANO
        if used is None:
            self.absent[COUNTERS] = "the processes had ended before their CPU time was read, to compare with"
            return
        if counted < _COVERED * used - _TICKS_SECONDS:
            self.absent[COUNTERS] = f"less than {_COVERED:.0%} of the CPU time was counted"
            return
        shares: list[float] = []
        for name in _GENERAL:
            if name in self._grown:
                self._add_scaled(name, {name: 1}, name, shares)
        flop = {name: int(name.removeprefix(_FLOP)) for name in self._grown if _is_flop(name)}
        if flop:
            self._add_scaled("cpu_counted_flop", flop, FLOP, shares)
        if shares:
            self.metrics["cpu_counter_time_percent"] = 100 * min(shares)

    def _add_scaled(
        self, metric: str, weights: Mapping[str, int], quantity: str, shares: list[float]
    ) -> None:
        """Add a sum of events, each by the share of the time in which it was counted."""
        total = 0.0
        for name, weight in weights.items():
            enabled, running = self._grown[name + ENABLED], self._grown[name + RUNNING]
            if running <= 0:
                self.absent[quantity] = "its counters were taken, or no process ran"
                return
            total += weight * self._grown[name] * enabled / running
            shares.append(running / enabled)
        self.metrics[metric] = total

    def _add_gpus(self, seconds: float) -> None:
        """Add means over all GPUs, and the sum of their bytes; without those of a GPU there are none."""
        devices = {name.partition(":")[2] for name in self._grown if ":" in name}
        for name in (*_GPU, DRAM_BYTES):
            found = [self._grown.get(counter(name, device)) for device in devices]
            known = [one for one in found if one is not None]
            if not known or len(known) < len(found):
                continue
            if name == DRAM_BYTES:
                self.metrics[name] = sum(known)
            else:
                self.metrics[f"{name}_percent"] = 100 * mean(known) / seconds


def _is_flop(name: str) -> bool:
    return name.startswith(_FLOP) and name.removeprefix(_FLOP).isdecimal()
