"""A node's description has what its files state, and nothing else."""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.host.installed_packages import installed_packages
from orchestrator.host.system_facts import describe_node, library_versions

FILES = {
    "proc/sys/kernel/osrelease": "5.14.21-cray",
    "etc/os-release": 'NAME="SLES"\nPRETTY_NAME="SUSE Linux Enterprise Server 15 SP5"\n',
    "proc/cpuinfo": "processor : 0\nmodel name : AMD EPYC 7A53\nmicrocode : 0xa001173\n\nprocessor : 1\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/smt/control": "on",
    "sys/devices/system/cpu/present": "0-127",
    "sys/devices/system/node/online": "0-3",
    "proc/meminfo": "MemTotal:  536870912 kB\nHugePages_Total:  16\nSwapTotal: 0 kB\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\n",
    "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA A100\nIRQ: 7\n",
    "sys/module/amdgpu/version": "6.3.6",
    "opt/rocm/.info/version": "6.0.0-91",
    "images/train.sif": "x" * 10,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_made_up_node_is_described(root: Path) -> None:
    variables = {"LOADEDMODULES": "rocm/6.0.0:cray-mpich/8.1", "APPTAINER_CONTAINER": "/images/train.sif"}
    found = describe_node(root, variables)
    assert found["os"]["kernel"] == "5.14.21-cray"
    assert found["os"]["distribution"] == "SUSE Linux Enterprise Server 15 SP5"
    assert found["cpu"] == {
        "model": "AMD EPYC 7A53", "microcode": "0xa001173", "governor": "performance, powersave", "smt": "on",
        "logical": "0-127", "numa_nodes": "0-3",
    }  # fmt: skip
    assert found["memory"] == {
        "gibibytes": 512, "huge_pages": "madvise", "huge_page_count": "16", "numa_balancing": "1",
        "swap_kibibytes": "0",
    }  # fmt: skip
    assert found["gpu"] == {
        "nvidia_driver": "535.129.03", "models": ["NVIDIA A100"], "amdgpu_driver": "6.3.6", "rocm": "6.0.0-91"
    }  # fmt: skip
    assert found["software"]["modules"] == ["cray-mpich/8.1", "rocm/6.0.0"]
    assert found["software"]["container"] == {"APPTAINER_CONTAINER": "/images/train.sif"}
    assert found["software"]["container_file"].startswith("10 bytes, changed ")
    json.dumps(found)


def test_a_node_that_states_nothing_is_described_by_nothing(tmp_path: Path) -> None:
    found = describe_node(tmp_path, {})
    assert (found["gpu"], found["software"], found["memory"]) == ({}, {}, {})


def test_this_node_states_kernel_cpu_and_memory() -> None:
    found = describe_node()
    assert found["os"]["kernel"]
    assert found["cpu"]["logical"].startswith("0")
    assert found["memory"]["gibibytes"] >= 1


def test_a_library_states_its_own_version() -> None:
    def version(number: Any) -> int:
        number._obj.value = 22_003
        return 0

    def load(file: str) -> Any:
        if file != "libnccl.so.2":
            raise OSError(file)
        return SimpleNamespace(ncclGetVersion=version)

    assert library_versions(load) == {"nccl": 22_003}
    assert ctypes.sizeof(ctypes.c_int) == 4  # what the libraries write


def test_packages_are_those_of_the_interpreter_that_trains() -> None:
    found = installed_packages(sys.executable, {})
    assert found["python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert any(one.startswith("numpy==") for one in found["packages"]["list"])
    assert len(found["packages"]["sha256"]) == 64
    assert "numpy" in found["frameworks"]


def test_another_build_of_a_version_and_another_start_of_python_have_other_digests(tmp_path: Path) -> None:
    package = tmp_path / "keras-3.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: Keras\nVersion: 3.0\n")
    digests = []
    for record in ("keras/a.py,sha256=1,1\n", "keras/a.py,sha256=2,1\n"):
        (package / "RECORD").write_text(record)
        (tmp_path / "start.pth").write_text(f"import {record[-4]}\n")
        found = installed_packages(sys.executable, {"PYTHONPATH": str(tmp_path)})["installed"]
        digests.append(found["keras/RECORD"])
        assert found["keras/RECORD"] == hashlib.sha256(record.encode()).hexdigest()
        assert "numpy/RECORD" in found
    assert digests[0] != digests[1]
    (package / "RECORD").unlink()
    (tmp_path / "start.pth").write_bytes(b"\xff\0")
    found = installed_packages(sys.executable, {"PYTHONPATH": str(tmp_path)})["installed"]
    assert found["start.pth"] == hashlib.sha256(b"\xff\0").hexdigest()
    assert "keras/RECORD" not in found


def test_an_interpreter_that_is_none_says_why() -> None:
    assert "does not list its packages" in installed_packages("/bin/false", {})["python"]["problem"]
    assert "does not list its packages" in installed_packages("/nowhere/python", {})["python"]["problem"]
