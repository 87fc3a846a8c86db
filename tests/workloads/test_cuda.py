from __future__ import annotations

import uuid

import pytest

from workloads import cuda

CARDS = [uuid.UUID(int=1), uuid.UUID("5f0c2b16-6f0e-4a6e-9a50-0d2f2c3f4a5b")]


class Driver:
    """Answers as the CUDA driver does, through the pointers it is given."""

    def __init__(self, status: int = 0) -> None:
        self.status = status

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


def test_uuids_are_spelled_as_the_tools_spell_them():
    assert cuda.visible_uuids(Driver()) == [f"GPU-{card}" for card in CARDS]


def test_without_a_driver_there_are_none():
    assert cuda.visible_uuids(None) == []


def test_a_refused_call_is_named():
    with pytest.raises(OSError, match="cuInit failed with status 100"):
        cuda.visible_uuids(Driver(status=100))
