"""What one rank of an attempt is told: the runner's order, and its environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from orchestrator.host.gpus import discover, memory_cap, selection
from orchestrator.node import rendezvous

# What a login shell may have set, and would lower a run's precision behind the back of its parameters.
_PRECISION_SWITCHES = frozenset({
    "NVIDIA_TF32_OVERRIDE", "ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE",
    "TF_ENABLE_AUTO_MIXED_PRECISION", "TF_SET_ONEDNN_FPMATH_MODE",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the ranks of an instance meet: address and port of the rendezvous, and their interface."""

    address: str
    port: int
    interface: str


def find_devices(order: Mapping[str, Any], places: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the names of the GPUs of each place on this node; the plan knows them by number.

    Raises
    ------
    GpuError
        If this node's GPUs are not what the site file says.
    """
    if not any(place["gpus"] for place in places):
        return [[] for _ in places]
    names = discover(order["gpus"]["vendor"], order["gpus"]["count"])
    return [[names[number] for number in place["gpus"]] for place in places]


def device_memory_cap(order: Mapping[str, Any]) -> int | None:
    """Return what each rank may use of its GPU's memory; None where it has the GPU to itself."""
    return memory_cap((order["gpus"] or {}).get("memory"), Fraction(order["gpu_share"]))


def request(
    order: Mapping[str, Any], rank: int, size: int, place: Mapping[str, Any], devices: Sequence[str]
) -> dict[str, Any]:
    """Return the runner's order for one rank, but for the descriptor it reports on."""
    names = ("workload", "external", "parameters", "seed", "data", "scratch")
    return {
        **{name: order[name] for name in names},
        "cache": str(Path(os.path.expandvars(order["cache"])).absolute()),
        "cores": place["cores"],
        "devices": list(devices),
        "device_memory_bytes": device_memory_cap(order),
        "memory_bytes": order["memory_bytes"] and order["memory_bytes"] // order["ranks_per_node"],
        "rank": rank,
        "size": size,
    }


def environment(
    order: Mapping[str, Any],
    rank: int,
    size: int,
    cores: int,
    devices: Sequence[str],
    node: str,
    meeting: Meeting | None,
) -> dict[str, str]:
    """Return all of a rank's environment, from this process's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PARSL_") and name not in _PRECISION_SWITCHES
    }
    if order["interpreter"] != sys.executable:  # another environment, where nothing of ours is installed
        root = str(Path(__file__).parents[2])
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, [kept.get("PYTHONPATH"), root]))
    gpus = order["gpus"] or {"vendor": "nvidia", "sharing": "none"}
    shown = selection(gpus["vendor"], gpus["sharing"], devices, Fraction(order["gpu_share"]))
    kept = {name: value for name, value in kept.items() if name not in shown}
    kept |= {name: value for name, value in shown.items() if value is not None}
    if meeting is not None:
        kept |= rendezvous.environment(
            rank,
            size,
            address=meeting.address,
            port=meeting.port,
            local_rank=rank % order["ranks_per_node"],
            local_size=order["ranks_per_node"],
            host=node,
            interface=meeting.interface,
        )
    threads = str(cores)
    return kept | {
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "NUMEXPR_NUM_THREADS": threads,
        "TF_NUM_INTRAOP_THREADS": threads,
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",  # a folder that happens to be called "keras" must not be imported
        "PYTHONUNBUFFERED": "1",
        **order["environment"],
    }
