"""Environment variables that a block's submit script and the engine set for workers."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

_TMPDIR_VARIABLE = "ORCHESTRATOR_TMPDIR"

SHORT_TMPDIR = (
    f'[ "$(printf %s "$TMPDIR" | wc -c)" -lt 60 ] || export {_TMPDIR_VARIABLE}="$TMPDIR" TMPDIR=/tmp;'
)
"""Shell command before a worker pool: it makes a socket in $TMPDIR, whose path may have 108 bytes."""

STARTED_VARIABLE = "ORCHESTRATOR_BLOCK_STARTED"

ENDS_VARIABLE = "ORCHESTRATOR_BLOCK_ENDS"

NODES_VARIABLE = "ORCHESTRATOR_BLOCK_NODES"


def own_temporary_files(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the ``TMPDIR`` that the engine could not use."""
    own = dict(environment)
    if _TMPDIR_VARIABLE in own:
        own["TMPDIR"] = own.pop(_TMPDIR_VARIABLE)
    return own


def node_name() -> str:
    """Return this node's name, by which the batch system knows it where that tells."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def own_nodes(rank: int, nodes: int) -> list[str]:
    """Return the nodes of the block that belong to a worker whose instances span several."""
    return os.environ.get(NODES_VARIABLE, "").split()[rank * nodes : (rank + 1) * nodes]


def block_window() -> tuple[float, float] | None:
    """Return when this process's block began and ends, in seconds since the epoch; None without an end."""
    try:
        return float(os.environ[STARTED_VARIABLE]), float(os.environ[ENDS_VARIABLE])
    except (KeyError, ValueError):
        return None
