"""One rank's training process: started on its cores, and read from while it runs."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from orchestrator.host._linux import signal_when_parent_dies
from orchestrator.host.cpu_time import tree_seconds
from orchestrator.host.interpreter import other_program
from orchestrator.node.ranks.channels import RankChannels
from orchestrator.node.ranks.child_process import ChildProcess, ForkedProcess, StartedProcess
from orchestrator.node.ranks.container import PROGRAM, RankContainer
from orchestrator.node.ranks.mark_arrivals import MarkArrivals
from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import (
    BUSY_BEFORE_SECONDS,
    OTHER_PROGRAM,
    REFUSED_REPORTS,
    UNREAD_SECONDS,
    TrainingError,
    TrainingResult,
)
from workloads.forking import forked_child
from workloads.forking.forked_child import Template

Start = Callable[[Mapping[str, Any], Sequence[int]], StartedProcess]
_TOO_LONG = "its result has more than 1 MiB, the most that is taken; report less as observed, data or metrics"
_SIGNALLED = 128
_OOM_SCORE = b"500"  # the kernel's out-of-memory killer takes a training before its supervisor
_BUSY_BEFORE = 20.0
_MEASURED_HERE = frozenset({UNREAD_SECONDS, BUSY_BEFORE_SECONDS})
"""Facts that a training cannot state itself."""


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
    interpreter
        The Python that it must run; None in a container.
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
        interpreter: str | None = None,
    ) -> None:
        self.marks: dict[str, int] = {}
        self._arrived = MarkArrivals()
        self._timed_with: tuple[RankProcess, ...] = (self,)
        self._is_one_of_several = request.get("size", 1) > 1
        self.result: TrainingResult | None = None
        self.error: TrainingError | None = None
        self._repeated: set[str] = set()
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
        self._interpreter = interpreter
        self._other_program: str | None = None
        self._look_at_program()

    @property
    def arrivals(self) -> dict[str, int]:
        """When each of its marks arrived, UTC microseconds by this process's clock."""
        return self._arrived.at_us

    @property
    def mark_cpu_seconds(self) -> dict[str, float]:
        """CPU seconds that it had used when marks arrived; empty where they cannot be read."""
        return self._arrived.cpu_seconds

    @property
    def failed(self) -> bool:
        """True if it has exited with anything but 0, or without a result: other ranks would wait for it."""
        return super().failed or (self.ended and self.result is None)

    @property
    def at_barrier(self) -> bool:
        """True once it has come to the start barrier."""
        return "at_barrier" in self.marks

    def open_barrier(self, start_us: int) -> None:
        """Have its timed part start at an instant, UTC microseconds."""
        self._channels.announce(start_us)

    def time_others(self, others: Sequence[RankProcess]) -> None:
        """Have the CPU times of other ranks read at this rank's marks, and not at their own."""
        self._timed_with = (self, *others)
        for other in others:
            other._timed_with = ()

    def poll(self) -> bool:
        """Read its reports and reap it if it has exited; return whether it exited since the last call."""
        if not super().poll():
            return False
        self.peak_bytes = max(self.peak_bytes, int(self._usage.get("peak_bytes", 0)))
        if self._channels.was_too_long and self.result is None and self.error is None:
            self.error = TrainingError(message=_TOO_LONG)
        if self._contained is not None:
            self._correct(self._contained)
        if self.result is not None:
            self.result = self._with_doubts(self.result)
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
        """True once it has reported anything."""
        return bool(self.marks or self.result or self.error or self._usage)

    def read_reports(self) -> None:
        """Read marks, result and error that have arrived."""
        for line in self._channels.lines():
            self._read_line(line)
        self._arrived.looked()
        self.pipe_closed = self._channels.closed

    def _read_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # written by a workload that has the key; a result that never comes is reported as missing
        if "mark" in message:
            self._read_mark(str(message["mark"]), int(message["at_us"]))
        elif "result" in message:
            self._read_result(message["result"])
        elif "usage" in message:
            self._usage = message["usage"]
        elif "error" in message:
            self.error = TrainingError.from_json(message["error"])

    def _read_mark(self, name: str, at_us: int) -> None:
        """Keep the first mark of a name, and date its arrival."""
        if not self.marks:  # a program that another one has started in its place is seen now
            self._look_at_program()
        if name in self.marks:
            self._repeated.add(f"a second {name}")
            return
        self.marks[name] = at_us
        if self._arrived.note(name, at_us):
            for rank in self._timed_with:
                rank._arrived.read_cpu(name, rank._used_seconds)

    def _used_seconds(self) -> float | None:
        """Return its CPU time so far; None in a container whose processes are not its children."""
        if self._contained is not None and not self._contained.is_child:
            return None
        return self.cpu_seconds or tree_seconds(self.pid)  # the former once it has exited

    def _look_at_program(self) -> None:
        if self._interpreter is not None and self._other_program is None:
            program = other_program(self.pid, self._interpreter)
            self._other_program = program and f"{program} in place of {self._interpreter}"

    def _read_result(self, content: Any) -> None:
        if self.result is not None:
            self._repeated.add("a second result")
            return
        try:
            self.result = TrainingResult.from_json(content)
        except MessageError as error:
            self.error = TrainingError("exception", f"its result cannot be read: {error}")

    def _with_doubts(self, result: TrainingResult) -> TrainingResult:
        """Return a result that says what this process saw: another program, refused reports, late looks."""
        facts: dict[str, Any] = {}
        writers = {result.observed.pid, self._channels.writer} - {None, 0, self.pid}
        other = self._other_program
        if self._interpreter is not None and writers:
            other = other or f"a process that {self._interpreter} started"
        if other is not None:
            facts[OTHER_PROGRAM] = other
        if refused := self._channels.refused | self._repeated:
            facts[REFUSED_REPORTS] = ", ".join(sorted(refused))
        if unread := self._arrived.unread_seconds:
            facts[UNREAD_SECONDS] = math.ceil(unread)
        busy = self.mark_cpu_seconds.get("run_start", 0.0)
        if self._is_one_of_several and busy > _BUSY_BEFORE:  # the sum of all ranks would hide it
            facts[BUSY_BEFORE_SECONDS] = math.ceil(busy)
        stated = result.observed.facts
        if not facts and not _MEASURED_HERE & stated.keys():
            return result
        stated = {name: fact for name, fact in stated.items() if name not in _MEASURED_HERE}
        observed = structs.replace(result.observed, facts=stated | facts)
        return structs.replace(result, observed=observed)


