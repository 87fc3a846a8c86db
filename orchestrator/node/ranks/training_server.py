"""The server that has trainings forked where a supervisor or an agent cannot fork them itself.

It is started as a training of the order would be, in its container or with its interpreter, and kept for one
attempt after another; see `workloads.forking.server` for what it is asked.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from orchestrator.host._linux import signal_when_closed, signal_when_parent_dies
from orchestrator.host.file_end import last_lines
from orchestrator.host.processes import child_ids, content_of
from orchestrator.node.ranks.child_process import ServedProcess
from orchestrator.node.ranks.container import RankContainer, rank_container
from orchestrator.node.ranks.environment import OF_ONE_RANK, has_other_packages, rank_environment
from orchestrator.node.ranks.packages import link_workloads
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import SlotOrder
from orchestrator.rundir.layout import RunDirectory
from workloads.forking.server import FIRST_DESCRIPTOR, PACKET_BYTES, packet_of

_PROGRAM = "workloads.forking.server"
_START_SECONDS = 120.0
"""Longest time for a server's imports; a loaded shared file system may need a minute."""
_ANSWER_SECONDS = 30.0
"""Longest time for an answer, which is one of milliseconds; a server without one is killed."""
_END_SECONDS = 30.0
_LOOK_SECONDS = 0.2
_TRIES = 3
_REFUSED_SECONDS = 300.0  # until imports that failed are tried again
_CREDENTIALS = struct.Struct("iII")  # process, user and group


class NotServedError(Exception):
    """No server forks a training; says why."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a server is started, and what it imports.

    Parameters
    ----------
    words, environment
        Command, and its variables.
    declared
        Variables of a training, without those of one rank.
    imports
        What it reads from standard input, without its address.
    """

    words: list[str]
    environment: Mapping[str, str]
    declared: Mapping[str, str]
    imports: Mapping[str, Any]
    directory: str
    contained: RankContainer | None

    @classmethod
    def of(cls, slot: SlotOrder) -> ServerCommand:
        """Return the command of the server for an attempt's trainings."""
        order, place = slot.order, slot.places[0]
        if has_other_packages(order):
            link_workloads(RunDirectory(Path(order.directory)))
        variables = rank_environment(order, 0, 1, len(place.cores), [], node_name(), None)
        variables = {name: value for name, value in variables.items() if name not in OF_ONE_RANK}
        contained = rank_container(order, "server", variables, _PROGRAM)
        imports = {
            "workload": None if order.external is not None else order.workload,
            "parameters": order.parameters,
            "cores": sorted({core for one in slot.places for core in one.cores}),
            "threads": len(place.cores),
            "ranks": len(slot.places) * order.nodes,
            "gpus": bool(place.gpus),
        }
        words = [order.interpreter, "-m", _PROGRAM] if contained is None else contained.command
        environment = variables if contained is None else contained.environment
        return cls(words, environment, variables, imports, order.working_directory, contained)

    @property
    def key(self) -> tuple[object, ...]:
        """Values that are equal for attempts that share a server."""
        name, digest = "", None
        if self.contained is not None:
            name, digest = self.contained.name, self.contained.container.digest
        words = [word for word in self.words if not name or name not in word]
        parameters = self.imports["parameters"]
        named = (parameters.get("framework"), parameters.get("communication"))
        imports = {**self.imports, "parameters": named}
        return digest, words, self.environment, self.declared, imports, self.directory


