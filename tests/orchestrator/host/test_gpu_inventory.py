"""The GPUs of a machine, with model, memory and near cores where tools and kernel state them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from orchestrator.host.gpu_inventory import Gpu, amd_details, find_gpus, nvidia_details

A100 = "NVIDIA A100-SXM4-40GB, 40960, 00000000:{bus}:00.0\n"
CARD = {
    "Card Series": "AMD Instinct MI250X",
    "VRAM Total Memory (B)": "68702699520",
    "PCI Bus": "0000:C1:00.0",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of commands, the only one but the system's, and a root for the kernel's files."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    for library in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, library, None)
    return tmp_path


def command(folder: Path, name: str, script: str) -> None:
    file = folder / "bin" / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def device(folder: Path, address: str, **files: str) -> None:
    place = folder / "sys/bus/pci/devices" / address
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name).write_text(f"{text}\n")


def test_nvidia_gpus_have_model_memory_and_near_cores(folder: Path) -> None:
    for bus, cores in (("07", "48-63"), ("c7", "0-15")):
        device(folder, f"0000:{bus}:00.0", local_cpulist=cores)
    listing = "GPU 0: A (UUID: GPU-a)\nGPU 1: A (UUID: GPU-b)\n"
    details = A100.format(bus="07") + A100.format(bus="C7")
    command(folder, "nvidia-smi", f"if [ $1 = -L ]; then printf '{listing}'; else printf '{details}'; fi")
    kind, memory = "NVIDIA A100-SXM4-40GB", 40 * 2**30
    assert find_gpus(folder) == [
        Gpu("nvidia", kind, memory, "48-63"),
        Gpu("nvidia", kind, memory, "0-15"),
    ]


def test_parts_of_a_cut_gpu_are_counted_without_details(folder: Path) -> None:
    listing = "GPU 0: A (UUID: GPU-a)\n  MIG 1g (UUID: MIG-one)\n  MIG 1g (UUID: MIG-two)\n"
    command(folder, "nvidia-smi", f"printf '{listing}'")
    assert find_gpus(folder) == [Gpu("nvidia", is_mig=True)] * 2


def test_details_that_fail_leave_the_count(folder: Path) -> None:
    command(folder, "nvidia-smi", "[ $1 = -L ] && echo 'GPU 0: A (UUID: GPU-a)'")
    assert find_gpus(folder) == [Gpu("nvidia")]


def test_amd_gpus_are_those_of_rocm_smi(folder: Path) -> None:
    device(folder, "0000:c1:00.0", local_cpulist="48-55")
    cards = json.dumps({"card0": CARD, "system": {"Driver version": "6.7.0"}})
    command(folder, "rocm-smi", f"echo '{cards}'")
    assert find_gpus(folder) == [Gpu("amd", "AMD Instinct MI250X", 68702699520, "48-55")]


def test_without_a_tool_the_pci_buses_say_what_there_is(folder: Path) -> None:
    device(folder, "0000:03:00.0", vendor="0x8086", **{"class": "0x038000"}, local_cpulist="0-51")
    device(folder, "0000:04:00.0", vendor="0x1a03", **{"class": "0x030000"})  # of the board's controller
    device(folder, "0000:05:00.0", vendor="0x8086", **{"class": "0x020000"})  # a network card
    command(folder, "nvidia-smi", "exit 9")
    assert find_gpus(folder) == [Gpu("intel", near_cores="0-51")]
    assert find_gpus(folder / "nowhere") == []


def test_answers_in_parts_or_in_another_form() -> None:
    assert nvidia_details("A, [N/A], 00000009:01:00.0\nodd\n") == [("A", None, "00000009:01:00.0")]
    assert amd_details('{"card1": {}, "card0": {"Card series": "x"}}') == [("x", None, ""), ("", None, "")]
    for odd in ("", "[]", "null", '{"card0": 1}', '{"card0": {"VRAM Total Memory (B)": "much"}}'):
        assert amd_details(odd) == []
