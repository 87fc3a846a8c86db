"""Facts of a node: kernel, CPUs, memory, GPU driver, and the software around a training.

Facts are read from files below a root, so that a test can make a node up. What a node does not state is
left out, never guessed.
"""

from __future__ import annotations

import logging
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.host.gpu_inventory import find_gpus
from orchestrator.host.gpus import GpuError, ask
from orchestrator.host.interconnect import interconnect
from workloads.runtime.gpu_identity import file_text

_CONTAINER_VARIABLES = (
    "APPTAINER_CONTAINER", "APPTAINER_NAME", "SINGULARITY_CONTAINER", "SINGULARITY_NAME", "SHIFTER_IMAGE",
    "SHIFTER_IMAGEREQUEST", "SARUS_IMAGE", "CONTAINER_IMAGE_DIGEST",
)  # fmt: skip
_LIBRARIES = {
    "nccl": ("libnccl.so.2", "ncclGetVersion"),
    "rccl": ("librccl.so.1", "ncclGetVersion"),
    "cuda": ("libcuda.so.1", "cuDriverGetVersion"),
    "hip": ("libamdhip64.so", "hipRuntimeGetVersion"),
}
_log = logging.getLogger(__name__)
_ROOT = Path("/")
_FACT_SECONDS = 10.0
"""How long a command of GPUs may take for a fact, before a node's first attempt."""
_MODULES = ("amdgpu", "i915", "xe")
_NVIDIA = re.compile(r"Kernel Module\s+(?:for \S+\s+)?(\S+)")


