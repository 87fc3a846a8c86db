"""Build the request and the environment of one rank's training process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from orchestrator.host.containers import is_path_of_the_node
from orchestrator.host.gpus import SELECTING, discover, memory_cap, selection
from orchestrator.node.ranks.packages import workloads_folder
from orchestrator.protocol.inherited_variables import NO_KERAS_HOME, inherited
from orchestrator.protocol.order import AttemptOrder, Gpus, RankResources, RendezvousAddress
from orchestrator.rundir.layout import RunDirectory

OF_ONE_WORKER = "PARSL_"
"""Beginning of the names of variables that the workers of a pool have each their own, and no rank gets."""
_TIMELINE = "HOROVOD_TIMELINE"
_GLOO_TIMEOUT_SECONDS = "120"
# Off by default in Horovod; the ranks that survive another would wait without end.
_STALL_WARNING_SECONDS = "60"
_STALL_SHUTDOWN_SECONDS = "300"
# Of the launcher that started this process: an MPI library would take a rank for one of the launcher's.
_OF_THE_LAUNCHER = ("PMI_FD", "PMI_PORT", "PMI_ID", "PMI_RANK", "PMI_SIZE", "PMI_SPAWNED",
                    "PMIX_RANK", "PMIX_NAMESPACE", "PMIX_SERVER_")  # fmt: skip
# A login shell may set these; they would lower the precision that the parameters ask for.
_PRECISION_SWITCHES = frozenset({
    "NVIDIA_TF32_OVERRIDE", "ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE",
    "TF_ENABLE_AUTO_MIXED_PRECISION", "TF_SET_ONEDNN_FPMATH_MODE",
})  # fmt: skip


def find_devices(order: AttemptOrder, places: Sequence[RankResources]) -> list[list[str]]:
    """Return the names of the GPUs of each place on this node, which the plan numbers.

    Raises
    ------
    GpuError
        If this node's GPUs are not what the site file says.
    """
    if order.gpus is None or not any(place.gpus for place in places):
        return [[] for _ in places]
    names = discover(order.gpus.vendor, order.gpus.count)
    return [[names[number] for number in place.gpus] for place in places]


def device_memory_cap(order: AttemptOrder) -> int | None:
    """Return the bytes that a rank may use of its GPU's memory; None if it has the GPU to itself."""
    return memory_cap(order.gpus.memory if order.gpus else None, Fraction(order.gpu_share))


def has_other_packages(order: AttemptOrder) -> bool:
    """Return whether trainings run, outside of containers, in an environment that is not this process's."""
    return order.container is None and order.interpreter != sys.executable


def path_on_node(path: str) -> str:
    """Return an absolute path of the dataset cache, with the values that variables have on this node."""
    return str(Path(os.path.expandvars(path)).absolute())


def runner_request(
    order: AttemptOrder, rank: int, size: int, place: RankResources, devices: Sequence[str]
) -> dict[str, Any]:
    """Return the runner's order for one rank, without the descriptors."""
    return {
        "workload": order.workload,
        "external": order.external,
        "parameters": order.parameters,
        "seed": order.seed,
        "data": order.data,
        "scratch": order.scratch,
        "earlier": order.earlier,
        "cache": path_on_node(order.cache),
        "cache_stage": order.cache_stage and path_on_node(order.cache_stage),
        "cores": list(place.cores),
        "devices": list(devices),
        "device_memory_bytes": device_memory_cap(order),
        "memory_bytes": order.memory_bytes and order.memory_bytes // order.ranks_per_node,
        "rank": rank,
        "size": size,
        "known_documents": list(order.known_documents),
        "contained": order.container is not None,
        "timeline": order.timeline,
        "profile": asdict(order.profile) if order.profile is not None and rank == 0 else None,
    }