class TrainingServer:
    """A server that was started, and has imported what its order names.

    Parameters
    ----------
    must_end
        Tells, by anything that is true, to wait for its imports no longer.

    Raises
    ------
    NotServedError
        If it can fork nothing.

    Attributes
    ----------
    processes
        Children of this process that belong to it.
    """

    def __init__(self, command: ServerCommand, must_end: Callable[[], object]) -> None:
        self.key = command.key
        self._declared = command.declared
        self._directory = command.directory
        self._contained = command.contained
        self._number = 0
        self._trainings: dict[int, ServedProcess] = {}
        self._server = 0
        self._ended_at: float | None = None
        before = child_ids(os.getpid())
        self._errors = FileIO(os.memfd_create("server-stderr"), "r+")
        address = f"orchestrator-{secrets.token_hex(16)}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            listener.bind(f"\0{address}")
            listener.listen(1)
            self._process = _started(command, address, self._errors)
            try:
                self._connection = self._accepted(listener, must_end)
            except BaseException:
                self._end()
                raise
        self.processes = child_ids(os.getpid()) - before

    def fork(
        self,
        variables: Mapping[str, str],
        streams: tuple[int, int],
        order: Mapping[str, Any],
        inherited: Sequence[int],
    ) -> ServedProcess:
        """Have a training forked, send it its order, and return it.

        Parameters
        ----------
        variables
            Its variables, which may differ from those of the server where they are of one rank.
        streams
            Its standard output and error.
        inherited
            Descriptors of its channel.

        Raises
        ------
        NotServedError
            If the server does not fork it.
        """
        given = {name: value for name, value in variables.items() if name not in OF_ONE_RANK}
        if given != self._declared:
            raise NotServedError("its environment is another than the fork server's")
        self._number += 1
        request = {
            "fork": self._number,
            "variables": {name: variables.get(name) for name in sorted(OF_ONE_RANK)},
            "cores": order["cores"],
            "directory": self._directory,
        }
        numbers = {one: FIRST_DESCRIPTOR + at for at, one in enumerate(inherited)}
        ends = {name: numbers.get(order.get(name, -1)) for name in ("report_fd", "barrier_fd")}
        reader, writer = os.pipe()
        with (
            suppress(BrokenPipeError),
            os.fdopen(writer, "wb") as stream,
        ):  # its exit code says why
            try:
                socket.send_fds(self._connection, [packet_of(request)], [reader, *streams, *inherited])
                training = self._begun(self._number)
            except OSError as error:
                raise NotServedError(f"its server has ended: {error}") from None
            finally:
                os.close(reader)
            stream.write(json.dumps({**order, **ends}).encode())
        return training

    def check(self) -> None:
        """Raise `NotServedError` if another server must be started."""
        self._answer("ready", _ANSWER_SECONDS, check=True)

    def clean(self, seconds: float) -> bool:
        """Have all ended that trainings have left; return whether nothing is left and the server lives."""
        try:
            return self._answer("left", seconds + _ANSWER_SECONDS, clean=seconds) == 0
        except NotServedError:
            return False

    def look(self) -> None:
        """Note how trainings have ended, as far as packets of the server tell."""
        try:
            while self._trainings:
                self._read(0.0)
        except TimeoutError:
            if not self._is_silent():
                return
            self._kill()
            self._forget()
        except (OSError, NotServedError):  # it has died, and they with it
            self._forget()

    def close(self) -> None:
        """Let it end, with all that it has forked, and wait for that."""
        self._connection.close()
        self._end()
        self._forget()

    def _answer(self, name: str, seconds: float, **question: object) -> object:
        """Return what the server answers; raises `NotServedError` if it refuses, hangs or has ended."""
        deadline = time.monotonic() + seconds
        try:
            self._connection.send(packet_of(question))
            while name not in (message := self._read(deadline - time.monotonic())):
                pass
        except TimeoutError:
            raise self._hung(seconds) from None
        except OSError as error:
            raise NotServedError(f"its server has ended: {error}") from None
        return message[name]

    def _begun(self, number: int) -> ServedProcess:
        deadline = time.monotonic() + _ANSWER_SECONDS
        while number not in self._trainings:
            try:
                self._read(deadline - time.monotonic())
            except TimeoutError:
                raise self._hung(_ANSWER_SECONDS) from None
        return self._trainings[number]

    def _is_silent(self) -> bool:
        """Tell whether a training has ended some time ago, and the server tells nothing of it."""
        if all(_runs(training.pid) for training in self._trainings.values()):
            self._ended_at = None
            return False
        self._ended_at = self._ended_at or time.monotonic()
        return time.monotonic() > self._ended_at + _ANSWER_SECONDS

    def _hung(self, seconds: float) -> NotServedError:
        self._kill()
        return NotServedError(f"its server did not answer within {seconds:g} s")

    def _kill(self) -> None:
        """End the server itself; the runtime of its container, which waits for it, ends then."""
        with suppress(ProcessLookupError):
            os.kill(self._server, signal.SIGKILL)

    def _read(self, seconds: float) -> dict[str, Any]:
        """Take a packet and return it; raises `TimeoutError` if none comes in time."""
        if not select.select([self._connection], [], [], max(0.0, seconds))[0]:
            raise TimeoutError
        packet, ancillary, _, _ = self._connection.recvmsg(PACKET_BYTES, socket.CMSG_SPACE(_CREDENTIALS.size))
        if not packet:
            raise NotServedError(f"its server has ended: {last_lines(self._errors)}")
        message: dict[str, Any] = json.loads(packet)
        if "refused" in message:
            raise NotServedError(str(message["refused"]))
        if "began" in message:
            pid = next(_CREDENTIALS.unpack(content)[0] for _, _, content in ancillary)
            self._trainings[int(message["began"])] = ServedProcess(pid, self.look)
        elif "ended" in message:
            training = self._trainings.pop(int(message["ended"]), None)
            if training is not None:
                training.returncode = int(message["exit_code"])
                training.cpu_seconds = float(message["cpu_seconds"])
                training.peak_bytes = int(message["peak_bytes"])
        return message

    def _forget(self) -> None:
        for training in self._trainings.values():
            training.returncode = -signal.SIGKILL
        self._trainings.clear()

    def _accepted(self, listener: socket.socket, must_end: Callable[[], object]) -> socket.socket:
        """Return the connection of the server once it has imported what it needs."""
        deadline = time.monotonic() + _START_SECONDS
        waited: socket.socket = listener
        while time.monotonic() < deadline:
            if must_end():
                raise NotServedError("its attempt was to end")
            if not select.select([waited], [], [], _LOOK_SECONDS)[0]:
                if self._process.poll() is not None:
                    raise NotServedError(
                        f"its server ended with exit code {self._process.returncode} before it could "
                        f"be asked: {last_lines(self._errors)}"
                    )
                continue
            if waited is not listener:
                self._server = self._read_greeting(waited)
                signal_when_closed(waited.fileno(), signal.SIGCHLD)  # wakes, and does nothing else
                return waited
            waited, _ = listener.accept()
        raise NotServedError(f"the imports of its server took longer than {_START_SECONDS:g} s")

    @staticmethod
    def _read_greeting(connection: socket.socket) -> int:
        """Return the process of the server; raises `NotServedError` if it can fork nothing."""
        packet, ancillary, _, _ = connection.recvmsg(PACKET_BYTES, socket.CMSG_SPACE(_CREDENTIALS.size))
        senders = [_CREDENTIALS.unpack(content)[:2] for _, _, content in ancillary]
        if [user for _, user in senders] != [os.getuid()]:
            raise NotServedError(f"its server belongs to another user: {senders}")
        message = json.loads(packet or b'{"refused": "its server has ended"}')
        if "refused" in message:
            raise NotServedError(str(message["refused"]))
        return int(senders[0][0])

    def _end(self) -> None:
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._contained is not None and self._process.returncode != 0:
            self._contained.remove()
        self._errors.close()


