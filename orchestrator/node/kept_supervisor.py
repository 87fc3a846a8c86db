"""The supervisor that a worker keeps for one attempt after another."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from orchestrator.node.fork_client import ForkClient, ForkError
from orchestrator.node.rank_environment import device_memory_cap
from orchestrator.node.supervisor_connection import SupervisorConnection
from orchestrator.protocol.order import SlotOrder

_REFUSED = b'{"refused"'
_EXIT_SECONDS = 5.0


class KeptSupervisor:
    """A supervisor that takes one order after another, and is replaced by another one where it refuses.

    Parameters
    ----------
    forks
        The worker's connections to fork servers.
    slot, environment
        The first order, and the variables of the supervisor.

    Raises
    ------
    ForkError
        If it cannot be forked, and the order asks for warm processes.
    """

    def __init__(self, forks: ForkClient, slot: SlotOrder, environment: Mapping[str, str]) -> None:
        self._forks = forks
        self._slot = slot
        self._environment = environment
        self._key = _key(slot, environment)
        self._connection = self._connected(forked=slot.order.processes == "warm")

    def takes(self, slot: SlotOrder, environment: Mapping[str, str]) -> bool:
        """Return whether it lives, and its processes are those that an order asks for."""
        return self._key == _key(slot, environment) and self._connection.is_open

    def exchange(self, order: bytes, seconds: float) -> bytes | None:
        """Return its answer, a line; None if none comes in time. If it dies, the line is cut short."""
        deadline = time.monotonic() + seconds
        answer = self._connection.exchange(order, seconds)
        if answer is not None and answer.startswith(_REFUSED):
            self.close()
            self._connection = self._connected(forked=False)
            answer = self._connection.exchange(order, max(0.001, deadline - time.monotonic()))
        return answer

    def exit_code(self) -> int | None:
        """Return how it ended; None if that is not known."""
        return self._connection.exit_code()

    def close(self) -> None:
        """Let it end, and its training with it, and wait for that."""
        self._connection.close()

    def _connected(self, *, forked: bool) -> SupervisorConnection:
        """Start a supervisor: a forked one where there can be one, or must be."""
        try:
            return self._forks.fork(self._slot, self._environment)
        except ForkError:
            if forked:
                raise
        return _started(self._slot.order.working_directory, self._environment)


def must_be_new(slot: SlotOrder) -> str | None:
    """Return why an attempt's processes cannot be those of another one; None if they can."""
    order = slot.order
    if order.container is not None:
        return "it runs in a container"
    if order.nodes * len(slot.places) > 1:
        return "it has several ranks"
    if order.external is not None:
        return "it is an external command"
    if order.hooks is not None:
        return "shell lines run around it"
    if device_memory_cap(order) is not None:
        return "it has a share of a GPU's memory"
    return None


def _key(slot: SlotOrder, environment: Mapping[str, str]) -> tuple[object, ...]:
    """Return what attempts of one supervisor have in common."""
    order = slot.order
    return (
        order.processes, order.campaign, order.session, order.executor, order.working_directory,
        order.interpreter, order.environment, order.inherit, order.workload,
        order.parameters.get("framework"), slot.places, environment,
    )  # fmt: skip


def _started(directory: str, environment: Mapping[str, str]) -> SupervisorConnection:
    """Start a supervisor in an interpreter of its own."""
    own, other = socket.socketpair()
    with other:
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.node.reused_supervisor"],
            stdin=other.fileno(),
            stdout=subprocess.DEVNULL,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )

    def wait() -> int | None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_EXIT_SECONDS)
        return process.returncode

    return SupervisorConnection(process.pid, own, wait)