def rank_environment(
    order: AttemptOrder,
    rank: int,
    size: int,
    cores: int,
    devices: Sequence[str],
    node: str,
    rendezvous_address: RendezvousAddress | None,
    own: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return the environment variables of a rank, based on those of the process that starts it."""
    inherits = inherited(order.inherit)
    kept = {
        name: value
        for name, value in own.items()
        if inherits(name)
        and not name.startswith(OF_ONE_WORKER)
        and name not in _PRECISION_SWITCHES
        and not name.startswith(_OF_THE_LAUNCHER)
        and not (order.container is not None and is_path_of_the_node(name))
    }
    declared = dict(order.environment)
    if has_other_packages(order):
        given = declared.pop("PYTHONPATH", kept.get("PYTHONPATH"))
        packages = str(workloads_folder(RunDirectory(Path(order.directory))))
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, [given, packages]))
    gpus = order.gpus or Gpus("nvidia", 0)
    shown = selection(gpus.vendor, gpus.sharing, devices, Fraction(order.gpu_share))
    kept = {name: value for name, value in kept.items() if name not in shown}
    kept |= {name: value for name, value in shown.items() if value is not None}
    if rendezvous_address is not None:
        kept |= horovod_environment(rank, size, order.ranks_per_node, node, rendezvous_address)
        kept |= mpi_environment(rank, rendezvous_address)
        if order.timeline is not None:
            kept[_TIMELINE] = "DYNAMIC"  # recorded when asked for
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
        "PYTHONSAFEPATH": "1",  # a folder named "keras" in the working directory must not be imported
        "PYTHONUNBUFFERED": "1",
        "KERAS_HOME": NO_KERAS_HOME,
        **declared,
    }


def horovod_environment(
    rank: int, size: int, local_size: int, host: str, address: RendezvousAddress
) -> dict[str, str]:
    """Return the environment variables by which Horovod in one rank finds the others."""
    return {
        "HOROVOD_RANK": str(rank),
        "HOROVOD_SIZE": str(size),
        "HOROVOD_LOCAL_RANK": str(rank % local_size),
        "HOROVOD_LOCAL_SIZE": str(local_size),
        "HOROVOD_CROSS_RANK": str(rank // local_size),
        "HOROVOD_CROSS_SIZE": str(size // local_size),
        "HOROVOD_HOSTNAME": host,
        "HOROVOD_GLOO_RENDEZVOUS_ADDR": address.address,
        "HOROVOD_GLOO_RENDEZVOUS_PORT": str(address.port),
        "HOROVOD_GLOO_IFACE": address.interface,
        "HOROVOD_CONTROLLER": "gloo",
        "HOROVOD_CPU_OPERATIONS": "gloo",
        "HOROVOD_GLOO_TIMEOUT_SECONDS": _GLOO_TIMEOUT_SECONDS,
        "HOROVOD_STALL_CHECK_TIME_SECONDS": _STALL_WARNING_SECONDS,
        "HOROVOD_STALL_SHUTDOWN_TIME_SECONDS": _STALL_SHUTDOWN_SECONDS,
    }


def mpi_environment(rank: int, address: RendezvousAddress) -> dict[str, str]:
    """Return the environment variables by which MPI in one rank finds the others, over TCP on the interface.

    A fabric that libfabric prefers to TCP does not read the interface.
    """
    return {
        "PMI_PORT": f"{address.address}:{address.pmi_port}",
        "PMI_ID": str(rank),
        "FI_TCP_IFACE": address.interface,
        "MPIR_CVAR_COREDUMP_ON_ABORT": "1",  # else MPI_Abort of MPICH returns
    }


_NOWHERE = RendezvousAddress("", 0, 0, "")
OF_ONE_RANK = frozenset({
    *SELECTING, *horovod_environment(0, 1, 1, "", _NOWHERE), *mpi_environment(0, _NOWHERE), _TIMELINE,
})  # fmt: skip
"""Variables of a rank that libraries read when they start or open a device, and not as they are imported."""
