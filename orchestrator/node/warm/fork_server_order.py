"""Messages between a worker and a fork server."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from typing import Any

PACKET_BYTES = 4096
"""Longest packet between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOrder:
    """Purpose of a fork server.

    Parameters
    ----------
    address
        Name of its abstract socket.
    workload, parameters
        What its trainings import; None for nothing but the runner.
    forks_trainings
        Whether its supervisors fork trainings from what it has imported; else they start new interpreters.
    cores
        Logical CPUs of the slot that pays for the imports, as many as one rank has.
    ranks
        Number of ranks of an attempt.
    gpus
        Whether each rank has GPUs.
    """

    address: str
    parameters: dict[str, Any]
    cores: tuple[int, ...]
    workload: str | None = None
    forks_trainings: bool = True
    ranks: int = 1
    gpus: bool = False
    inherit: tuple[str, ...] = ()


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Return process and user of the other end of a socket; of a server, the process that listens."""
    content = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    process, user = (int.from_bytes(content[at : at + 4], sys.byteorder) for at in (0, 4))
    return process, user
