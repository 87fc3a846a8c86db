"""Which GPUs this process can open, by the UUID that the driver gives them."""

from __future__ import annotations

import ctypes
import uuid
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

    Raises
    ------
    OSError
        If the driver refuses a call.
    """
    if driver is None:
        return []
    _call(driver, "cuInit", 0)
    count = ctypes.c_int()
    _call(driver, "cuDeviceGetCount", ctypes.byref(count))
    found = []
    for ordinal in range(count.value):
        device, identity = ctypes.c_int(), (ctypes.c_ubyte * 16)()
        _call(driver, "cuDeviceGet", ctypes.byref(device), ordinal)
        _call(driver, "cuDeviceGetUuid_v2", ctypes.byref(identity), device)
        found.append(f"GPU-{uuid.UUID(bytes=bytes(identity))}")
    return found


def _call(driver: Any, name: str, *arguments: Any) -> None:
    status = getattr(driver, name)(*arguments)
    if status:
        raise OSError(f"CUDA driver call {name} failed with status {status}")
