"""A node's GPUs: their names, and how a process is shown its own and no others.

A GPU is named by its UUID, never by its number: numbers differ between tools, and are counted anew
in every process that sees fewer. Intel's have no UUID that selects them; their numbers must do.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from orchestrator.errors import OrchestratorError
from orchestrator.wording import count_of
from workloads.runtime.gpu_identity import PCI_ORDER

_log = logging.getLogger(__name__)
_COMMAND_SECONDS = 60.0
_VARIABLES = {"nvidia": "CUDA_VISIBLE_DEVICES", "amd": "ROCR_VISIBLE_DEVICES", "intel": "ZE_AFFINITY_MASK"}
_SERIAL = re.compile(r"0x[0-9A-Fa-f]{1,16}")
_UUID = re.compile(r"\(UUID:\s*((?:GPU|MIG)-[^)]+)\)")


class GpuError(OrchestratorError, RuntimeError):
    """A node's GPUs are not what its site file says."""


def discover(vendor: str, count: int, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of the GPUs this process was given, in the node's order.

    The vendor's management library is asked where its Python module is installed, else its command.

    Parameters
    ----------
    vendor
        ``nvidia``, ``amd`` or ``intel``.
    count
        How many the site file says a node has.
    environment
        Where the batch system says which ones are ours, if it says so.

    Raises
    ------
    GpuError
        If there is another number of them.
    """
    if vendor == "intel":
        found = [str(number) for number in range(count)]
    elif vendor == "amd":
        found = amd_uuids() or amd_names(ask("rocm-smi", "--showuniqueid", "--json"))
    else:
        found = nvidia_uuids() or nvidia_names(ask("nvidia-smi", "-L"))
    found = _ours(found, environment.get(_VARIABLES[vendor]))
    if len(found) != count:
        raise GpuError(f"the site file says {count_of(count, 'GPU')} a node, this node gives us {len(found)}")
    return found


def nvidia_uuids() -> list[str]:
    """Return UUIDs from NVIDIA's library NVML, those of MIG instances for cut GPUs; empty without it."""
    try:
        import pynvml
    except ImportError:
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        _log.info("NVML does not start, nvidia-smi is asked instead: %s", error)
        return []
    try:
        names: list[str] = []
        for number in range(pynvml.nvmlDeviceGetCount()):
            device = pynvml.nvmlDeviceGetHandleByIndex(number)
            names += _mig_instances(pynvml, device) or [_text(pynvml.nvmlDeviceGetUUID(device))]
    except pynvml.NVMLError as error:
        _log.info("NVML does not list the GPUs, nvidia-smi is asked instead: %s", error)
        return []
    else:
        return names
    finally:
        pynvml.nvmlShutdown()


def _mig_instances(pynvml: Any, device: Any) -> list[str]:
    """Return the UUIDs of a GPU's MIG instances; empty for a GPU that is not cut, or cannot be."""
    try:
        slots = pynvml.nvmlDeviceGetMaxMigDeviceCount(device)
    except pynvml.NVMLError:
        return []
    names = []
    for slot in range(slots):
        try:
            instance = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(device, slot)
        except pynvml.NVMLError_NotFound:  # instances need not fill the first slots
            continue
        except pynvml.NVMLError_NotSupported:  # MIG mode is off
            return []
        names.append(_text(pynvml.nvmlDeviceGetUUID(instance)))
    return names


def amd_uuids() -> list[str]:
    """Return ``GPU-…`` names from AMD's management library, in the order of rocm-smi; empty without it."""
    try:
        import amdsmi
    except (ImportError, OSError, KeyError):  # it is imported even where its shared library is missing
        return []
    try:
        amdsmi.amdsmi_init()
    except amdsmi.AmdSmiException as error:
        _log.info("AMD SMI does not start, rocm-smi is asked instead: %s", error)
        return []
    try:
        serials = [
            amdsmi.amdsmi_get_gpu_asic_info(handle)["asic_serial"]
            for handle in amdsmi.amdsmi_get_processor_handles()
        ]
    except (amdsmi.AmdSmiException, KeyError) as error:
        _log.info("AMD SMI does not list the GPUs, rocm-smi is asked instead: %s", error)
        return []
    finally:
        amdsmi.amdsmi_shut_down()
    if not all(_SERIAL.fullmatch(str(serial)) for serial in serials) or len(set(serials)) < len(serials):
        return []  # not every GPU has a serial number
    return [f"GPU-{int(str(serial), 16):016x}" for serial in serials]


def _text(name: str | bytes) -> str:
    """Return a name as text; older releases of pynvml give bytes."""
    return name.decode() if isinstance(name, bytes) else name


def nvidia_names(listing: str) -> list[str]:
    """Return the UUIDs in the answer of ``nvidia-smi -L``; of a GPU that is cut by MIG, its instances'."""
    names: list[str] = []
    for line in listing.splitlines():
        uuid = _UUID.search(line)
        if uuid is None:
            continue
        if uuid[1].startswith("MIG-") and names and names[-1].startswith("GPU-"):
            names.pop()  # the GPU that this line's instance is a part of
        names.append(uuid[1])
    return names


def amd_names(listing: str) -> list[str]:
    """Return ``GPU-…`` names, as ROCr takes them, from the answer of ``rocm-smi --showuniqueid --json``."""
    try:
        cards = json.loads(listing)
        numbered = sorted(
            (int(card.removeprefix("card")), facts) for card, facts in cards.items() if card[4:]
        )
        return [f"GPU-{facts['Unique ID'].removeprefix('0x')}" for _, facts in numbered]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise GpuError(f"rocm-smi's answer has another form than is known: {error}") from None


def selection(vendor: str, sharing: str, devices: Sequence[str], share: Fraction) -> dict[str, str | None]:
    """Return the variables that show a process its GPUs and no others; None: it must not be set.

    Where two vendors' variables are set, ROCm applies one after the other and sees nothing.
    """
    if not devices:
        return {"CUDA_VISIBLE_DEVICES": "", "ROCR_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": None}
    variables: dict[str, str | None] = dict.fromkeys((*_VARIABLES.values(), "HIP_VISIBLE_DEVICES"))
    variables[_VARIABLES[vendor]] = ",".join(devices)
    if vendor == "intel":
        variables[PCI_ORDER] = "1"  # the order in which the kernel lists them, which proves what was opened
    if sharing == "mps" and share < 1:
        variables["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = str(max(1, int(100 * share)))
    return variables


SELECTING = frozenset({
    *_VARIABLES.values(), "HIP_VISIBLE_DEVICES", PCI_ORDER, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
})  # fmt: skip
"""Variables of `selection`, which drivers read when they open the first device."""


def bare(name: str) -> str:
    """Return a GPU's UUID alone: the driver gives that of a MIG instance another prefix than tools do."""
    return name.removeprefix("GPU-").removeprefix("MIG-")


def memory_cap(memory_bytes: int | None, share: Fraction) -> int | None:
    """Return what one process may use of a GPU's memory; None where it has the GPU to itself."""
    return int(memory_bytes * share) if memory_bytes and 0 < share < 1 else None


def _ours(found: list[str], selected: str | None) -> list[str]:
    """Return those of the found GPUs that a visibility variable, of numbers or names, selects."""
    if not selected:
        return found
    words = [word.strip() for word in selected.split(",")]
    if all(word.isdecimal() for word in words):
        numbers = [int(word) for word in words]
        # Where the batch system hides the others from the tool too, these numbers are not the tool's.
        return [found[number] for number in numbers] if max(numbers) < len(found) else found
    return [name for name in found if name in words]


def ask(*words: str, seconds: float = _COMMAND_SECONDS) -> str:
    """Return what a vendor's command prints; raises `GpuError` if it is missing, fails, or takes too long."""
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise GpuError(f"the node's GPUs cannot be listed: {words[0]}: {error}") from None
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        with suppress(subprocess.TimeoutExpired):  # one that waits for a broken GPU cannot be killed
            process.communicate(timeout=1)
        raise GpuError(
            f"the node's GPUs cannot be listed: {words[0]} did not answer in {seconds:g} s"
        ) from None
    if process.returncode:
        output = " ".join((stderr or stdout).split())
        raise GpuError(
            f"the node's GPUs cannot be listed: {words[0]} ended with {process.returncode}: {output}"
        )
    return stdout
