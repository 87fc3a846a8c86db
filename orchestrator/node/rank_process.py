"""One rank's training process: started on its cores, and read from while it runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.host._linux import signal_when_parent_dies
from orchestrator.node.child_process import ChildProcess
from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.report import TrainingError, TrainingResult

_REPORT_LIMIT = 1 << 20
_OOM_SCORE = "500"  # the kernel's out-of-memory killer takes a training before its supervisor


class RankProcess(ChildProcess):
    """A training process and what it has reported; it dies with the process that started it.

    Parameters
    ----------
    waits_at_barrier
        Whether its timed part waits for `open_barrier`.
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
        waits_at_barrier: bool = False,
    ) -> None:
        self.marks: dict[str, int] = {}
        self.result: TrainingResult | None = None
        self.error: TrainingError | None = None
        self._pending = b""
        reports, report_writer = os.pipe()
        os.set_blocking(reports, False)
        barrier_reader: int | None = None
        self._barrier: int | None = None
        if waits_at_barrier:
            barrier_reader, self._barrier = os.pipe()
        inherited = [fd for fd in (report_writer, barrier_reader) if fd is not None]
        order = {**request, "report_fd": report_writer, "barrier_fd": barrier_reader}
        try:
            process = _start(
                [interpreter, "-m", "workloads.run"], order, environment, (stdout, stderr), inherited
            )
        except BaseException:
            for fd in (reports, self._barrier):
                if fd is not None:
                    os.close(fd)
            raise
        finally:
            for fd in inherited:
                os.close(fd)
        super().__init__(number, process, reports)

    @property
    def at_barrier(self) -> bool:
        """Whether it has come to the start barrier."""
        return "at_gate" in self.marks

    def open_barrier(self, start_us: int) -> None:
        """Have its timed part start at an instant, UTC microseconds."""
        if self._barrier is not None:
            with suppress(BrokenPipeError):
                os.write(self._barrier, f"{start_us}\n".encode())

    def close(self) -> None:
        """Close its descriptors."""
        super().close()
        if self._barrier is not None:
            os.close(self._barrier)

    def read_reports(self) -> None:
        """Read marks, result and error that have arrived."""
        while self.reports is not None:
            try:
                chunk = os.read(self.reports, 65536)
            except BlockingIOError:
                return
            if not chunk:
                self.pipe_closed = True
                return
            *lines, rest = (self._pending + chunk).split(b"\n")
            self._pending = rest[-_REPORT_LIMIT:]
            for line in lines:
                self._read_line(line)

    def _read_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # not written by the runner; a result that never comes is reported as missing
        if "mark" in message:
            self.marks.setdefault(str(message["mark"]), int(message["at_us"]))
        elif "result" in message:
            self._read_result(message["result"])
        elif "error" in message:
            self.error = TrainingError.from_json(message["error"])

    def _read_result(self, content: Any) -> None:
        try:
            self.result = TrainingResult.from_json(content)
        except MessageError as error:
            self.error = TrainingError("exception", f"its result cannot be read: {error}")


def _start(
    command: list[str],
    order: Mapping[str, Any],
    environment: Mapping[str, str],
    streams: tuple[int, int],
    inherited: list[int],
) -> subprocess.Popen[bytes]:
    """Start a training on its order's cores and send it the order."""
    cores = set(order["cores"])
    parent = os.getpid()

    def enter_slot() -> None:
        os.sched_setaffinity(0, cores)
        signal_when_parent_dies(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)

    reader, writer = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=reader,
            stdout=streams[0],
            stderr=streams[1],
            env=environment,
            start_new_session=True,
            pass_fds=inherited,
            preexec_fn=enter_slot,  # this process has one thread, so no lock can be held across the fork
        )
    except BaseException:
        os.close(writer)
        raise
    finally:
        os.close(reader)
    with suppress(BrokenPipeError), os.fdopen(writer, "wb") as stream:
        stream.write(json.dumps(order).encode())  # a process that has already exited: its exit code says why
    return process
