"""Hardware counters of a slot on its node, and the reasons for those that are absent."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.host.meters.cpu_counters import CpuCounters
from orchestrator.node.sampling import counter_meters
from orchestrator.node.sampling.counter_meters import CounterMeters
from orchestrator.node.sampling.meters import NodeMeters
from orchestrator.protocol.order import Gpus, RankResources, pack_slots
from tests.messages import order, slot_order
from tests.orchestrator.host.meters.trees import Gpu, Nvml

HOPPER = {10: 50.0}
PLACE = RankResources((0,), (0,))


def opened(
    folder: Path, slots: list[list[RankResources]], gpus: Gpus | None = None, **library: Gpu
) -> CounterMeters:
    slot = slot_order(order(slots=pack_slots(slots), gpus=gpus), places=tuple(slots[0]))
    devices = [[f"GPU-{number}" for number in place.gpus] for place in slots[0]]
    made = Nvml(**library)
    (folder / "cpuinfo").write_text("vendor_id: GenuineIntel\ncpu family: 6\nmodel: 85\n")
    return CounterMeters(
        slot, slots, devices, _waiting, lambda: made, root=folder, cpuinfo=folder / "cpuinfo"
    )


PIDS: list[int] = []


def _waiting() -> list[int]:
    return PIDS


@pytest.fixture(autouse=True)
def process() -> Iterator[None]:
    """Start a process that waits, whose counters are opened."""
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
        PIDS[:] = [child.pid]
        yield
        child.communicate(b"\n")


@pytest.fixture(autouse=True)
def kernel(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Stand in for a kernel that counts what the test does not list, and return that list."""
    refused: list[int] = []

    def count(kind: int, config: int, task: int) -> int:
        assert task > 0
        if kind in refused:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return os.open(os.devnull, os.O_RDONLY) if config >= 0 else -1

    monkeypatch.setattr(counter_meters, "CpuCounters", lambda pids, flop: CpuCounters(pids, flop, count))
    return refused


def test_a_slot_has_the_counters_of_its_processes_and_gpus(tmp_path: Path) -> None:
    slots = [[PLACE, RankResources((1,), (1,))], [RankResources((2,), (2,))]]
    found = opened(tmp_path, slots, Gpus("nvidia", 3), GPU_0=Gpu(gpm=HOPPER), GPU_1=Gpu(gpm=HOPPER))
    assert [(one.part, one.device) for one in found.meters] == [
        ("counters", "slot"), ("gpu_counters", "GPU-0"), ("gpu_counters", "GPU-1"),
    ]  # fmt: skip
    assert found.absent == {"dram": "memory controllers count for all 2 slots of the node together"}


def test_a_cpu_that_counts_nothing_says_so(tmp_path: Path, kernel: list[int]) -> None:
    kernel += [0, 4]
    found = opened(tmp_path, [[RankResources((0,))]])
    assert found.meters == []
    assert found.absent["counters"] == "not supported by this CPU, or hidden by its virtual machine"
    assert found.absent["dram"].startswith("the kernel lists no events cas_count_read")
    kernel.remove(0)
    found = opened(tmp_path, [[RankResources((0,))]])
    assert [one.part for one in found.meters] == ["counters"]
    assert found.absent["flop"] == "not supported by this CPU, or hidden by its virtual machine"


@pytest.mark.parametrize(
    ("gpus", "slots", "why"),
    [
        (Gpus("amd", 1), [[PLACE]], "rocprofiler counts only programs that it starts"),
        (Gpus("intel", 1), [[PLACE]], "no counters of Intel's GPUs are read"),
        (Gpus("nvidia", 1, "mps"), [[PLACE], [PLACE]], "which this slot does not hold alone"),
        (Gpus("nvidia", 7, "mig"), [[PLACE]], "which this slot does not hold alone"),
        (Gpus("nvidia", 1), [[PLACE]], "need Hopper or later; those of DCGM are not read"),
    ],
)
def test_other_gpus_have_a_reason(
    tmp_path: Path, gpus: Gpus, slots: list[list[RankResources]], why: str
) -> None:
    found = opened(tmp_path, slots, gpus, GPU_0=Gpu())
    assert why in found.absent["gpu_counters"]
    assert [one.part for one in found.meters] == ["counters"]


@pytest.mark.parametrize("asked", [True, False])
def test_a_node_counts_where_its_site_asks_for_it(tmp_path: Path, asked: bool) -> None:
    own: Any = order(slots=pack_slots([[RankResources((0,))]]), hardware_counters=asked)
    slot = slot_order(own, places=(RankResources((0,)),))
    found = NodeMeters(slot, [[]], _waiting, root=tmp_path)
    assert [one.part for one in found.meters] == (["load", "counters"] if asked else ["load"])
    assert ("dram" in found.absent) == asked
