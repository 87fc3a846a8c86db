"""Use of memory and arithmetic units of NVIDIA GPUs, by NVML's GPM metrics (Hopper and later)."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

from orchestrator.host.meters.readings import GPU_COUNTERS, MeterError, Reading

_METRICS = {"gpu_dram": "DRAM_BW", "gpu_fp16": "FP16", "gpu_fp32": "FP32", "gpu_fp64": "FP64",
            "gpu_tensor": "ANY_TENSOR"}  # fmt: skip
"""Names of nvml.h, without what they have in common; each is a percentage of the most."""
DRAM_BYTES = "gpu_dram_bytes"
_SHORTEST_SECONDS = 0.1
"""Readings that follow each other faster count together with the next."""
_TRANSFERS_PER_CLOCK = 2
"""Memory moves data at both edges of its clock."""


def counter(name: str, device: str) -> str:
    """Return the name of a counter of one GPU."""
    return f"{name}:{device}"


class GpmGpu:
    """Counters of one GPU that a slot holds alone.

    Parameters
    ----------
    library
        The module ``pynvml``, started.
    uuid
        Name of the GPU.

    Raises
    ------
    MeterError
        If the GPU, its driver or the module has no GPM metrics.
    """

    part, source, share = GPU_COUNTERS, "nvml gpm", 1.0

    def __init__(self, library: Any, uuid: str) -> None:
        self._nvml, self.device = library, uuid
        self._samples: list[Any] = []
        try:
            self._ids = {
                name: getattr(library, f"NVML_GPM_METRIC_{of}_UTIL") for name, of in _METRICS.items()
            }
            self._handle = library.nvmlDeviceGetHandleByUUID(uuid)
            if not library.nvmlGpmQueryDeviceSupport(self._handle).isSupportedDevice:
                raise MeterError("NVML's GPM metrics need Hopper or later; those of DCGM are not read")
            self._samples = [library.nvmlGpmSampleAlloc() for _ in range(2)]
        except AttributeError:
            raise MeterError("this nvidia-ml-py is too old for GPM metrics") from None
        except library.NVMLError as error:
            raise MeterError(f"NVML's GPM metrics: {error}; those of DCGM are not read") from None
        self._peak = self._bytes_per_second()
        self._at: float | None = None
        self._counters: dict[str, float] = {}

    def __del__(self) -> None:
        for sample in getattr(self, "_samples", []):
            with suppress(self._nvml.NVMLError):  # the GPU is lost
                self._nvml.nvmlGpmSampleFree(sample)

    def read(self, seconds: float) -> Reading:
        """Return the seconds in which each unit was used, and bytes of DRAM, since the first reading."""
        try:
            if self._at is None:
                self._nvml.nvmlGpmSampleGet(self._handle, self._samples[0])
                self._counters = {counter(name, self.device): 0.0 for name in self._ids}
                if self._peak is not None:
                    self._counters[counter(DRAM_BYTES, self.device)] = 0.0
                self._at = seconds
            elif seconds - self._at >= _SHORTEST_SECONDS:
                self._nvml.nvmlGpmSampleGet(self._handle, self._samples[1])
                self._add(seconds - self._at)
                self._samples.reverse()
                self._at = seconds
        except self._nvml.NVMLError as error:
            raise MeterError(f"NVML's GPM metrics: {error}") from None
        return Reading(counters=dict(self._counters))

    def _add(self, seconds: float) -> None:
        """Add what the two samples differ by; leave out from now on what the GPU does not give."""
        asked = self._nvml.c_nvmlGpmMetricsGet_t()
        asked.version = self._nvml.NVML_GPM_METRICS_GET_VERSION
        asked.sample1, asked.sample2 = self._samples
        names = list(self._ids)
        asked.numMetrics = len(names)
        for place, name in enumerate(names):
            asked.metrics[place].metricId = self._ids[name]
        self._nvml.nvmlGpmMetricsGet(asked)
        for found, name in zip(asked.metrics, names, strict=False):
            own = counter(name, self.device)
            if found.nvmlReturn != 0 or not math.isfinite(found.value):
                del self._ids[name], self._counters[own]
                if name == "gpu_dram":
                    self._counters.pop(counter(DRAM_BYTES, self.device), None)
                continue
            used = found.value / 100 * seconds
            self._counters[own] += used
            if name == "gpu_dram" and self._peak is not None:
                self._counters[counter(DRAM_BYTES, self.device)] += used * self._peak

    def _bytes_per_second(self) -> float | None:
        """Return the most that the GPU's memory moves, by bus and clock; None where NVML says neither."""
        nvml = self._nvml
        try:
            bits = nvml.nvmlDeviceGetMemoryBusWidth(self._handle)
            megahertz = nvml.nvmlDeviceGetMaxClockInfo(self._handle, nvml.NVML_CLOCK_MEM)
        except nvml.NVMLError:
            return None
        return float(bits / 8 * megahertz * 1e6 * _TRANSFERS_PER_CLOCK) or None
