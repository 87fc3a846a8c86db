"""One rank's training process: started on its cores, and read from while it runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.host._linux import signal_when_parent_dies
from orchestrator.node import forked_child
from orchestrator.node.child_process import ChildProcess, ForkedProcess, StartedProcess
from orchestrator.node.container_rank import RankContainer
from orchestrator.node.forked_child import Template
from orchestrator.node.rank_channels import RankChannels
from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.report import TrainingError, TrainingResult

_PROGRAM = "workloads.run"
_REPORT_LIMIT = 1 << 20
_SIGNALLED = 128
_OOM_SCORE = "500"  # the kernel's out-of-memory killer takes a training before its supervisor


class RankProcess(ChildProcess):
    """A training process and what it has reported; it dies with the process that started it.

    Parameters
    ----------
    waits_at_barrier
        Whether its timed part waits for `open_barrier`.
    contained
        How it is started where it runs in a container, instead of with `interpreter` and `environment`.
    template
        With what this process was forked that the training shares; None for a new interpreter.

    Attributes
    ----------
    is_forked
        Whether it shares that.
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
        contained: RankContainer | None = None,
        template: Template | None = None,
    ) -> None:
        self.marks: dict[str, int] = {}
        self.result: TrainingResult | None = None
        self.error: TrainingError | None = None
        self._pending = b""
        self._usage: Mapping[str, Any] = {}
        self.is_forked = template is not None
        self._contained = contained
        named = contained is not None and not contained.has_descriptors
        self._channels = RankChannels(barrier=waits_at_barrier, named=named)
        command = [interpreter, "-m", _PROGRAM] if contained is None else contained.command
        variables = environment if contained is None else contained.environment
        order = {**request, **self._channels.request}
        inherited = self._channels.inherited
        try:
            process = _start(command, order, variables, (stdout, stderr), inherited, template)
        except BaseException:
            self._channels.close()
            raise
        self._channels.started()
        super().__init__(number, process, self._channels.reports)

    @property
    def at_barrier(self) -> bool:
        """Whether it has come to the start barrier."""
        return "at_gate" in self.marks

    def open_barrier(self, start_us: int) -> None:
        """Have its timed part start at an instant, UTC microseconds."""
        self._channels.announce(start_us)

    def poll(self) -> bool:
        """Read its reports and reap it if it has exited; return whether it exited since the last call."""
        if not super().poll():
            return False
        if self._contained is not None:
            self._correct(self._contained)
        return True

    def close(self) -> None:
        """Close its channels, and remove its container if that was killed."""
        self._channels.close()
        if self._contained is not None and self.exit_code != 0:
            self._contained.remove()

    def _correct(self, contained: RankContainer) -> None:
        """Take exit status and usage of the rank, not of the runtime's command."""
        code = self.exit_code or 0
        if not contained.is_child:
            if code > _SIGNALLED and code - _SIGNALLED in signal.valid_signals():
                self.exit_code = _SIGNALLED - code
            self.cpu_seconds = float(self._usage.get("cpu_seconds", 0.0))
            self.peak_bytes = int(self._usage.get("peak_bytes", 0))
        if code > 0 and not self.begun:
            what = f"{contained.container.runtime} ended with exit code {code} before the training began"
            self.error = TrainingError("container", what)

    @property
    def begun(self) -> bool:
        """Whether it has reported anything."""
        return bool(self.marks or self.result or self.error or self._usage)

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
        elif "usage" in message:
            self._usage = message["usage"]
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
    template: Template | None,
) -> StartedProcess:
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

    def train() -> int:
        kept = {*inherited, *template.descriptors} if template is not None else inherited
        forked_child.enter(environment, (reader, *streams), kept, _PROGRAM)
        for descriptor in inherited:
            os.set_inheritable(descriptor, True)
        enter_slot()
        run = sys.modules[_PROGRAM]  # imported by the fork server
        run.exit_fast(run.main())
        return 0

    reader, writer = os.pipe()
    process: StartedProcess
    try:
        # This process has one thread, so no lock can be held across the fork.
        if template is not None:
            process = ForkedProcess(forked_child.fork(train))
        else:
            process = subprocess.Popen(
                command,
                stdin=reader,
                stdout=streams[0],
                stderr=streams[1],
                env=environment,
                start_new_session=True,
                pass_fds=inherited,
                preexec_fn=enter_slot,
            )
    except BaseException:
        os.close(writer)
        raise
    finally:
        os.close(reader)
    with suppress(BrokenPipeError), os.fdopen(writer, "wb") as stream:
        stream.write(json.dumps(order).encode())  # a process that has already exited: its exit code says why
    return process