class ServerKeeper:
    """Holds the server of the last attempt that needed one."""

    def __init__(self) -> None:
        self._server: TrainingServer | None = None
        self._refused: tuple[object, float, str] = None, 0.0, ""

    @property
    def processes(self) -> Collection[int]:
        """Children of this process that outlive an attempt."""
        return () if self._server is None else self._server.processes

    def server(self, slot: SlotOrder, must_end: Callable[[], object]) -> TrainingServer:
        """Return a server for an attempt, the one that is kept or another.

        Raises
        ------
        NotServedError
            If none can fork its trainings.
        """
        command = ServerCommand.of(slot)
        if self._server is not None and self._server.key != command.key:
            self.close()
        refusal = NotServedError()
        for _ in range(_TRIES):  # a source may change while a server imports it, too
            server = self._server or self._start(command, must_end)
            try:
                server.check()
            except NotServedError as error:
                refusal = error
                self.close()
            else:
                return server
        raise refusal

    def _start(self, command: ServerCommand, must_end: Callable[[], object]) -> TrainingServer:
        key, until, reason = self._refused
        if key == command.key and time.monotonic() < until:
            raise NotServedError(reason)
        try:
            self._server = TrainingServer(command, must_end)
        except NotServedError as error:
            if not must_end():
                self._refused = command.key, time.monotonic() + _REFUSED_SECONDS, str(error)
            raise
        return self._server

    def clean(self, seconds: float) -> None:
        """End what trainings have left; a server that cannot say so ends with it."""
        if self._server is not None and not self._server.clean(seconds):
            self.close()

    def close(self) -> None:
        """End the server, if there is one."""
        if self._server is not None:
            self._server.close()
            self._server = None


def _runs(pid: int) -> bool:
    """Tell whether a process has not exited; one that was waited for is none any more."""
    try:
        return content_of(f"/proc/{pid}/stat").rpartition(b") ")[2][:1] not in (b"Z", b"X")
    except OSError:
        return False


def _started(command: ServerCommand, address: str, errors: FileIO) -> subprocess.Popen[bytes]:
    parent, cores = os.getpid(), command.imports["cores"]

    def enter_slot() -> None:
        os.sched_setaffinity(0, cores)
        signal_when_parent_dies(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    process = subprocess.Popen(
        command.words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=command.environment,
        cwd=command.directory,
        start_new_session=True,
        preexec_fn=enter_slot,
    )
    if process.stdin is not None:
        with suppress(BrokenPipeError), process.stdin as stream:
            stream.write(json.dumps({**command.imports, "address": address}).encode())
    return process
