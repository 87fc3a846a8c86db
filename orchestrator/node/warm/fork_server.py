"""A process that has imported what attempts need, and forks their supervisors.

``python -m orchestrator.node.warm.fork_server`` reads a `ServerOrder` (JSON) from standard input, listens on
an abstract socket, and imports the supervisor and, where trainings are forked, too, the runner, a workload
and its framework. It runs nothing of them. Workers of its node and pool connect, and ask for one supervisor
after another. It ends when the last one has left.

Packets of a connection are JSON. The server says ``{"ready": true}``, or ``{"refused": reason}`` where its
imports failed. A worker sends a packet with two descriptors: the socket that its supervisor talks to it
through, and standard error. The server answers ``{"pid": N}`` or ``{"refused": reason}``, and later
``{"pid": N, "exit_code": N}``.
"""

from __future__ import annotations

import importlib
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from orchestrator.host._linux import set_initial_variable
from orchestrator.host.processes import SLOT_MARK
from orchestrator.node.warm.fork_server_order import PACKET_BYTES, ServerOrder, peer_of
from orchestrator.node.warm.supervisor_loop import serve
from orchestrator.protocol.codec import MessageError, from_json
from orchestrator.protocol.inherited_variables import inherited
from orchestrator.protocol.order import SlotOrder
from orchestrator.protocol.report import AttemptReport
from workloads.forking import forked_child
from workloads.forking.forked_child import PLACEHOLDER, Template
from workloads.forking.imports import import_training, imported, package_of
from workloads.forking.loaded_files import LoadedFiles

_BACKLOG = 1024
_FIRST_WORKER_SECONDS = 60.0
_REASON_CHARACTERS = 300  # each of at most 12 bytes in JSON, so that they fit into a packet
_IMPORTED = (
    "orchestrator.node.attempt.instance_hooks", "orchestrator.node.sampling.foreign_load", "uuid", "shutil",
)  # fmt: skip


def main() -> int:
    """Serve until the last worker has left; return 0, or 1 if nothing could be imported."""
    started_ns = time.time_ns()
    with os.fdopen(os.dup(0)) as stdin:  # what a training reads through sys.stdin must not be in its buffer
        order = from_json(ServerOrder, json.load(stdin))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listener.bind(f"\0{order.address}")
    except OSError:
        return 0  # another worker has started one
    listener.listen(_BACKLOG)
    environment = dict(os.environ)
    before = forked_child.open_descriptors()
    reason = _imported(order)
    opened = forked_child.open_descriptors() - before
    files = LoadedFiles(started_ns=started_ns, package=package_of(order.workload))
    server = _Server(listener, Template(environment, opened, files), reason)
    return server.run()


def _imported(order: ServerOrder) -> str | None:
    """Import what attempts need on the cores of a slot; return why no attempt can be forked, or None."""

    def load() -> None:
        for name in _IMPORTED:
            importlib.import_module(name)
        if order.forks_trainings:
            threads = len(order.cores)
            import_training(order.workload, order.parameters, threads, ranks=order.ranks, gpus=order.gpus)
        for message in (SlotOrder, AttemptReport):
            with suppress(MessageError):
                from_json(message, {})
        inherited(order.inherit)

    return imported(load, order.cores)


class _Server:
    """Forks supervisors for the workers that are connected."""

    def __init__(self, listener: socket.socket, template: Template, refusal: str | None) -> None:
        self._listener = listener
        self._template = template
        self._refusal = refusal
        self._children: dict[int, socket.socket] = {}
        self._workers: set[socket.socket] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self._wakeups, writer = socket.socketpair()
        self._wakeups.setblocking(False)
        writer.setblocking(False)
        self._writer = writer
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._wakeups, selectors.EVENT_READ)

    def run(self) -> int:
        """Serve until the last worker has left; return the exit code."""
        served = False
        while self._workers or not served:
            events = self._selector.select(None if served else _FIRST_WORKER_SECONDS)
            if not events:
                break
            for key, _ in events:
                if key.fileobj is self._listener:
                    served = True
                    self._accept()
                elif key.fileobj is self._wakeups:
                    self._reap()
                elif isinstance(key.fileobj, socket.socket):
                    self._answer(key.fileobj)
        return int(self._refusal is not None)

    def _accept(self) -> None:
        worker, _ = self._listener.accept()
        if peer_of(worker)[1] != os.getuid():
            worker.close()
            return
        self._workers.add(worker)
        self._selector.register(worker, selectors.EVENT_READ)
        self._send(worker, {"ready": True} if self._refusal is None else {"refused": self._refusal})

    def _answer(self, worker: socket.socket) -> None:
        """Fork for a worker, or forget one that has left."""
        descriptors: list[int] = []
        try:
            packet, descriptors, _, _ = socket.recv_fds(worker, PACKET_BYTES, 2)
        except OSError:
            packet = b""
        try:
            if not packet:
                self._selector.unregister(worker)
                self._workers.discard(worker)
                worker.close()
            elif len(descriptors) == 2:
                self._fork(worker, *descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _fork(self, worker: socket.socket, channel: int, stderr: int) -> None:
        if self._refusal is None:
            self._refusal = self._why_not()
            if self._refusal is not None:  # the next server takes over the address
                self._selector.unregister(self._listener)
                self._listener.close()
        if self._refusal is not None:
            self._send(worker, {"refused": self._refusal})
            return
        template = self._template
        try:
            pid = forked_child.fork(lambda: supervise_for(channel, stderr, template))
        except OSError as error:
            self._send(worker, {"refused": f"it could not fork: {error.strerror}"})
            return
        self._children[pid] = worker
        self._send(worker, {"pid": pid})

    def _why_not(self) -> str | None:
        left = forked_child.left_behind()
        return self._template.out_of_date() if left is None else f"it has {left}"

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._wakeups.recv(PACKET_BYTES)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                worker = self._children.pop(pid, None)
                if worker in self._workers:
                    self._send(worker, {"pid": pid, "exit_code": os.waitstatus_to_exitcode(status)})

    @staticmethod
    def _send(worker: socket.socket, message: Mapping[str, object]) -> None:
        with suppress(OSError):  # it has left, which is seen when it is read from
            worker.send(packet_of(message), socket.MSG_DONTWAIT)


def packet_of(message: Mapping[str, object]) -> bytes:
    """Return a message as JSON of at most `PACKET_BYTES`, with the beginning of a long reason."""
    if "refused" in message:
        message = {"refused": str(message["refused"])[:_REASON_CHARACTERS]}
    return json.dumps(message).encode()


def supervise_for(channel: int, stderr: int, template: Template) -> int:
    """Supervise attempts that a worker orders through a socket, in a process that was just forked."""
    silent = os.open(os.devnull, os.O_RDWR)
    kept = {channel, *template.descriptors}
    forked_child.enter(
        template.environment, (silent, silent, stderr), kept, "orchestrator.node.attempt.supervisor"
    )
    worker = socket.socket(fileno=channel)
    with worker.makefile("rb") as orders:
        first, second = orders.readline(), orders.readline()
    if not second.endswith(b"\n"):
        return 1  # the worker died
    start = json.loads(first)
    forked_child.take_variables(start["environment"])
    set_initial_variable(PLACEHOLDER, SLOT_MARK, os.environ[SLOT_MARK])
    os.sched_setaffinity(0, start["cores"])
    return serve(worker, template, second)


if __name__ == "__main__":
    sys.exit(main())
