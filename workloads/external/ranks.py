"""Where the commands of an instance's ranks meet, and the directory that they share."""

from __future__ import annotations

import json
import os
import random
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from workloads.context import Context
from workloads.description import CommandError, Value
from workloads.external.scratch import scratch_directory, shared_directory
from workloads.runtime.communication.mpi_world import remove_left_shared_memory
from workloads.runtime.communication.rendezvous_store import RendezvousStore

_SCOPE = "/external_command"
_KEY = "meeting"
_LOOPBACK = "127.0.0.1"
_LOWEST_PORT = 10_240
_PORT_TRIES = 100
_USUAL_EPHEMERAL = 32_768
_PORTS = 65_536
_VISIBLE_SECONDS = 60.0
_POLL_SECONDS = 0.1
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


@dataclass(frozen=True, slots=True)
class Meeting:
    """Place of a command among those of all ranks.

    Parameters
    ----------
    rank, size, local_rank, local_size
        Number of this rank and of all, in the instance and on its node.
    address, port
        Where rank 0 may listen: its address on the site's interface, and a port that was free a moment ago.
    output
        Directory that all ranks share; None where the command names none.
    """

    rank: int
    size: int
    local_rank: int
    local_size: int
    address: str
    port: int
    output: Path | None

    def fields(self) -> dict[str, Value]:
        """Return the values of `templates.RANK_FIELDS`."""
        return {
            "rank": self.rank,
            "ranks": self.size,
            "local_rank": self.local_rank,
            "local_ranks": self.local_size,
            "main_address": self.address,
            "main_port": self.port,
        }

    def variables(self, *, gpus: bool) -> dict[str, str]:
        """Return the variables by which ``torch.distributed`` joins ranks (``init_method="env://"``).

        Parameters
        ----------
        gpus
            Whether the rank has GPUs. It sees these alone, so that programs which choose a GPU by
            ``LOCAL_RANK`` must take the first.
        """
        return {
            "RANK": str(self.rank),
            "WORLD_SIZE": str(self.size),
            "LOCAL_RANK": "0" if gpus else str(self.local_rank),
            "LOCAL_WORLD_SIZE": str(self.local_size),
            "MASTER_ADDR": self.address,
            "MASTER_PORT": str(self.port),
        }


@contextmanager
def meeting(context: Context, *, wants_port: bool, wants_output: bool) -> Iterator[Meeting]:
    """Provide the place of a command for as long as the block lasts.

    Where neither port nor directory is wanted, the port is 0 and there is no directory.

    Rank 0 chooses port and directory, and tells the others. The directory of several ranks lies in the
    instance's own, which all nodes see, and is removed with it.

    Raises
    ------
    CommandError
        If the directory cannot be seen on this node.
    RankLost
        If rank 0 does not come.
    """
    if context.size == 1:
        with scratch_directory() if wants_output else nullcontext() as alone:
            yield Meeting(0, 1, 0, 1, _LOOPBACK, _free_port() if wants_port else 0, alone)
        return
    remove_left_shared_memory()
    store = RendezvousStore.of_environment(_SCOPE)
    if context.rank == 0:
        made = shared_directory(context.scratch) if wants_output else None
        chosen = {"address": store.own_address(), "port": _free_port(), "output": made and str(made)}
        store.put(_KEY, json.dumps(chosen).encode())
    agreed = json.loads(store.get(_KEY))
    output = Path(agreed["output"]) if agreed["output"] else None
    if output is not None:
        _wait_for(output)
    local_rank, local_size = (int(os.environ[f"HOROVOD_LOCAL_{name}"]) for name in ("RANK", "SIZE"))
    yield Meeting(
        context.rank, context.size, local_rank, local_size, agreed["address"], agreed["port"], output
    )


def _free_port() -> int:
    """Return a port on which nothing listens, below those that the system gives to connections, if there are.

    Nothing holds it until the command listens there: of instances that start at once on a node, two may
    choose one port, by a chance of one in some ten thousand.
    """
    try:
        end = int(_EPHEMERAL.read_text().split()[0])
    except (OSError, ValueError):  # a container may hide it
        end = _USUAL_EPHEMERAL
    ports = range(_LOWEST_PORT, end if end > 2 * _LOWEST_PORT else _PORTS)
    for port in random.SystemRandom().sample(ports, _PORT_TRIES):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind(("", port))  # as a program that listens on all addresses
            except OSError:  # taken
                continue
            return port
    raise CommandError(f"none of {_PORT_TRIES} ports from {ports.start} to {ports.stop - 1} is free")


def _wait_for(directory: Path) -> None:
    """Wait until a directory that another node made is seen on this one."""
    end = time.monotonic() + _VISIBLE_SECONDS
    while not directory.is_dir():
        if time.monotonic() > end:
            raise CommandError(
                f"{directory}, which rank 0 made, is not seen on this node: no file system is shared"
            )
        time.sleep(_POLL_SECONDS)
