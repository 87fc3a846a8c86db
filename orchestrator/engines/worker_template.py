"""A process that has imported what workers of a pool need, and that the pool's processes are forked from.

`multiprocessing` starts each by a new interpreter, which imports Parsl. A fork of this process gets the
descriptors and runs the code that the interpreter would have got. It becomes a child of the pool, as the
interpreter would be, so that the death of the template harms no worker. A process that cannot be forked is a
new interpreter.

The pool sends a packet with a command and descriptors. The template answers with the number of the forked
process, and with ``forked`` once that is the pool's child.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import util
from multiprocessing.managers import SyncManager
from pathlib import Path

from parsl.multiprocessing import SpawnContext
from parsl.utils import setproctitle

from orchestrator.host._linux import adopt_orphans
from workloads.forking.forked_child import left_behind

_IMPORTED = (
    "multiprocessing.resource_tracker",
    "orchestrator.engines.parsl_pickles",
    "orchestrator.host.processes",
    "orchestrator.node.warm.fork_client",
    "orchestrator.node.worker.run_attempt",
    "orchestrator.rundir.journal",
    "parsl.executors.high_throughput.monitoring_info",
    "parsl.executors.high_throughput.process_worker_pool",
)
_FORKED = b"forked"
_PACKET_BYTES = 65_536
_DESCRIPTORS = 250  # the kernel passes on at most 253 with a packet
_FORK_SECONDS = 30.0
_NAME = Path("/proc/self/comm")
_log = logging.getLogger("parsl.worker_template")  # which is written to the pool's log


def start() -> str | None:
    """Fork the template; return None in the pool, and in a process forked later the code that it runs."""
    if (code := _fork_template()) is None:
        threading.excepthook = _end_pool
    return code


def _end_pool(failed: threading.ExceptHookArgs) -> None:
    """End the pool, which would offer slots that take no order, or replace no worker that dies."""
    _log.error("a thread has failed, so the pool ends: %s", failed.exc_value)
    os._exit(os.EX_SOFTWARE)


def _fork_template() -> str | None:
    SpawnContext.Manager = _start_holder  # type: ignore[method-assign]
    for name in _IMPORTED:
        importlib.import_module(name)
    if left_behind() is not None:
        return None
    pool, template = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    adopt_orphans()  # before Linux 4.11 only processes that are forked later are adopted
    if pid := os.fork():
        adopt_orphans(adopt=False)
        template.close()
        forks = _Forks(pid, pool)
        atexit.register(forks.end)
        util.spawnv_passfds = forks.start  # type: ignore[assignment]
        return None
    pool.close()
    return _serve(template)


def _start_holder() -> SyncManager:
    """Start the process that holds what workers share."""
    holder = SyncManager(ctx=SpawnContext)
    holder.start(_exit_when_asked)
    process = holder._process  # type: ignore[attr-defined]
    threading.Thread(target=_watch_holder, args=(process.pid,), name="holder-watch", daemon=True).start()
    return holder


def _watch_holder(holder: int) -> None:
    """End the pool when the holder is killed: its workers would die, and it would go on without them."""
    with suppress(ChildProcessError):  # the pool has ended it, and waited for it
        ended = os.waitid(os.P_PID, holder, os.WEXITED | os.WNOWAIT)
        if ended is not None and ended.si_code != os.CLD_EXITED:
            _log.error("the process that holds what workers share was killed, so the pool ends")
            os._exit(os.EX_SOFTWARE)


def _exit_when_asked() -> None:
    """Let this process exit on SIGTERM: ended at once, it would leave the folder of its socket in /tmp."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())


class _Forks:
    """The pool's end: starts processes as `multiprocessing.util.spawnv_passfds` does."""

    def __init__(self, template: int, connection: socket.socket) -> None:
        self._template = template
        self._connection: socket.socket | None = connection
        self._start_new = util.spawnv_passfds
        connection.settimeout(_FORK_SECONDS)

    def start(self, path: bytes, arguments: Sequence[str | bytes], descriptors: Sequence[int]) -> int:
        """Return the number of a process that runs a command of Python and has these descriptors."""
        words = [os.fsdecode(word) for word in arguments]
        if self._connection is not None and "-c" in words:
            try:
                return self._fork(self._connection, words, sorted(set(map(int, descriptors))))
            except (OSError, ValueError) as error:
                _log.warning("no process can be forked, new ones import Parsl: %s", error)
                self.end()
        return self._start_new(path, arguments, descriptors)

    @staticmethod
    def _fork(connection: socket.socket, words: list[str], descriptors: list[int]) -> int:
        pid = 0
        adopt_orphans()
        try:
            socket.send_fds(connection, [json.dumps([words, descriptors]).encode()], descriptors)
            while (answer := connection.recv(_PACKET_BYTES)) not in (b"", _FORKED):
                pid = int(answer)
        finally:
            adopt_orphans(adopt=False)
        if not pid:
            raise ChildProcessError("the template has ended, or could not fork")
        return pid

    def end(self) -> None:
        """End the template; the processes that it has forked go on."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            os.kill(self._template, signal.SIGKILL)
            os.waitpid(self._template, 0)


def _serve(pool: socket.socket) -> str:
    """Fork until the pool has ended; return in each forked process the code that it runs."""
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _set_title("parsl: HTEX worker template")
    gc.freeze()  # a collection would write to every page that the processes share
    with suppress(ConnectionError):  # the pool was killed before it read an answer
        while (request := socket.recv_fds(pool, _PACKET_BYTES, _DESCRIPTORS))[0]:
            packet, descriptors, _, _ = request
            if (middle := os.fork()) == 0:
                if pid := os.fork():
                    with suppress(ConnectionError):
                        pool.send(str(pid).encode())
                    os._exit(0)  # then the pool adopts the other
                pool.close()
                signal.signal(signal.SIGINT, interrupt)
                words, numbers = json.loads(packet)
                _renumber(descriptors, numbers)
                return _become(words)
            os.waitpid(middle, 0)
            for descriptor in descriptors:
                os.close(descriptor)
            pool.send(_FORKED)
    sys.exit()


def _renumber(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Give descriptors the numbers that they have in the pool, for what this process executes, too."""
    above = max([*descriptors, *numbers], default=0) + 1
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for descriptor, number in zip(moved, numbers, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _become(words: list[str]) -> str:
    """Take over the arguments and the title of a command of Python; return its code."""
    at = words.index("-c")
    sys.argv = words[at : at + 1] + words[at + 2 :]
    _set_title(" ".join(words))
    return words[at + 1]


def _set_title(title: str) -> None:
    """Let other programs read a title as the command line of this process; its name and environment stay."""
    name = _NAME.read_text().strip()
    os.environ["SPT_NOENV"] = "1"
    setproctitle(title)
    del os.environ["SPT_NOENV"]
    _NAME.write_text(name)
