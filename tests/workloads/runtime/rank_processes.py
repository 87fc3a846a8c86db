"""Starts the ranks of one instance as the orchestrator does: a process each, and a rendezvous."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from orchestrator.node.ranks.environment import horovod_environment, mpi_environment
from orchestrator.node.ranks.rendezvous import Rendezvous
from orchestrator.protocol.order import RendezvousAddress
from tests.schedulers.fixtures import missing
from tests.workloads.forked_runs import forked_runs
from tests.workloads.orders import Report, Run
from workloads.external.reference import is_file


def need_horovod() -> None:
    """Skip a test of several ranks where Horovod could not be built; in continuous integration that fails."""
    missing([] if importlib.util.find_spec("horovod") else ["Horovod is not built: make -B setup"])


def need_mpi() -> None:
    """Skip a test of ranks over MPI where mpi4py is not installed; in continuous integration that fails."""
    missing([] if importlib.util.find_spec("mpi4py") else ["mpi4py is not installed: make backends"])


@contextmanager
def started(workload: str, parameters: dict[str, Any], size: int, **changes: Any) -> Iterator[list[Run]]:
    """Yield the running ranks, which are forked where they can be; end those that still run."""
    if not is_file(workload):
        need_horovod()
    orders = [_order(workload, parameters, rank, size, changes) for rank in range(size)]
    inherited = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    server = forked_runs(orders[0], inherited)
    rendezvous = Rendezvous(size, size)
    rendezvous.start()
    ranks: list[Run] = []
    try:
        for rank, order in enumerate(orders):
            ranks.append(Run(order, inherited | _variables(rank, size, rendezvous), server))
        yield ranks
    finally:
        for run in ranks:
            run.close()
        rendezvous.stop()


def run_ranks(workload: str, parameters: dict[str, Any], size: int, **changes: Any) -> list[Report]:
    """Return what every rank left behind."""
    with started(workload, parameters, size, **changes) as ranks:
        return [rank.finish() for rank in ranks]


def _order(
    workload: str, parameters: dict[str, Any], rank: int, size: int, changes: dict[str, Any]
) -> dict[str, Any]:
    return {
        "workload": workload, "parameters": parameters, "seed": 1, "data": None, "cores": [0],
        "cache": None, "devices": [], "memory_bytes": None, "device_memory_bytes": None,
        "rank": rank, "size": size,
    } | changes  # fmt: skip


def _variables(rank: int, size: int, rendezvous: Rendezvous) -> dict[str, str]:
    address = RendezvousAddress("127.0.0.1", rendezvous.port, rendezvous.pmi_port, "lo")
    return horovod_environment(rank, size, size, "here", address) | mpi_environment(rank, address)
