"""A node's GPUs: their names, and how a process is shown its own and no others.

A GPU is named by its UUID, never by its number: numbers differ between tools, and are counted anew
in every process that sees fewer. Intel's have no UUID that selects them; their numbers must do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from fractions import Fraction

from orchestrator.errors import OrchestratorError

_COMMAND_SECONDS = 60.0
_VARIABLES = {"nvidia": "CUDA_VISIBLE_DEVICES", "amd": "ROCR_VISIBLE_DEVICES", "intel": "ZE_AFFINITY_MASK"}
_UUID = re.compile(r"\(UUID:\s*((?:GPU|MIG)-[^)]+)\)")


class GpuError(OrchestratorError, RuntimeError):
    """A node's GPUs are not what its site file says."""


def discover(vendor: str, count: int, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of the GPUs this process was given, in the node's order.

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
        found = amd_names(_ask("rocm-smi", "--showuniqueid", "--json"))
    else:
        found = nvidia_names(_ask("nvidia-smi", "-L"))
    found = _ours(found, environment.get(_VARIABLES[vendor]))
    if len(found) != count:
        raise GpuError(f"the site file says {count} GPUs a node, this node gives us {len(found)}")
    return found


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
    if sharing == "mps" and share < 1:
        variables["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = str(max(1, int(100 * share)))
    return variables


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


def _ask(*words: str) -> str:
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GpuError(f"the node's GPUs cannot be listed: {words[0]}: {error}") from None
    if answer.returncode:
        said = " ".join((answer.stderr or answer.stdout).split())
        raise GpuError(f"the node's GPUs cannot be listed: {words[0]} ended with {answer.returncode}: {said}")
    return answer.stdout
