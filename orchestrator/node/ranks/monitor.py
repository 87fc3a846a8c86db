"""Watch processes of an attempt until the last has ended, and end them when they must end."""

from __future__ import annotations

import os
import select
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from orchestrator.host.processes import UNKILLABLE_SECONDS, living_tree, memory_of
from orchestrator.node.ranks.barrier import NodeBarrier
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.results import first_failed

_SAMPLE_SECONDS = 1.0
_RESCAN_SAMPLES = 3
_BARRIER_POLL_SECONDS = 0.5
_FAILED_RANK_GRACE_SECONDS = 3.0
_LATE_SECONDS = 5.0  # in which a busy node notices the end of a process


@dataclass(frozen=True, slots=True)
class RankLimits:
    """When processes are ended.

    Parameters
    ----------
    grace_seconds
        Between SIGTERM and SIGKILL; after a rank has failed, the others have 3 s at most.
    timeout_seconds
        Runtime, without the time at the start barrier.
    block_seconds
        Until the processes must end because their block ends.
    memory_bytes
        Private memory of all processes and their descendants together; None without a limit.
    """

    grace_seconds: float
    timeout_seconds: float = inf
    block_seconds: float = inf
    memory_bytes: int | None = None


class RankObserver:
    """Questions and reports of a monitor; supervisor and agent override those that they need."""

    def termination_requested(self) -> str | None:
        """Return why the attempt must end (``terminated_by``) if this process was asked to end it."""
        return None

    def polled(self) -> None:
        """Handle that the reports of all processes were read."""

    def rank_ended(self, process: ChildProcess) -> None:
        """Handle the end of a process."""

    def barrier_reached(self) -> None:
        """Handle that all processes wait at the start barrier."""

    def barrier_opened(self, start_us: int) -> None:
        """Handle that the start was announced, before the processes learn it."""

    def terminating(self, reason: str | None) -> None:
        """Handle that all processes get SIGTERM; the reason is None if a rank has failed."""


class SignalWakeups:
    """Signals as a descriptor that a selector can wait for; one instance in a process, in its main thread.

    Parameters
    ----------
    ending
        Signals that ask this process to end its attempt.

    Attributes
    ----------
    received
        Those that have arrived.
    """

    def __init__(self, *ending: signal.Signals) -> None:
        self.received: set[int] = set()
        self.reader, writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in ending:
            signal.signal(number, self._note)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only a signal with a handler wakes

    def clear(self) -> None:
        """Take note of all signals that have arrived."""
        with suppress(BlockingIOError):
            os.read(self.reader, 4096)

    def wait(self, seconds: float) -> None:
        """Return when a signal has arrived, such as the end of a child, or after some seconds."""
        if select.select([self.reader], [], [], seconds)[0]:
            self.clear()

    def _note(self, number: int, *_: object) -> None:
        self.received.add(number)


class TreeMemory:
    """Memory of processes and their descendants, which are looked up at every third call.

    That of the calling process counts without itself.
    """

    def __init__(self, processes: Sequence[int]) -> None:
        self._roots = list(processes)
        self._tree: list[int] = []
        self._calls = 0

    def pids(self) -> list[int]:
        """Return the processes, as of the last lookup."""
        return self._tree or self._roots

    def __call__(self) -> tuple[int, int]:
        """Return resident and private bytes."""
        if self._calls % _RESCAN_SAMPLES == 0:
            others = [root for root in self._roots if root != os.getpid()]
            self._tree = others + [child for root in self._roots for child in living_tree(root)]
        self._calls += 1
        return memory_of(self._tree)


