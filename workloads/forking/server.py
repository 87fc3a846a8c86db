"""A process that has imported what trainings need, and forks them: ``python -m workloads.forking.server``.

The supervisor of an attempt starts it where it cannot fork trainings itself: with another interpreter, or in
a container. It reads what to import (JSON) from standard input, imports it and runs nothing of it, and
connects to the abstract socket of that ``address``. Packets are JSON:

- the server says ``{"ready": true}`` or ``{"refused": reason}``, also when it is asked to ``check``;
- ``{"fork": NUMBER, ...}`` comes with the descriptors of standard input, output and error and of the rank's
  channel. The forked process itself answers ``{"began": NUMBER}``, so that the kernel tells its process id;
  and the server ``{"ended": NUMBER, ...}`` when it has waited for it;
- ``{"clean": seconds}`` has it end all that its trainings have left, which it adopts, and answer ``left``.

It ends, and ends its trainings, when the connection does.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from workloads.forking import forked_child
from workloads.forking.forked_child import Template
from workloads.forking.imports import import_training, imported, package_of, pinned_threads
from workloads.forking.loaded_files import LoadedFiles

PACKET_BYTES = 1 << 16
"""Longest packet: hundreds of cores and devices, and a path, are some kilobytes."""
FIRST_DESCRIPTOR = 200
"""Number of the first descriptor of a rank's channel in a training; a server has fewer open."""
_LEAST_FILES = 256
_PROGRAM = "workloads.run"
_REASON_CHARACTERS = 300
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OOM_SCORE = "500"  # the kernel's out-of-memory killer takes a training before its supervisor
_LOOK_SECONDS = 0.01
_END_SECONDS = 20.0
_libc = ctypes.CDLL(None)  # loaded here, as nothing may be loaded between fork and exec


def main() -> int:
    """Serve until the supervisor has gone; return 0, or 1 if nothing could be imported."""
    started_ns = time.time_ns()
    with os.fdopen(os.dup(0)) as stdin:  # what a training reads through sys.stdin must not be in its buffer
        order = json.load(stdin)
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    own = set(order["cores"])
    with suppress(
        OSError
    ):  # a runtime may have put the process on other cores; trainings report what they have
        os.sched_setaffinity(0, own)
    environment, before = dict(os.environ), forked_child.open_descriptors()
    reason = pinned_threads(os.environ) or _imported(order)
    opened = forked_child.open_descriptors() - before
    if reason is None and max(opened, default=0) >= FIRST_DESCRIPTOR:
        reason = f"its imports left {len(opened)} files open"
    if reason is None and (limit := resource.getrlimit(resource.RLIMIT_NOFILE)[0]) < _LEAST_FILES:
        reason = f"it may have {limit} open files, and {_LEAST_FILES} are needed"
    files = LoadedFiles(started_ns=started_ns, package=package_of(order["workload"]))
    supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    supervisor.connect(f"\0{order['address']}")
    return Server(supervisor, Template(environment, opened, files), reason).run()


def _imported(order: Mapping[str, Any]) -> str | None:
    """Import what trainings need; return why none can be forked, or None."""
    workload, parameters, threads = order["workload"], order["parameters"], order["threads"]
    return imported(
        lambda: import_training(workload, parameters, threads, ranks=order["ranks"], gpus=order["gpus"]), ()
    )


class Server:
    """Forks trainings for one supervisor; see the module's description."""

    def __init__(self, supervisor: socket.socket, template: Template, refusal: str | None) -> None:
        self._supervisor = supervisor
        self._template = template
        self._refusal = refusal
        self._pid = os.getpid()
        self._children: dict[int, int] = {}
        self._wakeups, self._writer = socket.socketpair()
        for end in (self._wakeups, self._writer):
            end.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: None)  # of a block that ends: its trainings have their grace

    def run(self) -> int:
        """Serve until the connection ends; return the exit code."""
        self._send({"ready": True} if self._refusal is None else {"refused": self._refusal})
        with selectors.DefaultSelector() as selector:
            selector.register(self._supervisor, selectors.EVENT_READ)
            selector.register(self._wakeups, selectors.EVENT_READ)
            while self._refusal is None:
                ready = {key.fileobj for key, _ in selector.select()}
                if self._wakeups in ready:
                    self._reap()
                if self._supervisor in ready and not self._answer():
                    break
        self._clean(_END_SECONDS)
        return int(self._refusal is not None)

    def _answer(self) -> bool:
        """Do what a packet asks for; return whether the supervisor is still there."""
        descriptors: list[int] = []
        try:
            packet, descriptors, _, _ = socket.recv_fds(self._supervisor, PACKET_BYTES, 16)
        except ConnectionError:
            return False
        try:
            if not packet:
                return False
            order = json.loads(packet)
            if "clean" in order:
                self._send({"left": self._clean(float(order["clean"]))})
            elif (why := self._template.why_not("server")) is not None:
                self._send({"refused": why})
            elif "check" in order:
                self._send({"ready": True})
            else:
                self._fork(order, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _fork(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        try:
            pid = forked_child.fork(lambda: self._train(order, descriptors))
        except OSError as error:
            self._send({"refused": f"its server could not fork: {error.strerror}"})
            return
        self._children[pid] = int(order["fork"])

    def _train(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> int:
        """Run a training in the process that was just forked."""
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._pid:
            os._exit(1)
        self._send({"began": order["fork"]})
        streams = descriptors[0], descriptors[1], descriptors[2]
        channel = range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + len(descriptors) - 3)
        for target, source in zip(channel, descriptors[3:], strict=True):
            os.dup2(source, target)
        variables = {**self._template.environment, **order["variables"]}
        environment = {name: value for name, value in variables.items() if value is not None}
        forked_child.enter(environment, streams, {*channel, *self._template.descriptors}, _PROGRAM)
        os.chdir(order["directory"])
        with suppress(OSError):
            os.sched_setaffinity(0, order["cores"])
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
        runner = sys.modules[_PROGRAM]
        runner.exit_fast(runner.main())
        return 0

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._wakeups.recv(PACKET_BYTES)
        self._wait()

    def _wait(self) -> bool:
        """Wait for all children that have exited, and say how; return whether there are others."""
        try:
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if not pid:
                    return True
                if (number := self._children.pop(pid, None)) is not None:
                    self._send({
                        "ended": number,
                        "exit_code": os.waitstatus_to_exitcode(status),
                        "cpu_seconds": usage.ru_utime + usage.ru_stime,
                        "peak_bytes": usage.ru_maxrss * 1024,
                    })  # fmt: skip
        except ChildProcessError:
            return False

    def _clean(self, seconds: float) -> int:
        """Kill and reap all descendants, as orphans become children; return how many children did not end."""
        deadline = time.monotonic() + seconds
        while self._wait():
            left = children()
            if time.monotonic() >= deadline:
                return len(left)
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_LOOK_SECONDS)
        return 0

    def _send(self, message: Mapping[str, object]) -> None:
        with suppress(OSError):  # it has gone, which is seen when it is read from
            self._supervisor.send(packet_of(message))


def packet_of(message: Mapping[str, object]) -> bytes:
    """Return a message as JSON of at most `PACKET_BYTES`, with the beginning of a long reason."""
    if "refused" in message:
        message = {"refused": str(message["refused"])[:_REASON_CHARACTERS]}
    return json.dumps(message).encode()


def children() -> list[int]:
    """Return the children of this process."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            if int(file.read_text(errors="replace").rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(file.parent.name))
    return found


if __name__ == "__main__":
    sys.exit(main())
