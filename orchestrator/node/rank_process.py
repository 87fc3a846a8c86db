"""The processes of one attempt on one node: started pinned, listened to, and put together again."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.report import TrainingError, TrainingResult

BEGINNINGS = ("run_start", "window_start")
"""Marks of what an instance begins with its first rank; all others are its last rank's."""
_PR_SET_PDEATHSIG = 1
_REPORT_LIMIT = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)


class Rank:
    """One training process, in a session and process group of its own, and what it reported.

    It dies with the process that started it. Where memory runs out, it goes before its starter.

    Parameters
    ----------
    number
        Its rank.
    interpreter
        Python that runs it.
    request
        The runner's order, but for the descriptor to report on.
    environment
        All of its environment.
    stdout, stderr
        Descriptors.
    gated
        Its timed part waits for `release`.
    """

    def __init__(
        self,
        number: int,
        interpreter: str,
        request: Mapping[str, Any],
        environment: Mapping[str, str],
        stdout: int,
        stderr: int,
        *,
        gated: bool = False,
    ) -> None:
        self.number = number
        self.marks: dict[str, int] = {}
        self.result: TrainingResult | None = None
        self.error: TrainingError | None = None
        self.exit_code: int | None = None
        self.cpu_seconds = 0.0
        self.peak_bytes = 0
        self.silent = False  # whether it can report nothing any more
        self._pending = b""
        self.reports, writer = os.pipe()
        os.set_blocking(self.reports, False)
        gate: int | None = None
        self._gate: int | None = None
        if gated:
            gate, self._gate = os.pipe()
        cores = set(request["cores"])
        parent = os.getpid()

        def enter_slot() -> None:
            os.sched_setaffinity(0, cores)
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text("500")

        order_reader, order_writer = os.pipe()
        try:
            self._process = subprocess.Popen(
                [interpreter, "-m", "workloads.run"],
                stdin=order_reader,
                stdout=stdout,
                stderr=stderr,
                env=environment,
                start_new_session=True,
                pass_fds=(writer,) if gate is None else (writer, gate),
                preexec_fn=enter_slot,  # one thread only here, so no lock can be held across the fork
            )
        except BaseException:
            os.close(self.reports)
            os.close(order_writer)
            raise
        finally:
            os.close(order_reader)
            os.close(writer)
            if gate is not None:
                os.close(gate)
        with suppress(BrokenPipeError):  # a process that died at once; its exit says why
            os.write(order_writer, json.dumps({**request, "report_fd": writer, "gate_fd": gate}).encode())
        os.close(order_writer)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it has exited and been waited for."""
        return self.exit_code is not None

    @property
    def failed(self) -> bool:
        """Whether it has exited with anything but 0."""
        return self.exit_code not in (None, 0)

    def poll(self) -> bool:
        """Take what it reported and whether it has ended; return whether it ended just now."""
        if self.ended:
            return False
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        self._take_reports()
        if not pid:
            return False
        self.silent = True
        self.exit_code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_bytes = usage.ru_maxrss * 1024
        return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its whole process group."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def release(self, start_us: int) -> None:
        """Let its timed part start at an instant, UTC microseconds."""
        if self._gate is not None:
            with suppress(BrokenPipeError):
                os.write(self._gate, f"{start_us}\n".encode())

    def close(self) -> None:
        """Give its descriptors back."""
        os.close(self.reports)
        if self._gate is not None:
            os.close(self._gate)

    def _take_reports(self) -> None:
        while True:
            try:
                chunk = os.read(self.reports, 65536)
            except BlockingIOError:
                return
            if not chunk:
                self.silent = True
                return
            *lines, rest = (self._pending + chunk).split(b"\n")
            self._pending = rest[-_REPORT_LIMIT:]
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # not a line of the runner; a result that never comes is reported as missing
        if "mark" in message:
            self.marks.setdefault(str(message["mark"]), int(message["at_us"]))
        elif "result" in message:
            self._take_result(message["result"])
        elif "error" in message:
            self.error = TrainingError.from_json(message["error"])

    def _take_result(self, content: Any) -> None:
        try:
            self.result = TrainingResult.from_json(content)
        except MessageError as error:
            self.error = TrainingError("exception", f"its result cannot be read: {error}")
