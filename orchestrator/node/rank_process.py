"""One rank's training process: started on its cores, and read from while it runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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

PROGRAM = "workloads.run"
Start = Callable[[Mapping[str, Any], Sequence[int]], StartedProcess]
_REPORT_LIMIT = 1 << 20
_TOO_LONG = "its result has more than 1 MiB, the most that is taken; report less as observed, data or metrics"
_SIGNALLED = 128
_OOM_SCORE = "500"  # the kernel's out-of-memory killer takes a training before its supervisor


class RankProcess(ChildProcess):
    """A training process and what it has reported; it dies with the process that started it.

    Parameters
    ----------
    request
        What it runs, without its channels.
    start
        Starts it with that and the descriptors of its channels.
    waits_at_barrier
        Whether its timed part waits for `open_barrier`.
    contained
        The container that it is started in.
    is_forked
        Whether it shares what this process was forked with.
    """

    def __init__(
        self,
        number: int,
        request: Mapping[str, Any],
        start: Start,
        *,
        waits_at_barrier: bool = False,
        contained: RankContainer | None = None,
        is_forked: bool = False,
    ) -> None:
        self.marks: dict[str, int] = {}
        self.result: TrainingResult | None = None
        self.error: TrainingError | None = None
        self._pending = b""
        self._was_too_long = False
        self._usage: Mapping[str, Any] = {}
        self.is_forked = is_forked
        self._contained = contained
        named = contained is not None and not contained.has_descriptors
        self._channels = RankChannels(barrier=waits_at_barrier, named=named)
        try:
            process = start({**request, **self._channels.request}, self._channels.inherited)
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
        self.peak_bytes = max(self.peak_bytes, int(self._usage.get("peak_bytes", 0)))
        if self._was_too_long and self.result is None and self.error is None:
            self.error = TrainingError(message=_TOO_LONG)
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
            self._was_too_long = self._was_too_long or len(rest) > _REPORT_LIMIT
            self._pending = rest[-_REPORT_LIMIT:]
            for line in lines:
                self._read_line(line)

    def _read_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # not written by the runner; a result that never comes is reported as missing
        self.read_message(message)

    def read_message(self, message: Mapping[str, Any]) -> None:
        """Read one report."""
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


@dataclass(frozen=True, slots=True)
class TrainingCommand:
    """How a training process is started.

    Parameters
    ----------
    words, environment
        Command, and its variables.
    template
        With what this process was forked that the training shares; None for a new interpreter.
    program
        Module that a forked training runs.
    """

    words: Sequence[str]
    environment: Mapping[str, str]
    template: Template | None = None
    program: str = PROGRAM

    def start(
        self, streams: tuple[int, int], order: Mapping[str, Any], inherited: Sequence[int]
    ) -> StartedProcess:
        """Start a training on its order's cores, send it the order, and return it.

        Parameters
        ----------
        streams
            Its standard output and error.
        inherited
            Further descriptors that it has.
        """
        reader, writer = os.pipe()
        try:
            run = lambda: sys.modules[self.program].main()  # noqa: E731  imported by the fork server
            process = self.start_with((reader, *streams), order["cores"], inherited, run)
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        with suppress(BrokenPipeError), os.fdopen(writer, "wb") as stream:
            stream.write(json.dumps(order).encode())  # if it has exited already, its exit code says why
        return process

    def start_with(
        self,
        streams: tuple[int, int, int],
        cores: Collection[int],
        inherited: Sequence[int],
        run: Callable[[], int],
    ) -> StartedProcess:
        """Start a training with a standard input, which gets nothing; a forked one calls a function."""
        parent = os.getpid()

        def enter_slot() -> None:
            os.sched_setaffinity(0, cores)
            signal_when_parent_dies(signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)

        def train(template: Template) -> int:
            kept = {*inherited, *template.descriptors}
            forked_child.enter(self.environment, streams, kept, self.program)
            for descriptor in inherited:
                os.set_inheritable(descriptor, True)
            enter_slot()
            sys.modules[PROGRAM].exit_fast(run())
            return 0

        # This process has one thread, so no lock can be held across the fork.
        if (template := self.template) is not None:
            return ForkedProcess(forked_child.fork(lambda: train(template)))
        return subprocess.Popen(
            self.words,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env=self.environment,
            start_new_session=True,
            pass_fds=inherited,
            preexec_fn=enter_slot,
        )
