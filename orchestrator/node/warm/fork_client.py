"""A worker's connections to fork servers, and the supervisors that these fork for it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import SLOT_MARK
from orchestrator.node.ranks.environment import OF_ONE_WORKER, rank_environment
from orchestrator.node.ranks.process_start import forks_trainings
from orchestrator.node.warm.fork_server_order import PACKET_BYTES, ServerOrder, peer_of
from orchestrator.node.warm.kept_supervisor import KeptSupervisor, memory_file
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.codec import to_json
from orchestrator.protocol.order import SlotOrder
from workloads import modules
from workloads.forking.forked_child import PLACEHOLDER
from workloads.forking.imports import pinned_threads
from workloads.runtime import backends

_IMPORT_SECONDS = 120.0
"""Longest time that a worker waits for a server's imports; a loaded shared file system may need a minute."""
_FORK_SECONDS = 30.0
_EXIT_CODE_SECONDS = 5.0
_LOOK_SECONDS = 0.02
_TRIES = 3
_REFUSED_SECONDS = 300.0  # until the imports of a workload that failed are tried again
_CONNECTIONS = 3  # one for each framework
_PAD_BYTES = 256


class ForkError(Exception):
    """No supervisor can be forked; says why."""


class ForkClient:
    """Has supervisors forked; one in a worker, which runs one attempt at a time."""

    def __init__(self) -> None:
        self._connections: dict[str, socket.socket] = {}
        self._refused: dict[str, tuple[float, str]] = {}
        self._started: list[subprocess.Popen[bytes]] = []

    def fork(self, slot: SlotOrder, environment: Mapping[str, str]) -> KeptSupervisor:
        """Return the connection to a supervisor that waits for its first order.

        Raises
        ------
        ForkError
            If it must be a new process; says why.
        """
        variables = _server_environment(slot, environment)
        if forks_trainings(slot) and (why := pinned_threads(variables)) is not None:
            raise ForkError(why)
        address = _address(slot, variables)
        until, reason = self._refused.get(address, (0.0, ""))
        if time.monotonic() < until:
            raise ForkError(reason)
        self._started = [process for process in self._started if process.poll() is None]
        start = {"environment": dict(environment), "cores": sorted(os.sched_getaffinity(0))}
        try:
            for _ in range(_TRIES):  # a server may be out of date, or have ended meanwhile
                server = self._connection(address, slot, variables)
                errors = memory_file()
                try:
                    pid, channel = _ask(server, errors.fileno())
                except ForkError as error:
                    reason = str(error)
                    errors.close()
                    self._connections.pop(address).close()
                    continue
                greeting = json.dumps(start).encode() + b"\n"
                exit_code = partial(_exit_code, server, pid)
                return KeptSupervisor(slot, environment, pid, channel, errors, exit_code, greeting)
        except OSError as error:
            reason = f"no fork server could be started: {error}"
        raise ForkError(reason)

    def close(self) -> None:
        """Leave all servers, and wait for those that end as their last worker has left."""
        for server in self._connections.values():
            server.close()
        self._connections.clear()
        for process in self._started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_FORK_SECONDS)

    def _connection(self, address: str, slot: SlotOrder, variables: Mapping[str, str]) -> socket.socket:
        """Return a connection to the server at an address, which is started where there is none."""
        if (known := self._connections.pop(address, None)) is None:
            known = self._connect(address, slot, variables)
        self._connections[address] = known  # the last is the one used last
        while len(self._connections) > _CONNECTIONS:
            self._connections.pop(next(iter(self._connections))).close()
        return known

    def _connect(self, address: str, slot: SlotOrder, variables: Mapping[str, str]) -> socket.socket:
        deadline = time.monotonic() + _IMPORT_SECONDS
        started: list[subprocess.Popen[bytes]] = []
        while time.monotonic() < deadline:
            server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            server.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                server.connect(f"\0{address}")
                self._greet(server, address)
            except (ConnectionError, FileNotFoundError):  # none listens, or it has just ended
                server.close()
                if started and started[-1].poll() is None:
                    time.sleep(_LOOK_SECONDS)
                elif len(started) < _TRIES:
                    started.append(_start(address, slot, variables))
                    self._started.append(started[-1])
                else:
                    self._refuse(address, f"the fork server ended with exit code {started[-1].returncode}")
            except BaseException:
                server.close()
                raise
            else:
                return server
        raise ForkError(f"no fork server was ready within {_IMPORT_SECONDS:g} s")

    def _greet(self, server: socket.socket, address: str) -> None:
        """Wait until a server has imported what it needs.

        Raises
        ------
        ConnectionError
            If it has ended.
        ForkError
            If it cannot fork, or hangs; then it is ended.
        """
        process, user = peer_of(server)
        if user != os.getuid():
            self._refuse(address, f"the address of the fork server belongs to user {user}")
        try:
            greeting = server.recv(PACKET_BYTES)
        except TimeoutError:
            _kill(process)
            self._refuse(address, f"the imports of the fork server took longer than {_IMPORT_SECONDS:g} s")
        if not greeting:
            raise ConnectionResetError("the fork server has ended")
        if (reason := _message(greeting).get("refused")) is not None:
            self._refuse(address, str(reason))

    def _refuse(self, address: str, reason: str) -> None:
        self._refused[address] = time.monotonic() + _REFUSED_SECONDS, reason
        raise ForkError(reason)


