"""Command lines in processes that are forked from one that has imported the orchestrator.

The imports are most of a short command's processor time. ``python -P -m tests.forked_commands DESCRIPTOR`` is
the process that forks: the test process sends it an order for each command line through a socket.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from workloads.forking import forked_child

ROOT = Path(__file__).parent.parent
NEW = ("-m", "orchestrator")
"""`program` of tests whose subject is the start of a command line."""
_PACKET_BYTES = 1 << 17
_READ_BYTES = 1 << 15
_OF_INTERPRETER = ("PYTHON", "LD_")
"""Beginnings of the variables that Python, or the loader of its libraries, reads as it starts."""
_READ_AT_ENTRY = {"PYTHONFAULTHANDLER"}
_servers: list[_Server] = []


class ForkedCommand(subprocess.Popen[str]):
    """A command line that is no child of this process: the process that forked it says how it ended.

    As with a child, its id is given to no other process before it was waited for.

    Parameters
    ----------
    ended
        Receives the exit code.
    """

    def __init__(
        self,
        args: Sequence[str],
        pid: int,
        ended: socket.socket,
        stdout: IO[str] | None,
        stderr: IO[str] | None,
    ) -> None:
        self.args, self.pid, self.stdin, self.stdout, self.stderr = args, pid, None, stdout, stderr
        self.returncode = None
        self._ended = ended
        self._read = dict.fromkeys((stdout, stderr), b"")

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended."""
        if self.returncode is None:
            waiting = select.poll()
            waiting.register(self._ended, select.POLLIN)
            if not waiting.poll(None if timeout is None else 1000 * timeout):
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            with self._ended:
                self.returncode = int(self._ended.recv(_READ_BYTES))
                self._ended.shutdown(socket.SHUT_WR)
                self._ended.recv(_READ_BYTES)  # its end: the process is gone
        return int(self.returncode)

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:  # noqa: A002
        """Return all that it wrote and was not read yet, once it has ended."""
        assert input is None
        end = None if timeout is None else time.monotonic() + timeout

        def left() -> float | None:
            return None if end is None else max(0.0, end - time.monotonic())

        with selectors.DefaultSelector() as selector:
            for stream in self._read:
                if stream is not None and not stream.closed:
                    selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                if not (ready := selector.select(left())):
                    raise subprocess.TimeoutExpired(self.args, timeout or 0)
                for key, _ in ready:
                    stream: Any = key.fileobj
                    self._read[stream] += (chunk := os.read(key.fd, _READ_BYTES))
                    if not chunk:
                        selector.unregister(stream)
                        stream.close()
        self.wait(left())
        out, err = (self._read[stream].decode() for stream in (self.stdout, self.stderr))
        return out, err


class _Server:
    """The process that forks command lines."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._variables = os.environ | {"PYTHONPATH": str(ROOT)}
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.forked_commands", str(other.fileno())],
                pass_fds=[other.fileno()],
                env=self._variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=default_signals,
            )

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether an interpreter with these variables would have started as this one did."""
        names = {name for name in (*self._variables, *environment) if name.startswith(_OF_INTERPRETER)}
        return self._process.poll() is None and all(
            self._variables.get(name) == environment.get(name) for name in names - _READ_AT_ENTRY
        )

    def fork(
        self, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], streams: tuple[int, int]
    ) -> tuple[int, socket.socket]:
        """Fork a command line; return its id and a socket that will receive its exit code."""
        order = {"arguments": arguments, "cwd": str(cwd), "environment": dict(environment)}
        ended, exit_code_end = socket.socketpair()
        with exit_code_end:
            socket.send_fds(self._socket, [json.dumps(order).encode()], [*streams, exit_code_end.fileno()])
        answer = self._socket.recv(_PACKET_BYTES)
        assert answer, f"the process that forks command lines ended with {self._process.wait()}"
        return int(answer), ended

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.wait()


