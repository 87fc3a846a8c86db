"""GPUs are named by UUID, a process sees its own and no others."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from orchestrator.host.gpus import GpuError, amd_names, bare, discover, memory_cap, nvidia_names, selection

TWO = "GPU 0: NVIDIA A100 (UUID: GPU-aaa)\nGPU 1: NVIDIA A100 (UUID: GPU-bbb)\n"


def program(folder: Path, name: str, text: str, code: int = 0) -> None:
    (folder / f"{name}.txt").write_text(text)
    file = folder / name
    file.write_text(f"#!/bin/sh\ncat {folder}/{name}.txt\nexit {code}\n")
    file.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for library in ("pynvml", "amdsmi"):  # a test sets the one that is installed for it
        monkeypatch.setitem(sys.modules, library, None)
    return tmp_path


def test_a_gpu_that_is_cut_is_named_by_its_parts() -> None:
    listing = (
        "GPU 0: NVIDIA A100 (UUID: GPU-aaa)\n"
        "  MIG 3g.20gb     Device  0: (UUID: MIG-one)\n"
        "  MIG 3g.20gb     Device  1: (UUID: MIG-two)\n"
        "GPU 1: NVIDIA A100 (UUID: GPU-bbb)\n"
    )
    assert nvidia_names(listing) == ["MIG-one", "MIG-two", "GPU-bbb"]


def test_amd_cards_are_in_the_order_of_their_numbers() -> None:
    told = {f"card{k}": {"Unique ID": f"0x{k:04x}"} for k in (10, 2, 0)}
    assert amd_names(json.dumps(told)) == ["GPU-0000", "GPU-0002", "GPU-000a"]
    for odd in ("", "[]", '{"card0": {}}'):
        with pytest.raises(GpuError, match="rocm-smi's answer"):
            amd_names(odd)


@pytest.mark.parametrize(
    ("selected", "count", "names"),
    [
        (None, 2, ["GPU-aaa", "GPU-bbb"]),
        ("", 2, ["GPU-aaa", "GPU-bbb"]),
        ("1", 1, ["GPU-bbb"]),
        ("GPU-bbb", 1, ["GPU-bbb"]),
        ("2,3", 2, ["GPU-aaa", "GPU-bbb"]),  # numbers of a node of which the tool shows only ours
    ],
)
def test_only_those_that_the_batch_system_gave_are_ours(
    folder: Path, selected: str | None, count: int, names: list[str]
) -> None:
    program(folder, "nvidia-smi", TWO)
    environment = {} if selected is None else {"CUDA_VISIBLE_DEVICES": selected}
    assert discover("nvidia", count, environment) == names


class FakeNvml:
    """NVIDIA's library with a whole GPU, one cut in two, and one whose MIG mode is off."""

    class NVMLError(Exception):
        pass

    class NVMLError_NotFound(NVMLError):
        pass

    class NVMLError_NotSupported(NVMLError):
        pass

    def __init__(self, fails_at: str = "") -> None:
        self.fails_at = fails_at
        self.open = 0

    def nvmlInit(self) -> None:
        if self.fails_at == "nvmlInit":
            raise self.NVMLError("driver not loaded")
        self.open += 1

    def nvmlShutdown(self) -> None:
        self.open -= 1

    def nvmlDeviceGetCount(self) -> int:
        if self.fails_at == "nvmlDeviceGetCount":
            raise self.NVMLError("GPU is lost")
        return 3

    def nvmlDeviceGetHandleByIndex(self, number: int) -> str:
        return f"GPU-{number}"

    def nvmlDeviceGetUUID(self, handle: str) -> str | bytes:
        return handle.encode() if handle == "GPU-2" else handle

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: str) -> int:
        if handle == "GPU-0":
            raise self.NVMLError_NotSupported("no MIG")
        return 3

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: str, slot: int) -> str:
        if handle == "GPU-2":
            raise self.NVMLError_NotSupported("MIG is off")
        if slot == 1:
            raise self.NVMLError_NotFound("no instance in this place")
        return f"MIG-{slot}"


def test_nvidias_library_is_asked_before_its_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(folder, "nvidia-smi", "", code=1)
    nvml = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", nvml)  # type: ignore[arg-type]
    assert discover("nvidia", 4, {}) == ["GPU-0", "MIG-0", "MIG-2", "GPU-2"]
    assert discover("nvidia", 1, {"CUDA_VISIBLE_DEVICES": "MIG-2"}) == ["MIG-2"]
    assert nvml.open == 0