def describe_node(root: Path = _ROOT, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the facts of this node by group, such as ``os``, ``cpu``, ``memory``, ``gpu``, ``interconnect``.

    Parameters
    ----------
    root
        Root of ``/proc``, ``/sys``, ``/etc`` and ``/opt``.
    environment
        Of the attempts on this node.
    """
    ask = _Asked() if root == _ROOT else _refuse
    groups: dict[str, Callable[[], dict[str, Any]]] = {
        "os": lambda: _operating_system(root),
        "cpu": lambda: _cpu(root),
        "memory": lambda: _memory(root),
        "gpu": lambda: _gpu(root) | (_stated("GPUs", lambda: _listed_gpus(ask)) if root == _ROOT else {}),
        "interconnect": lambda: interconnect(root, ask),
        "software": lambda: _software(root, environment),
    }
    return {
        name: {key: value for key, value in _stated(name, make).items() if value not in (None, "", {}, [])}
        for name, make in groups.items()
    }


def _stated(name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return facts; none where files or answers have an unknown form."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001  the other groups are stated all the same
        _log.warning("%s of this node: no facts, since %s: %s", name, type(error).__name__, error)
        return {}


def _refuse(*words: str) -> str:
    raise GpuError(f"{words[0]} says nothing of a node that is described by files alone")


class _Asked:
    """Asks commands of GPUs for facts: each for a short time, and none again that gave no answer."""

    def __init__(self) -> None:
        self._silent: set[str] = set()

    def __call__(self, *words: str) -> str:
        if words[0] in self._silent:
            raise GpuError(f"{words[0]} gave no answer before")
        try:
            return ask(*words, seconds=_FACT_SECONDS)
        except GpuError:
            self._silent.add(words[0])
            raise


def _operating_system(root: Path) -> dict[str, Any]:
    release = _pairs(file_text(root / "etc/os-release"), "=")
    return {
        "kernel": file_text(root / "proc/sys/kernel/osrelease"),
        "distribution": release.get("PRETTY_NAME", "").strip('"'),
        "architecture": platform.machine(),
    }


def _cpu(root: Path) -> dict[str, Any]:
    cpus = root / "sys/devices/system/cpu"
    first = _pairs(file_text(root / "proc/cpuinfo").partition("\n\n")[0], ":")
    governors = {file_text(file) for file in cpus.glob("cpu[0-9]*/cpufreq/scaling_governor")}
    return {
        "model": first.get("model name") or platform.processor(),
        "microcode": first.get("microcode"),
        "governor": ", ".join(sorted(governors)),
        "smt": file_text(cpus / "smt/control"),
        "logical": file_text(cpus / "present"),
        "numa_nodes": file_text(root / "sys/devices/system/node/online"),
        "turbo_off": file_text(cpus / "intel_pstate/no_turbo"),
        "caches": _caches(cpus / "cpu0/cache"),
    }


def _caches(folder: Path) -> str:
    """Return the caches of the first CPU, such as ``L1 data 32K, L2 1024K``."""
    found = []
    numbered = {one.name.removeprefix("index"): one for one in folder.glob("index*")}
    for number in sorted((one for one in numbered if one.isdecimal()), key=int):
        one = numbered[number]
        level, kind, size = (file_text(one / name) for name in ("level", "type", "size"))
        if level and size:
            found.append(f"L{level} {'' if kind == 'Unified' else kind.lower() + ' '}{size}")
    return ", ".join(found)


def _memory(root: Path) -> dict[str, Any]:
    sizes = _pairs(file_text(root / "proc/meminfo"), ":")
    total = sizes.get("MemTotal", "").removesuffix("kB").strip()
    return {
        "gibibytes": round(int(total) / 2**20) if total.isdecimal() else None,
        "huge_pages": _chosen(file_text(root / "sys/kernel/mm/transparent_hugepage/enabled")),
        "huge_page_count": sizes.get("HugePages_Total"),
        "numa_balancing": file_text(root / "proc/sys/kernel/numa_balancing"),
        "swap_kibibytes": sizes.get("SwapTotal", "").removesuffix("kB").strip(),
    }


def _gpu(root: Path) -> dict[str, Any]:
    nvidia = _NVIDIA.search(file_text(root / "proc/driver/nvidia/version"))
    drivers = {name: file_text(root / f"sys/module/{name}/version") for name in _MODULES}
    models = [
        _pairs(file_text(file), ":").get("Model")
        for file in root.glob("proc/driver/nvidia/gpus/*/information")
    ]
    return {
        "nvidia_driver": nvidia[1] if nvidia else None,
        "models": sorted(model for model in models if model),
        **{f"{name}_driver": version for name, version in drivers.items() if version},
        "rocm": file_text(root / "opt/rocm/.info/version"),
    }


def _listed_gpus(ask: Callable[..., str]) -> dict[str, Any]:
    """Return models and memory of GPUs as their vendor's tools list them; a GPU that is cut has neither."""
    gpus = find_gpus(ask=ask)
    models = sorted(one.kind for one in gpus if one.kind)
    sizes = {one.memory_bytes for one in gpus} - {None}
    memory = ", ".join(f"{size / 2**30:.0f}" for size in sorted(filter(None, sizes)))
    return {name: value for name, value in (("models", models), ("memory_gibibytes", memory)) if value}


def _software(root: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    image = environment.get("APPTAINER_CONTAINER") or environment.get("SINGULARITY_CONTAINER")
    return {
        "modules": sorted(filter(None, environment.get("LOADEDMODULES", "").split(":"))),
        "container": {name: environment[name] for name in _CONTAINER_VARIABLES if environment.get(name)},
        "container_file": _file_identity(root, image),
        "libraries": library_versions() if root == _ROOT else {},
    }


def library_versions(load: Callable[[str], Any] | None = None) -> dict[str, int]:
    """Return version numbers of GPU libraries on the search path, as each states its own."""
    import ctypes

    found = {}
    for name, (file, function) in _LIBRARIES.items():
        number = ctypes.c_int()
        with suppress(OSError, AttributeError):
            if not getattr((load or ctypes.CDLL)(file), function)(ctypes.byref(number)):
                found[name] = number.value
    return found


def _file_identity(root: Path, image: str | None) -> str | None:
    """Return size and time of a container's image, which its runtime names by a path; None without one."""
    if not image:
        return None
    with suppress(OSError):
        status = (root / image.lstrip("/")).stat()
        return f"{status.st_size} bytes, changed {int(status.st_mtime)}"
    return None


def _chosen(text: str) -> str:
    """Return the word in brackets, which a file of the kernel marks as chosen."""
    found = re.search(r"\[(\w+)\]", text)
    return found[1] if found else text


def _pairs(text: str, separator: str) -> dict[str, str]:
    pairs: Iterable[tuple[str, str, str]] = (line.partition(separator) for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}
