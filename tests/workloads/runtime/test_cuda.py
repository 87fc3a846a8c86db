from __future__ import annotations

import uuid
from collections.abc import Sequence

import pytest

from workloads.runtime import cuda

CARDS = [uuid.UUID(int=1), uuid.UUID("5f0c2b16-6f0e-4a6e-9a50-0d2f2c3f4a5b")]


class Driver:
    """Answers as the CUDA driver does, through the pointers it is given."""

    def __init__(self, status: int = 0, sizes: Sequence[int] = (40 * 2**30, 80 * 2**30)) -> None:
        self.status = status
        self.sizes = sizes

    def cuInit(self, flags):
        return self.status

    def cuDeviceGetCount(self, count):
        count._obj.value = len(CARDS)
        return 0

    def cuDeviceGet(self, device, ordinal):
        device._obj.value = ordinal
        return 0

    def cuDeviceGetUuid_v2(self, identity, device):
        identity._obj[:] = CARDS[device.value].bytes
        return 0

    def cuDeviceTotalMem_v2(self, size, device):
        size._obj.value = self.sizes[device.value]
        return 0


def test_uuids_are_spelled_as_the_tools_spell_them():
    assert cuda.visible_uuids(Driver()) == [f"GPU-{card}" for card in CARDS]


def test_memory_is_told_in_bytes():
    assert cuda.total_memory(Driver()) == [40 * 2**30, 80 * 2**30]


def test_a_share_of_memory_is_not_exceeded_on_any_gpu():
    assert cuda.memory_fraction(Driver(), 20 * 2**30) == 0.25
    assert cuda.memory_fraction(Driver(), 200 * 2**30) == 1


def test_without_a_driver_there_are_none():
    assert cuda.visible_uuids(None) == cuda.total_memory(None) == []
    assert cuda.memory_fraction(None, 5) == 1


def test_a_refused_call_is_named():
    with pytest.raises(OSError, match="cuInit failed with status 100"):
        cuda.visible_uuids(Driver(status=100))