@pytest.mark.parametrize("fails_at", ["nvmlInit", "nvmlDeviceGetCount"])
def test_where_nvidias_library_fails_its_command_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    program(folder, "nvidia-smi", TWO)
    nvml = FakeNvml(fails_at)
    monkeypatch.setitem(sys.modules, "pynvml", nvml)  # type: ignore[arg-type]
    assert discover("nvidia", 2, {}) == ["GPU-aaa", "GPU-bbb"]
    assert nvml.open == 0


class FakeAmdSmi:
    """AMD's library with some GPUs."""

    class AmdSmiException(Exception):
        pass

    def __init__(self, *serials: str, starts: bool = True) -> None:
        self.serials = serials
        self.starts = starts
        self.open = 0

    def amdsmi_init(self) -> None:
        if not self.starts:
            raise self.AmdSmiException("driver not loaded")
        self.open += 1

    def amdsmi_shut_down(self) -> None:
        self.open -= 1

    def amdsmi_get_processor_handles(self) -> list[int]:
        return list(range(len(self.serials)))

    def amdsmi_get_gpu_asic_info(self, handle: int) -> dict[str, str]:
        if not self.serials[handle]:
            raise self.AmdSmiException("not supported")
        return {"asic_serial": self.serials[handle]}


def test_amds_library_is_asked_before_its_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(folder, "rocm-smi", "", code=1)
    library = FakeAmdSmi("0xC2A9B4E0AA2B1FF6", "0x2A9B4E0AA2B1FF7")
    monkeypatch.setitem(sys.modules, "amdsmi", library)  # type: ignore[arg-type]
    assert discover("amd", 2, {}) == ["GPU-c2a9b4e0aa2b1ff6", "GPU-02a9b4e0aa2b1ff7"]
    assert library.open == 0


@pytest.mark.parametrize(
    "library",
    [FakeAmdSmi("0x1", starts=False), FakeAmdSmi(""), FakeAmdSmi("N/A"), FakeAmdSmi("0x0", "0x0"), None],
)
def test_where_amds_library_names_no_gpus_its_command_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, library: FakeAmdSmi | None
) -> None:
    program(folder, "rocm-smi", json.dumps({"card0": {"Unique ID": "0xaa"}}))
    monkeypatch.setitem(sys.modules, "amdsmi", library)  # type: ignore[arg-type]
    assert discover("amd", 1, {}) == ["GPU-aa"]
    assert library is None or library.open == 0


def test_another_number_than_the_site_file_says_is_an_error(folder: Path) -> None:
    program(folder, "nvidia-smi", TWO)
    with pytest.raises(GpuError, match="the site file says 4 GPUs a node, this node gives us 2"):
        discover("nvidia", 4, {})


def test_a_tool_that_is_missing_or_fails_is_named(folder: Path) -> None:
    with pytest.raises(GpuError, match="cannot be listed: rocm-smi"):
        discover("amd", 1, {})
    program(folder, "nvidia-smi", "Failed to initialize NVML", code=9)
    with pytest.raises(GpuError, match="nvidia-smi ended with 9: Failed to initialize NVML"):
        discover("nvidia", 1, {})


def test_intel_tiles_go_by_number() -> None:
    assert discover("intel", 3, {}) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("vendor", "variable"),
    [("nvidia", "CUDA_VISIBLE_DEVICES"), ("amd", "ROCR_VISIBLE_DEVICES"), ("intel", "ZE_AFFINITY_MASK")],
)
def test_one_vendors_variable_is_set_and_the_others_are_not(vendor: str, variable: str) -> None:
    chosen = selection(vendor, "none", ["a", "b"], Fraction(1))
    ordered = {"ZE_ENABLE_PCI_ID_DEVICE_ORDER"} if vendor == "intel" else set()
    assert {name for name, value in chosen.items() if value is not None} == {variable, *ordered}
    assert chosen[variable] == "a,b"
    assert len(chosen) == 4 + len(ordered)


def test_a_slot_without_gpus_sees_none() -> None:
    assert selection("nvidia", "none", [], Fraction(0))["CUDA_VISIBLE_DEVICES"] == ""


def test_shares_of_a_gpu() -> None:
    assert selection("nvidia", "mps", ["a"], Fraction(1, 3))["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "33"
    assert "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" not in selection(
        "nvidia", "time-slicing", ["a"], Fraction(1, 3)
    )
    assert memory_cap(40 << 30, Fraction(1, 4)) == 10 << 30
    assert memory_cap(40 << 30, Fraction(1)) is None
    assert memory_cap(None, Fraction(1, 4)) is None


def test_a_mig_instance_is_the_same_under_both_its_names() -> None:
    assert bare("MIG-1234") == bare("GPU-1234") != bare("GPU-9999")
