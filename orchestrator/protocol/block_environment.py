"""Environment variables of a worker, from its block's submit script, the engine and the batch system."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

_TMPDIR_VARIABLE = "ORCHESTRATOR_TMPDIR"
SHORTEN_TMPDIR_COMMAND = (
    f'[ "$(printf %s "$TMPDIR" | wc -c)" -lt 60 ] || export {_TMPDIR_VARIABLE}="$TMPDIR" TMPDIR=/tmp;'
)
"""Shell command before a worker pool, which makes a socket in $TMPDIR; its path may have 108 bytes."""
BLOCK_PREFIX = "ORCHESTRATOR_BLOCK_"
STARTED_VARIABLE = "ORCHESTRATOR_BLOCK_STARTED"
ENDS_VARIABLE = "ORCHESTRATOR_BLOCK_ENDS"
NODES_VARIABLE = "ORCHESTRATOR_BLOCK_NODES"
# Process numbers of Flux, Slurm, PALS, PMIx, Open MPI, PMI and ALPS; that of Slurm may be one of an
# allocation in which an instance of Flux runs.
PROCESS_NUMBERS = (
    "FLUX_TASK_RANK", "SLURM_PROCID", "PALS_RANKID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
    "ALPS_APP_PE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BlockEnvironment:
    """The block and the worker that a process belongs to.

    Parameters
    ----------
    worker
        Number of the worker on its node; where instances span nodes, of its group of nodes in the block.
    block, pool
        The engine's names of block and worker pool.
    window
        Start and end of the block, in seconds since the epoch; None if the block has no end. A start of 0
        means that another block may have more time: this one is an allocation that began before the driver
        did, or was asked for with less than the longest walltime.
    nodes
        Nodes of the block; empty if its submit script lists none.
    """

    worker: int
    block: str
    pool: str | None
    window: tuple[float, float] | None
    nodes: tuple[str, ...]

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Self:
        """Return the block and worker that environment variables name."""
        try:
            window = float(variables[STARTED_VARIABLE]), float(variables[ENDS_VARIABLE])
        except (KeyError, ValueError):
            window = None
        return cls(
            worker=int(variables.get("PARSL_WORKER_RANK", "0")),
            block=variables.get("PARSL_WORKER_BLOCK_ID", "0"),
            pool=variables.get("PARSL_WORKER_POOL_ID"),
            window=window,
            nodes=tuple(variables.get(NODES_VARIABLE, "").split()),
        )

    def nodes_of_worker(self, count: int) -> tuple[str, ...]:
        """Return the nodes of this worker, whose instances span `count` nodes."""
        return self.nodes[self.worker * count : (self.worker + 1) * count]


def restored_tmpdir(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with the ``TMPDIR`` that `SHORTEN_TMPDIR_COMMAND` replaced."""
    restored = dict(variables)
    if _TMPDIR_VARIABLE in restored:
        restored["TMPDIR"] = restored.pop(_TMPDIR_VARIABLE)
    return restored


def without_step(variables: Mapping[str, str]) -> dict[str, str]:
    """Leave out the variables of this process's own job step, which a nested srun would take for its own."""
    steps = ("SLURM_STEP", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_CPU_BIND", "PARSL_")
    return {name: value for name, value in variables.items() if not name.startswith(steps)}


def node_name() -> str:
    """Return the batch system's name of this node, else its host name."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def process_number(variables: Mapping[str, str]) -> int:
    """Return the number of this process among those that a launcher started.

    Raises
    ------
    ValueError
        If no known launcher's variable is set.
    """
    for name in PROCESS_NUMBERS:
        if name in variables:
            return int(variables[name])
    raise ValueError(f"the launcher numbered no process: none of {', '.join(PROCESS_NUMBERS)} is set")
