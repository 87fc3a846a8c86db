"""Which meters a slot has on its node, and why it has no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.host.meters.readings import MeterError
from orchestrator.node.sampling.meters import NodeMeters
from orchestrator.protocol.order import Gpus, RankResources, pack_slots
from tests.messages import order, slot_order
from tests.orchestrator.host.meters.trees import Gpu, Nvml, cpus, cray, rapl


def opened(
    root: Path,
    slots: list[list[RankResources]],
    devices: list[list[str]],
    gpus: Gpus | None = None,
    **more: Any,
) -> NodeMeters:
    own = order(slots=pack_slots(slots), gpus=gpus)
    slot = slot_order(own, places=tuple(slots[0]))
    return NodeMeters(slot, devices, list, root=root, **more)


def described(found: NodeMeters) -> dict[str, float]:
    return {f"{one.part} {one.device}": round(one.share, 4) for one in found.meters}


def test_a_slot_has_its_gpus_and_its_share_of_its_packages(tmp_path: Path) -> None:
    cpus(tmp_path)
    rapl(tmp_path, "package-0", "intel-rapl:0")
    rapl(tmp_path, "package-1", "intel-rapl:1")
    slots = [
        [RankResources((0, 1), (0,)), RankResources((2, 3), (1,))],
        [RankResources((4, 5, 6, 7), (2, 3))],
    ]
    library = Nvml(GPU_a=Gpu(), GPU_b=Gpu())
    found = opened(tmp_path, slots, [["GPU-a"], ["GPU-b"]], Gpus("nvidia", 4), library=lambda: library)
    assert described(found) == {"load slot": 1, "gpu GPU-a": 1, "gpu GPU-b": 1, "cpu package-0": 1}
    assert found.absent == {}


def test_a_gpu_of_four_slots_is_charged_by_a_quarter(tmp_path: Path) -> None:
    slots = [[RankResources((k,), (0,))] for k in range(4)]
    library = Nvml(GPU_a=Gpu())
    found = opened(tmp_path, slots, [["GPU-a"]], Gpus("nvidia", 1, "mps"), library=lambda: library)
    assert described(found) == {"load slot": 1, "gpu GPU-a": 0.25}
    assert set(found.absent) == {"cpu"}


def test_two_ranks_on_one_gpu_count_it_once(tmp_path: Path) -> None:
    slots = [[RankResources((0,), (0,)), RankResources((1,), (0,))]]
    library = Nvml(GPU_a=Gpu())
    found = opened(tmp_path, slots, [["GPU-a"], ["GPU-a"]], Gpus("nvidia", 1, "mps"), library=lambda: library)
    assert described(found) == {"load slot": 1, "gpu GPU-a": 1}


def test_64_attempts_on_a_node_are_charged_all_of_it_together(tmp_path: Path) -> None:
    cpus(tmp_path, packages=2, cores=64, threads=2)
    for package in (0, 1):
        rapl(tmp_path, f"package-{package}", f"intel-rapl:{package}")
    slots = [[RankResources((2 * k, 2 * k + 1))] for k in range(64)]
    total = 0.0
    for k in (*range(64),):
        own = order(slots=pack_slots(slots))
        found = NodeMeters(slot_order(own, places=tuple(slots[k])), [[]], list, root=tmp_path)
        total += sum(one.share for one in found.meters if one.part == "cpu")
    assert total == pytest.approx(2.0)


def test_one_unreadable_gpu_leaves_all_out_with_the_reason(tmp_path: Path) -> None:
    slots = [[RankResources((0,), (0, 1))]]
    library = Nvml(GPU_a=Gpu())
    found = opened(tmp_path, slots, [["GPU-a", "GPU-b"]], Gpus("nvidia", 2), library=lambda: library)
    assert described(found) == {"load slot": 1}
    assert found.absent["gpu"] == "NVML: Not Found"


def test_a_node_without_sources_has_the_load_alone(tmp_path: Path) -> None:
    def missing() -> Any:
        raise MeterError("nvidia-ml-py is not installed; pip install nvidia-ml-py")

    cpus(tmp_path)
    slots = [[RankResources((0,), (0,))]]
    found = opened(tmp_path, slots, [["GPU-a"]], Gpus("nvidia", 1), library=missing)
    assert described(found) == {"load slot": 1}
    assert found.absent == {
        "gpu": "nvidia-ml-py is not installed; pip install nvidia-ml-py",
        "cpu": f"{tmp_path}/class/powercap is not there",
    }


def test_the_blade_controller_comes_before_rapl_and_stands_in_for_gpus(tmp_path: Path) -> None:
    cpus(tmp_path, packages=1, cores=8, threads=1)
    cray(tmp_path, energy=1000, cpu_energy=300, accel0_energy=1, accel1_energy=1)
    rapl(tmp_path, "package-0", "intel-rapl:0")
    whole = [[RankResources((0, 1, 2, 3), (0, 1))]]
    found = opened(tmp_path, whole, [["GPU-1", "GPU-2"]], Gpus("amd", 2))
    assert described(found) == {
        "load slot": 1,
        "node energy": 0.5,
        "cpu cpu_energy": 0.5,
        "gpu accel0_energy+accel1_energy": 1,
    }
    assert found.absent == {}
    halves = [[RankResources((0, 1), (0,))], [RankResources((2, 3), (1,))]]
    found = opened(tmp_path, halves, [["GPU-1"]], Gpus("amd", 2))
    assert described(found) == {"load slot": 1, "node energy": 0.25, "cpu cpu_energy": 0.25}
    assert found.absent == {"gpu": "the kernel states no GPU with unique_id GPU-1"}