def default_signals() -> None:
    """Take the signal handling of a terminal's foreground process, as the ``preexec_fn`` of a child.

    ``nohup`` and the ``&`` of a script leave SIGHUP or SIGINT ignored, and children inherit that.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def start_command(
    arguments: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    log: IO[str] | None = None,
    program: Sequence[str] | None = None,
) -> subprocess.Popen[str]:
    """Start a command line in a session of its own, as a terminal would.

    Parameters
    ----------
    log
        Takes what it writes to both streams; None: pipes do.
    program
        Options of a new interpreter that runs it, as `NEW`; None: it is forked, unless an interpreter with
        its variables would start otherwise than that of the forking process did.
    """
    if program is None and not _servers:
        _servers.append(_Server())
    if program is not None or not _servers[0].fits(environment):
        return subprocess.Popen(
            [sys.executable, "-P", *(program or NEW), *arguments],
            cwd=cwd,
            env=environment,
            stdout=log or subprocess.PIPE,
            stderr=subprocess.STDOUT if log else subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=default_signals,
        )
    if log:
        pid, ended = _servers[0].fork(arguments, cwd, environment, (log.fileno(), log.fileno()))
        return ForkedCommand(arguments, pid, ended, None, None)
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        pid, ended = _servers[0].fork(arguments, cwd, environment, (out_end, err_end))
    finally:
        os.close(out_end)
        os.close(err_end)
    return ForkedCommand(arguments, pid, ended, os.fdopen(out), os.fdopen(err))


@atexit.register
def _close() -> None:
    while _servers:
        _servers.pop().close()


def _import() -> None:
    """Import what commands import, and refuse what a forked process would lack."""
    for name in (
        "db.ledger", "db.schema", "orchestrator.analysis.verdict.fom", "orchestrator.cli.errors",
        "orchestrator.cli.run.prediction", "orchestrator.cli.terminal.plan_view",
        "orchestrator.cli.terminal.progress_bar", "orchestrator.engines.parsl_engine",
        "orchestrator.lifecycle.launch", "orchestrator.monitoring.campaign_status",
        "orchestrator.report.facts.verdicts", "orchestrator.review.dossier",
        "orchestrator.rulebooks.coral2.rulebook", "orchestrator.rulebooks.hpcai500.rulebook",
        "orchestrator.rulebooks.mlperf_hpc.rulebook", "psycopg", "sqlalchemy.dialects.postgresql.psycopg",
        "sqlalchemy.dialects.sqlite", "typer._adapters",
    ):  # fmt: skip
        import_module(name)
    typer, cli = import_module("typer"), import_module("orchestrator.cli")
    list(typer.main.get_command(cli.app).commands.values())  # imports them all
    os.waitpid(forked_child.fork(lambda: 0), 0)  # OpenBLAS ends its idle threads before a fork
    assert forked_child.left_behind() is None, forked_child.left_behind()
    gc.collect()
    gc.freeze()


def _next_command(tests: socket.socket) -> dict[str, Any]:
    """Fork at each order and return it in the child; the parent ends with the test process."""
    running: dict[int, tuple[int, int]] = {}
    ended: dict[int, int] = {}
    waiting = select.poll()
    waiting.register(tests, select.POLLIN)
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor in ended:  # the test has its exit code
                os.waitpid(ended.pop(descriptor), 0)
                waiting.unregister(descriptor)
                os.close(descriptor)
            elif descriptor in running:
                pid, exit_code_end = running.pop(descriptor)
                os.write(exit_code_end, str(_exit_code(pid)).encode())
                ended[exit_code_end] = pid
                waiting.register(exit_code_end, select.POLLIN)
                waiting.unregister(descriptor)
                os.close(descriptor)
            else:
                packet, (*streams, exit_code_end) = _receive(tests)
                if (pid := os.fork()) == 0:
                    return json.loads(packet) | {"streams": streams}
                waiting.register(process := os.pidfd_open(pid), select.POLLIN)
                running[process] = pid, exit_code_end
                for stream in streams:
                    os.close(stream)


def _exit_code(pid: int) -> int:
    """Return the exit code of a child that has ended, and keep its id for it."""
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert found is not None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _receive(tests: socket.socket) -> tuple[bytes, list[int]]:
    """Return an order with its descriptors; end where the test process has."""
    packet, descriptors, _, _ = socket.recv_fds(tests, _PACKET_BYTES, 3)
    if not packet:
        os._exit(0)
    return packet, descriptors


def _become(order: Mapping[str, Any], tests: socket.socket) -> None:
    """Make this new process that of a command line that begins, and tell its id once it can take signals."""
    streams = os.open(os.devnull, os.O_RDONLY), *order["streams"]
    forked_child.enter(order["environment"], streams, {tests.fileno()}, "orchestrator.cli")
    os.chdir(order["cwd"])
    tests.send(str(os.getpid()).encode())
    tests.close()
    if os.environ.get("PYTHONFAULTHANDLER"):
        faulthandler.enable()
    sys.argv = ["orchestrator", *order["arguments"]]


if __name__ == "__main__":
    _import()
    orders = socket.socket(fileno=int(sys.argv[1]))
    _become(_next_command(orders), orders)
    runpy.run_module("orchestrator", run_name="__main__", alter_sys=True)