def must_be_fresh(slot: SlotOrder) -> str | None:
    """Return why an attempt's training cannot be forked, whatever a server would say; None if it can."""
    order = slot.order
    if order.profile is not None and order.profile.profiler == "nsys":
        return "nsys records only what it starts"
    if len({(len(place.cores), bool(place.gpus)) for place in slot.places}) > 1:
        return "its ranks have different numbers of cores, or only some of them have GPUs"
    return None


def _server_environment(slot: SlotOrder, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a server for this slot: of its trainings, if it forks them, too.

    The slot's mark and the variables of one rank are left out.
    """
    if not forks_trainings(slot):
        return {
            name: value
            for name, value in environment.items()
            if name != SLOT_MARK and not name.startswith(OF_ONE_WORKER)
        }
    cores = len(slot.places[0].cores)
    variables = rank_environment(slot.order, 0, 1, cores, [], node_name(), None, environment)
    return {name: value for name, value in variables.items() if name != SLOT_MARK}


def _address(slot: SlotOrder, variables: Mapping[str, str]) -> str:
    """Return the name of the socket of the server for attempts like this one, in this pool."""
    order = slot.order
    shared = [
        os.getuid(), order.campaign, order.session, order.slot_shape, slot.block, slot.pool,
        order.working_directory, sorted(variables.items()), _imports(slot),
    ]  # fmt: skip
    return f"orchestrator-{hashlib.sha256(json.dumps(shared).encode()).hexdigest()[:40]}"


def _imports(slot: SlotOrder) -> list[object]:
    """Name what a server imports: a framework, and the module of a workload that is not built in.

    Imports for several ranks, and for GPUs, differ from those for one rank without.
    """
    order = slot.order
    if not forks_trainings(slot) or order.external is not None:
        return [forks_trainings(slot)]
    framework = order.parameters.get("framework")
    shared = order.workload in modules.names() and framework in backends.NAMES
    library = order.parameters.get("communication") if len(slot.places) > 1 else None
    return [None if shared else order.workload, framework, len(slot.places) > 1, library, _has_gpus(slot)]


def _has_gpus(slot: SlotOrder) -> bool:
    return bool(slot.places[0].gpus)


def _start(address: str, slot: SlotOrder, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    order = slot.order
    asked = ServerOrder(
        address=address,
        workload=order.workload if forks_trainings(slot) and order.external is None else None,
        forks_trainings=forks_trainings(slot),
        parameters=order.parameters,
        cores=slot.places[0].cores,
        ranks=len(slot.places),
        gpus=_has_gpus(slot),
        inherit=order.inherit,
    )
    process = subprocess.Popen(
        module_command("orchestrator.node.warm.fork_server"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=order.working_directory,
        env={**variables, PLACEHOLDER: "-" * (_PAD_BYTES + len(order.slot_shape))},
        start_new_session=True,
    )
    if process.stdin is not None:
        with suppress(BrokenPipeError), process.stdin as stream:
            stream.write(json.dumps(to_json(asked)).encode())
    return process


def _ask(server: socket.socket, errors: int) -> tuple[int, socket.socket]:
    """Have a server fork, with a descriptor for standard error; return the process and the channel to it."""
    own, other = socket.socketpair()
    try:
        with other:
            socket.send_fds(server, [b"fork"], [other.fileno(), errors])
        return _answered(server), own
    except TimeoutError:
        own.close()
        _kill(peer_of(server)[0])
        raise ForkError(f"the fork server did not answer within {_FORK_SECONDS:g} s") from None
    except OSError as error:
        own.close()
        raise ForkError(f"the fork server has ended: {error}") from None
    except ForkError:
        own.close()
        raise


def _answered(server: socket.socket) -> int:
    """Return the process that a server has forked."""
    while True:
        message = _receive(server, _FORK_SECONDS)
        if "pid" not in message:
            raise ForkError(str(message.get("refused", f"the fork server answered {message}")))
        if "exit_code" not in message:  # of an attempt before
            return int(message["pid"])


def _exit_code(server: socket.socket, pid: int) -> int | None:
    """Return how a process of a server ended; None if the server does not know, because it has ended, too."""
    deadline = time.monotonic() + _EXIT_CODE_SECONDS
    with suppress(ForkError, OSError):
        while (left := deadline - time.monotonic()) > 0:
            message = _receive(server, left)
            if message.get("pid") == pid and "exit_code" in message:
                return int(message["exit_code"])
    return None


def _kill(process: int) -> None:
    """End a fork server that hangs; the supervisors that it has forked go on."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _receive(server: socket.socket, seconds: float) -> dict[str, Any]:
    server.settimeout(seconds)
    try:
        packet = server.recv(PACKET_BYTES)
    except ConnectionError as error:
        raise ForkError(f"the fork server has ended: {error}") from None
    if not packet:
        raise ForkError("the fork server has ended")
    return _message(packet)


def _message(packet: bytes) -> dict[str, Any]:
    try:
        found = json.loads(packet)
    except ValueError as error:
        raise ForkError(f"a packet of the fork server cannot be read: {error}") from None
    return found if isinstance(found, dict) else {}