class RankMonitor:
    """Watches started processes.

    Parameters
    ----------
    barrier
        Where the start is announced; None where ranks start when they are ready.
    memory
        Returns resident and private bytes of the processes.
    started
        When the processes were started, by ``clock``: their timeout begins then. None for now.

    Attributes
    ----------
    terminated_by
        Why the processes were ended: ``timeout``, ``walltime``, ``memory`` or what the observer
        returned; None if they ended by themselves. The first reason stands.
    failed_rank
        The process that failed first.
    barrier_seconds
        How long all processes waited at the barrier.
    peak_bytes
        Most resident memory of all processes together.
    """

    def __init__(
        self,
        processes: Sequence[ChildProcess],
        limits: RankLimits,
        observer: RankObserver,
        *,
        barrier: NodeBarrier | None = None,
        memory: Callable[[], tuple[int, int]],
        started: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.terminated_by: str | None = None
        self.failed_rank: ChildProcess | None = None
        self.barrier_seconds = 0.0
        self.peak_bytes = 0
        self._processes = processes
        self._limits = limits
        self._observer = observer
        self._barrier = barrier
        self._memory = memory
        self._clock = clock
        now = clock()
        self._next_sample = now + _SAMPLE_SECONDS  # a process that was just started holds nothing of its own
        self._deadline = (now if started is None else started) + limits.timeout_seconds
        self._block_end = now + limits.block_seconds
        self._at_barrier_since: float | None = None
        self._kill_at: float | None = None
        self._give_up_at = inf

    def run(self, wakeups: SignalWakeups) -> None:
        """Return when the last process has ended, or some time after SIGKILL, which may not end one."""
        with selectors.DefaultSelector() as selector:
            selector.register(wakeups.reader, selectors.EVENT_READ)
            watched = {process.reports: process for process in self._processes if process.reports is not None}
            for reports in watched:
                selector.register(reports, selectors.EVENT_READ)
            while (seconds := self.step()) is not None:
                for reports in [reports for reports, process in watched.items() if process.pipe_closed]:
                    selector.unregister(reports)
                    del watched[reports]
                for key, _ in selector.select(seconds):
                    if key.fd == wakeups.reader:
                        wakeups.clear()
        if self._barrier is not None:  # ended before the start
            self._barrier.close()

    def step(self) -> float | None:
        """Do all that is due; return the seconds until the next step, or None when `run` may return."""
        ended = [process for process in self._processes if process.poll()]
        self._observer.polled()
        now = self._clock()
        for process in ended:
            self._observer.rank_ended(process)
        self._note_failure(ended, now)
        running = [process for process in self._processes if not process.ended]
        if not running:
            self._refuse_late(now)
            return None
        if now >= self._give_up_at:
            return None
        if now >= self._next_sample:
            self._sample_memory()
            self._next_sample = now + _SAMPLE_SECONDS
        self._pass_barrier(now)
        self._end_when_due(running, now)
        wake = min(self._next_sample, self._block_end if self._kill_at is None else self._kill_at)
        if self._at_barrier_since is not None:
            wake = min(wake, now + _BARRIER_POLL_SECONDS)
        elif self._kill_at is None:
            wake = min(wake, self._deadline)
        return max(0.0, wake - now)

    def _note_failure(self, ended: Sequence[ChildProcess], now: float) -> None:
        if ended and self.failed_rank is None and (failed := first_failed(ended)) is not None:
            self.failed_rank = failed
            if (failed.exit_code or 0) < 0:  # a signal that ended it may have been meant for all of them
                self._decide(now, timeout=False)

    def _refuse_late(self, now: float) -> None:
        """Count the end as a timeout where this process stood still past it, and cannot say when it was."""
        late = now > self._deadline + min(self._limits.grace_seconds, _LATE_SECONDS)
        if late and self._at_barrier_since is None and not (self.terminated_by or self.failed_rank):
            self.terminated_by = "timeout"

    def _sample_memory(self) -> None:
        resident, private = self._memory()
        self.peak_bytes = max(self.peak_bytes, resident)
        limit = self._limits.memory_bytes
        if limit is not None and private > limit and self.terminated_by is None:
            self.terminated_by = "memory"

    def _pass_barrier(self, now: float) -> None:
        """Open the barrier once its start is announced; the time spent there extends the timeout."""
        if self._barrier is None or not all(process.at_barrier for process in self._processes):
            return
        if self._at_barrier_since is None:
            self._at_barrier_since = now
            self._observer.barrier_reached()
        start_us = self._barrier.announced_start()
        if start_us is None:
            return
        self._barrier.close()
        self._observer.barrier_opened(start_us)
        for process in self._processes:
            process.open_barrier(start_us)
        self.barrier_seconds = now - self._at_barrier_since
        self._deadline += self.barrier_seconds
        self._barrier = self._at_barrier_since = None

    def _end_when_due(self, running: Sequence[ChildProcess], now: float) -> None:
        """Send SIGTERM when the processes must end, and SIGKILL when their grace is over."""
        if self.failed_rank is None:
            self._decide(now)
        if (self.terminated_by or self.failed_rank) and self._kill_at is None:
            grace = self._limits.grace_seconds
            self._kill_at = now + (grace if self.terminated_by else min(grace, _FAILED_RANK_GRACE_SECONDS))
            self._observer.terminating(self.terminated_by)
            _signal(running, signal.SIGTERM)
        elif self._kill_at is not None and now >= self._kill_at:
            _signal(running, signal.SIGKILL)
            self._kill_at, self._give_up_at = inf, now + UNKILLABLE_SECONDS

    def _decide(self, now: float, *, timeout: bool = True) -> None:
        """Set why the attempt must end, if it must."""
        if self.terminated_by is not None:
            return
        if (reason := self._observer.termination_requested()) is not None:
            self.terminated_by = reason
        elif timeout and now >= self._deadline and self._at_barrier_since is None:
            self.terminated_by = "timeout"
        elif now >= self._block_end:
            self.terminated_by = "walltime"


def _signal(processes: Sequence[ChildProcess], number: signal.Signals) -> None:
    for process in processes:
        process.signal(number)
