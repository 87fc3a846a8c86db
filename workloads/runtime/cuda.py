"""Ask the CUDA driver which GPUs this process can open, and their memory, without opening one.

Functions raise `OSError` if the driver refuses a call.
"""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Iterator
from typing import Any


def open_driver() -> Any | None:
    """Return the CUDA driver library, or None where the machine has none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def visible_uuids(driver: Any | None) -> list[str]:
    """Return the UUIDs of the visible GPUs in CUDA order, as ``GPU-…`` texts.

    For a MIG instance the driver gives the instance's own UUID, which is then spelled ``MIG-…``
    by the tools that list it; compare the part after the prefix.
    """
    found = []
    for device in _devices(driver):
        identity = (ctypes.c_ubyte * 16)()
        _call(driver, "cuDeviceGetUuid_v2", ctypes.byref(identity), device)
        found.append(f"GPU-{uuid.UUID(bytes=bytes(identity))}")
    return found


def total_memory(driver: Any | None) -> list[int]:
    """Return the bytes of memory of each visible GPU or MIG instance in CUDA order."""
    found = []
    for device in _devices(driver):
        size = ctypes.c_size_t()
        _call(driver, "cuDeviceTotalMem_v2", ctypes.byref(size), device)
        found.append(size.value)
    return found


def memory_fraction(driver: Any | None, most_bytes: int) -> float:
    """Return the largest fraction of memory, 1 at most, that is at most `most_bytes` on every visible GPU."""
    return min(1.0, most_bytes / max(total_memory(driver), default=most_bytes))


def _devices(driver: Any | None) -> Iterator[ctypes.c_int]:
    """Yield the driver's handle of each visible GPU."""
    if driver is None:
        return
    _call(driver, "cuInit", 0)
    count = ctypes.c_int()
    _call(driver, "cuDeviceGetCount", ctypes.byref(count))
    for ordinal in range(count.value):
        device = ctypes.c_int()
        _call(driver, "cuDeviceGet", ctypes.byref(device), ordinal)
        yield device


def _call(driver: Any, name: str, *arguments: Any) -> None:
    status = getattr(driver, name)(*arguments)
    if status:
        raise OSError(f"CUDA driver call {name} failed with status {status}")
