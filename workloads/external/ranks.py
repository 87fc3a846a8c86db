"""Where the commands of an instance's ranks meet, and the directory that they share."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from workloads.context import Context
from workloads.description import CommandError, Value
from workloads.external.scratch import scratch_directory
from workloads.runtime.communication.rendezvous_store import RendezvousStore

_SCOPE = "/external_command"
_KEY = "meeting"
_PREFIX = "output-"
_LOOPBACK = "127.0.0.1"
_LOWEST_PORT = 10_240
_PORT_TRIES = 100
_USUAL_EPHEMERAL = 32_768
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
def meeting(context: Context, *, wants_output: bool) -> Iterator[Meeting]:
    """Provide the place of a command for as long as the block lasts.

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
            yield Meeting(0, 1, 0, 1, _LOOPBACK, _free_port(_LOOPBACK), alone)
        return
    store = RendezvousStore.of_environment(_SCOPE)
    if context.rank == 0:
        address = store.own_address()
        made = _fresh_directory(context) if wants_output else None
        chosen = {"address": address, "port": _free_port(address), "output": made and str(made)}
        store.put(_KEY, json.dumps(chosen).encode())
    agreed = json.loads(store.get(_KEY))
    output = Path(agreed["output"]) if agreed["output"] else None
    if output is not None:
        _wait_for(output)
    local_rank, local_size = (int(os.environ[f"HOROVOD_LOCAL_{name}"]) for name in ("RANK", "SIZE"))
    yield Meeting(
        context.rank, context.size, local_rank, local_size, agreed["address"], agreed["port"], output
    )


def _free_port(address: str) -> int:
    """Return a port on which nothing listens, below those that the system gives to connections.

    Nothing holds it until the command listens there: of instances that start at once on a node, two may
    choose one port, by a chance of one in some ten thousand.
    """
    try:
        end = int(_EPHEMERAL.read_text().split()[0])
    except (OSError, ValueError):  # a container may hide it
        end = _USUAL_EPHEMERAL
    ports = range(_LOWEST_PORT, max(end, _LOWEST_PORT + _PORT_TRIES))
    for port in random.SystemRandom().sample(ports, _PORT_TRIES):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((address, port))
            except OSError:  # taken
                continue
            return port
    raise CommandError(f"no free port from {ports.start} to {ports.stop - 1} on {address}")


def _fresh_directory(context: Context) -> Path:
    """Return an empty directory; those of earlier attempts, which no process removed, are removed."""
    if context.scratch is None:
        raise CommandError("several ranks share {output} in a run directory, and this run has none")
    remove_output(context.scratch)
    context.scratch.mkdir(parents=True, exist_ok=True)
    made = context.scratch / f"{_PREFIX}{random.SystemRandom().getrandbits(64):016x}"
    made.mkdir()
    return made


def remove_output(scratch: Path) -> None:
    """Remove the directories that ranks shared, and an instance's own where nothing else is in it."""
    for earlier in scratch.glob(f"{_PREFIX}*"):
        shutil.rmtree(earlier, ignore_errors=True)
    with suppress(OSError):  # it is not there, or has other files
        scratch.rmdir()


def _wait_for(directory: Path) -> None:
    """Wait until a directory that another node made is seen on this one."""
    end = time.monotonic() + _VISIBLE_SECONDS
    while not directory.is_dir():
        if time.monotonic() > end:
            raise CommandError(
                f"{directory}, which rank 0 made, is not seen on this node: no file system is shared"
            )
        time.sleep(_POLL_SECONDS)