def memory_roots(order: AttemptOrder, processes: Sequence[ChildProcess]) -> list[int]:
    """Return the processes whose memory, with that of their descendants, is that of an attempt.

    Processes in a container need not descend from the runtime's command; they do from a forked training.
    """
    if order.container is None or all(isinstance(one, RankProcess) and one.is_forked for one in processes):
        return [process.pid for process in processes]
    return [os.getpid()]


@dataclass(frozen=True, slots=True)
class TrainingCommand:
    """How a training process is started.

    Parameters
    ----------
    words, environment
        Command, and its variables.
    template
        With what this process was forked that the training shares; None for a new interpreter.
    """

    words: Sequence[str]
    environment: Mapping[str, str]
    template: Template | None = None

    def start(
        self, streams: tuple[int, int], order: Mapping[str, Any], inherited: Sequence[int]
    ) -> StartedProcess:
        """Start a training on its order's cores, send it the order, and return it.

        Parameters
        ----------
        streams
            Its standard output and error.
        """
        reader, writer = os.pipe()
        try:
            process = self._start((reader, *streams), order["cores"], inherited)
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        with suppress(BrokenPipeError), os.fdopen(writer, "wb") as stream:
            stream.write(json.dumps(order).encode())  # if it has exited already, its exit code says why
        return process

    def _start(
        self, streams: tuple[int, int, int], cores: Collection[int], inherited: Sequence[int]
    ) -> StartedProcess:
        """Start a training that reads its order from the first stream."""
        parent = os.getpid()

        def enter_slot() -> None:
            os.sched_setaffinity(0, cores)
            signal_when_parent_dies(signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            with suppress(OSError):
                descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
                os.write(descriptor, _OOM_SCORE)
                os.close(descriptor)

        def train(template: Template) -> int:
            kept = {*inherited, *template.descriptors}
            forked_child.enter(self.environment, streams, kept, PROGRAM)
            for descriptor in inherited:
                os.set_inheritable(descriptor, True)
            enter_slot()
            runner = sys.modules[PROGRAM]  # imported by the fork server
            runner.exit_fast(runner.main())
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
