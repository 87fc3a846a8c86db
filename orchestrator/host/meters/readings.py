"""Readings of a meter, and counters of energy that wrap around or start again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

GPU, CPU, MEMORY, NODE, LOAD = "gpu", "cpu", "memory", "node", "load"
"""Parts of a node that meters belong to; load is that of the attempt's own processes."""
COUNTERS, FLOP, DRAM, GPU_COUNTERS = "counters", "flop", "dram", "gpu_counters"
"""Hardware counters of the CPU, those of floating-point operations and of memory among them, and of GPUs."""
_FILE_BYTES = 4096
_MOST_WATTS = 5_000.0
"""Above the power of any package: a counter that would have needed more to wrap around was reset."""


class MeterError(Exception):
    """Why a quantity cannot be read, in a few words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Values that a meter read at one moment.

    Parameters
    ----------
    joules
        Energy since the meter's first reading; None from a meter of power alone.
    watts
        Power now; None from a meter of energy alone.
    values
        Quantities that are what they are now, by name.
    counters
        Quantities that only grow, by name.
    """

    joules: float | None = None
    watts: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)


class Meter(Protocol):
    """Something that is read at each sample.

    Attributes
    ----------
    part
        `GPU`, `CPU`, `MEMORY`, `NODE` or `LOAD`; of hardware counters `COUNTERS`, `DRAM`, `GPU_COUNTERS`.
    device
        Name of what it measures, unique among the meters of a part.
    source
        Where it reads.
    share
        Share of its energy that the attempt's slot is charged, from 0 to 1.
    """

    part: str
    device: str
    source: str
    share: float

    def read(self, seconds: float) -> Reading:
        """Return a reading; `seconds` is the time by a clock that is never set. Raises `MeterError`."""


class CounterFile:
    """An open file of sysfs or procfs that begins with a number.

    Raises
    ------
    MeterError
        If it is missing, or this user may not read it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise MeterError(reason(file, error)) from None

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def read(self) -> float:
        """Return the number. Raises `MeterError` if there is none, or the device is gone."""
        try:
            return float(os.pread(self._descriptor, _FILE_BYTES, 0).split(None, 1)[0])
        except OSError as error:
            raise MeterError(reason(self._file, error)) from None
        except (ValueError, IndexError):
            raise MeterError(f"{self._file} holds no number") from None


class EnergyCounter:
    """Sums the increases of a counter.

    Parameters
    ----------
    joules_per_count
        Unit of the counter.
    wraps_at
        Largest count, after which it begins at 0; None for one that never wraps around.
    """

    def __init__(self, joules_per_count: float, wraps_at: float | None = None) -> None:
        self._unit = joules_per_count
        self._wraps_at = wraps_at
        self._last: tuple[float, float] | None = None
        self._joules = 0.0

    def joules(self, count: float, seconds: float) -> float:
        """Return the joules since the first call.

        Raises
        ------
        MeterError
            If the counter was reset in between.
        """
        if self._last is not None:
            before, since = self._last
            added = count - before
            if added < 0 and self._wraps_at is not None:
                added += self._wraps_at
                if added * self._unit > _MOST_WATTS * max(seconds - since, 1.0):
                    added = -1.0
            if added < 0:
                raise MeterError("the counter was reset while the attempt ran")
            self._joules += added * self._unit
        self._last = count, seconds
        return self._joules


def reason(file: Path, error: OSError) -> str:
    """Return why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return f"{file} is not there"
    if isinstance(error, PermissionError):
        return f"permission denied: {file}"
    return f"{file}: {error.strerror or error}"
