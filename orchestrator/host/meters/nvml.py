"""Energy, power, utilisation, memory, temperature, clock and throttling of NVIDIA GPUs, through NVML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.host.meters.readings import GPU, EnergyCounter, MeterError, Reading

_MILLI = 1e-3
THERMAL = 0x08 | 0x20 | 0x40 | 0x80
"""Reasons for a lower clock, of nvml.h: hardware slowdown, its thermal and power-brake forms, and heat."""
POWER_CAP = 0x04


class NvmlGpu:
    """One GPU, or the GPU of which a MIG instance is a part.

    Parameters
    ----------
    library
        The module ``pynvml``, started.
    uuid
        Name of the GPU or MIG instance.

    Raises
    ------
    MeterError
        If NVML does not know it, or reads neither its energy nor its power.
    """

    part = GPU

    def __init__(self, library: Any, uuid: str, share: float) -> None:
        self._nvml = library
        self.device = uuid
        try:
            handle = library.nvmlDeviceGetHandleByUUID(uuid)
            self.share = share
            if uuid.startswith("MIG-"):
                part = library.nvmlDeviceGetAttributes(handle).gpuInstanceSliceCount
                handle = library.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
                self.share = share * part / library.nvmlDeviceGetMaxMigDeviceCount(handle)
        except library.NVMLError as error:
            raise MeterError(f"NVML: {error}") from None
        self._handle = handle
        self._values = _value_readers(library, handle)
        self._counter = EnergyCounter(_MILLI)
        self._has_counter = self._supports(library.nvmlDeviceGetTotalEnergyConsumption)
        self._has_power = self._supports(library.nvmlDeviceGetPowerUsage)
        if not (self._has_counter or self._has_power):
            raise MeterError("NVML reads neither energy nor power of this GPU")
        self.source = "nvml" if self._has_counter else "nvml power, integrated"

    def read(self, seconds: float) -> Reading:
        """Return energy, power and all values that the GPU supports."""
        nvml, joules, watts = self._nvml, None, None
        try:
            if self._has_counter:
                count = nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle)
                joules = self._counter.joules(count, seconds)
            if self._has_power:
                watts = nvml.nvmlDeviceGetPowerUsage(self._handle) * _MILLI
        except nvml.NVMLError as error:
            raise MeterError(f"NVML: {error}") from None
        values: dict[str, float] = {}
        for name, read in list(self._values.items()):
            try:
                values |= read()
            except (
                nvml.NVMLError,
                AttributeError,
            ):  # not supported by this GPU or this release of the module
                del self._values[name]
        return Reading(joules, watts, values)

    def _supports(self, read: Callable[[Any], Any]) -> bool:
        try:
            read(self._handle)
        except self._nvml.NVMLError:
            return False
        return True


def _value_readers(nvml: Any, handle: Any) -> dict[str, Callable[[], Mapping[str, float]]]:
    """Return the functions that read what a GPU may support."""

    def throttling() -> dict[str, float]:
        # The name of drivers before 535, which later ones know too.
        reasons = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
        return {
            "gpu_throttled": float(bool(reasons & THERMAL)),
            "gpu_capped": float(bool(reasons & POWER_CAP)),
        }

    return {
        "utilisation": lambda: {"gpu_utilisation": nvml.nvmlDeviceGetUtilizationRates(handle).gpu},
        "memory": lambda: {"gpu_memory": nvml.nvmlDeviceGetMemoryInfo(handle).used},
        "temperature": lambda: {
            "gpu_temperature": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
        },
        "clock": lambda: {"gpu_clock": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)},
        "throttling": throttling,
    }


def nvml_library() -> Any:
    """Return the module ``pynvml``, started.

    Raises
    ------
    MeterError
        If it is not installed, or finds no driver.
    """
    try:
        import pynvml
    except ImportError:
        raise MeterError("nvidia-ml-py is not installed; pip install nvidia-ml-py") from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise MeterError(f"NVML does not start: {error}") from None
    return pynvml
