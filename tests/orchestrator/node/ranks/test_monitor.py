"""When a monitor ends processes, why, and what it measures: fake processes, fake clock."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.host.processes import UNKILLABLE_SECONDS
from orchestrator.node.ranks.barrier import NodeBarrier
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.monitor import RankLimits, RankMonitor, RankObserver

TERM, KILL = signal.SIGTERM, signal.SIGKILL
MOST_STEPS = 2000


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeRank(ChildProcess):
    """A process that ends when a test or a signal says so."""

    def __init__(self, clock: Clock, number: int = 0, *, ignores: Collection[int] = ()) -> None:
        super().__init__(number, SimpleNamespace(pid=-1))  # type: ignore[arg-type]
        self.signals: list[tuple[float, int]] = []
        self.waits = False
        self.start_us: int | None = None
        self._clock = clock
        self._ignores = ignores
        self._next_exit: int | None = None

    @property
    def at_barrier(self) -> bool:
        return self.waits

    def open_barrier(self, start_us: int) -> None:
        self.start_us = start_us

    def exit(self, code: int) -> None:
        self._next_exit = code

    def wait_at_barrier(self) -> None:
        self.waits = True

    def poll(self) -> bool:
        if self.ended or self._next_exit is None:
            return False
        self.exit_code = self._next_exit
        return True

    def signal(self, number: signal.Signals) -> None:
        self.signals.append((self._clock.now, number))
        if number not in self._ignores:
            self.exit(-number)


class Recorder(RankObserver):
    """Notes what it is notified of, and asks for the end once `reason` is set."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.events: list[Any] = []

    def termination_requested(self) -> str | None:
        return self.reason

    def rank_ended(self, process: ChildProcess) -> None:
        self.events.append(("ended", process.number))

    def barrier_reached(self) -> None:
        self.events.append("barrier reached")

    def barrier_opened(self, start_us: int) -> None:
        self.events.append("barrier opened")

    def terminating(self, reason: str | None) -> None:
        self.events.append(("terminating", reason))


class Watch:
    """A monitor over fake ranks, and the steps it takes until all have ended."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.observer = Recorder()
        self.memory = (0, 0)
        self.monitor: RankMonitor

    def rank(self, number: int = 0, **options: Any) -> FakeRank:
        return FakeRank(self.clock, number, **options)

    def play(
        self,
        ranks: list[FakeRank],
        limits: RankLimits,
        events: dict[float, Callable[[], object]] | None = None,
        barrier: Path | None = None,
    ) -> RankMonitor:
        """Step to the end; `events` happen at their seconds. Fails if the monitor steps without waiting."""
        barrier = NodeBarrier(barrier, "campaign") if barrier is not None else None
        self.monitor = RankMonitor(
            ranks, limits, self.observer, barrier=barrier, memory=lambda: self.memory, clock=self.clock
        )
        due = sorted((events or {}).items())
        for _ in range(MOST_STEPS):
            while due and due[0][0] <= self.clock.now:
                due.pop(0)[1]()
            seconds = self.monitor.step()
            if seconds is None:
                return self.monitor
            wake = self.clock.now + seconds
            self.clock.now = min(wake, due[0][0]) if due else wake
        raise AssertionError(f"{MOST_STEPS} steps, and it is only {self.clock.now} s")


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_ranks_that_end_by_themselves_get_no_signal(watch: Watch) -> None:
    ranks = [watch.rank(0), watch.rank(1)]
    monitor = watch.play(
        ranks, RankLimits(5, timeout_seconds=10), {2.5: lambda: ranks[1].exit(0), 4: lambda: ranks[0].exit(0)}
    )
    assert (monitor.terminated_by, monitor.failed_rank) == (None, None)
    assert watch.observer.events == [("ended", 1), ("ended", 0)]
    assert [rank.signals for rank in ranks] == [[], []]


def test_timeout(watch: Watch) -> None:
    rank = watch.rank()
    monitor = watch.play([rank], RankLimits(5, timeout_seconds=10.5))
    assert monitor.terminated_by == "timeout"
    assert rank.signals == [(10.5, TERM)]
    assert watch.observer.events == [("terminating", "timeout"), ("ended", 0)]


@pytest.mark.parametrize(("noticed", "why"), [(62.0, None), (151.0, "timeout")])
def test_an_end_that_is_noticed_long_after_the_timeout_was_not_in_time(
    watch: Watch, noticed: float, why: str | None
) -> None:
    """As after SIGSTOP: the monitor steps once before the deadline, and next when its process goes on."""
    rank = watch.rank()
    monitor = RankMonitor(
        [rank], RankLimits(30.0, 60.0), watch.observer, memory=lambda: (0, 0), clock=watch.clock
    )
    monitor.step()
    rank.exit(0)
    watch.clock.now = noticed
    assert monitor.step() is None
    assert monitor.terminated_by == why


def test_a_timeout_begins_when_the_processes_were_started(watch: Watch) -> None:
    """The monitor is made after that: its process may stand still in between."""
    rank = watch.rank()
    watch.clock.now = 80.0
    limits, memory = RankLimits(30.0, 60.0), lambda: (0, 0)
    monitor = RankMonitor([rank], limits, watch.observer, memory=memory, started=5.0, clock=watch.clock)
    rank.exit(0)
    assert monitor.step() is None
    assert monitor.terminated_by == "timeout"


def test_a_rank_that_ignores_sigterm_is_killed_once_after_its_grace(watch: Watch) -> None:
    rank = watch.rank(ignores=[TERM, KILL])
    watch.play([rank], RankLimits(5, timeout_seconds=10), {30: lambda: rank.exit(-KILL)})
    assert rank.signals == [(10, TERM), (15, KILL)]


def test_a_rank_that_sigkill_does_not_end_is_given_up(watch: Watch) -> None:
    ranks = [watch.rank(ignores=[TERM, KILL]), watch.rank(1)]
    monitor = watch.play(ranks, RankLimits(5, timeout_seconds=10))
    assert (monitor.terminated_by, watch.clock.now) == ("timeout", 15 + UNKILLABLE_SECONDS)
    assert [rank.ended for rank in ranks] == [False, True]


def test_the_end_of_the_block(watch: Watch) -> None:
    rank = watch.rank()
    monitor = watch.play([rank], RankLimits(5, timeout_seconds=10, block_seconds=7))
    assert monitor.terminated_by == "walltime"
    assert rank.signals == [(7, TERM)]


def test_memory_above_the_limit(watch: Watch) -> None:
    rank = watch.rank()

    def grow() -> None:
        watch.memory = (900, 101)

    watch.memory = (500, 100)
    monitor = watch.play([rank], RankLimits(5, timeout_seconds=10, memory_bytes=100), {3.5: grow})
    assert monitor.terminated_by == "memory"
    assert rank.signals == [(4, TERM)]
    assert monitor.peak_bytes == 900


def test_without_a_limit_memory_is_only_measured(watch: Watch) -> None:
    rank = watch.rank()
    watch.memory = (900, 800)
    monitor = watch.play([rank], RankLimits(5, timeout_seconds=10), {3.5: lambda: rank.exit(0)})
    assert (monitor.terminated_by, monitor.peak_bytes) == (None, 900)


@pytest.mark.parametrize(("opens", "ends"), [(4.0, 13.0), (100.0, 109.0)])
def test_waiting_at_the_barrier_costs_no_timeout(
    watch: Watch, tmp_path: Path, opens: float, ends: float
) -> None:
    file = tmp_path / "barrier"
    file.touch()
    ranks = [watch.rank(0), watch.rank(1)]
    events = {
        0.5: ranks[0].wait_at_barrier,
        1.0: ranks[1].wait_at_barrier,  # from now on they wait
        opens: lambda: file.write_text("123456"),
    }
    monitor = watch.play(ranks, RankLimits(5, timeout_seconds=10), events, file)
    assert [rank.start_us for rank in ranks] == [123456, 123456]
    assert monitor.barrier_seconds == opens - 1.0
    assert monitor.terminated_by == "timeout"
    assert ranks[0].signals == [(ends, TERM)]
    assert watch.observer.events[:2] == ["barrier reached", "barrier opened"]


def test_a_rank_that_never_comes_to_the_barrier_is_timed_out(watch: Watch, tmp_path: Path) -> None:
    ranks = [watch.rank(0), watch.rank(1)]
    ranks[0].waits = True
    monitor = watch.play(ranks, RankLimits(5, timeout_seconds=10), barrier=tmp_path / "barrier")
    assert (monitor.terminated_by, ranks[1].signals) == ("timeout", [(10, TERM)])
    assert "barrier reached" not in watch.observer.events


def test_the_block_ends_for_ranks_at_the_barrier_too(watch: Watch, tmp_path: Path) -> None:
    rank = watch.rank()
    rank.waits = True
    limits = RankLimits(5, timeout_seconds=10, block_seconds=20)
    monitor = watch.play([rank], limits, barrier=tmp_path / "barrier")
    assert (monitor.terminated_by, rank.signals) == ("walltime", [(20, TERM)])


@pytest.mark.parametrize(("grace", "killed"), [(30.0, 5.0), (1.0, 3.0)])
def test_the_first_failed_rank_ends_the_others_soon(watch: Watch, grace: float, killed: float) -> None:
    ranks = [watch.rank(0, ignores=[TERM]), watch.rank(1)]
    monitor = watch.play(ranks, RankLimits(grace, timeout_seconds=100), {2: lambda: ranks[1].exit(7)})
    assert monitor.failed_rank is ranks[1]
    assert monitor.terminated_by is None
    assert ranks[0].signals == [(2, TERM), (killed, KILL)]
    assert ("terminating", None) in watch.observer.events


def test_of_ranks_that_end_together_the_killed_one_failed_first(watch: Watch) -> None:
    ranks = [watch.rank(0), watch.rank(1)]
    events = {2: lambda: (ranks[0].exit(1), ranks[1].exit(-KILL))}
    assert watch.play(ranks, RankLimits(5), events).failed_rank is ranks[1]


@pytest.mark.parametrize(("code", "reason"), [(-TERM, "terminated"), (1, None)])
def test_a_signal_that_ended_a_rank_may_have_been_meant_for_all(
    watch: Watch, code: int, reason: str | None
) -> None:
    ranks = [watch.rank(0, ignores=[TERM]), watch.rank(1)]

    def signal_all() -> None:
        watch.observer.reason = "terminated"
        ranks[1].exit(code)

    monitor = watch.play(ranks, RankLimits(30), {2: signal_all})
    assert monitor.terminated_by == reason
    assert ranks[0].signals == [(2, TERM), (32 if reason else 5, KILL)]


def test_the_first_reason_stands(watch: Watch) -> None:
    rank = watch.rank(ignores=[TERM])

    def later() -> None:
        watch.observer.reason = "cancelled"
        watch.memory = (200, 200)

    limits = RankLimits(5, timeout_seconds=10, block_seconds=12, memory_bytes=100)
    assert watch.play([rank], limits, {11: later}).terminated_by == "timeout"


def test_a_request_of_the_observer_is_taken_at_the_next_step(watch: Watch) -> None:
    rank = watch.rank()

    def cancel() -> None:
        watch.observer.reason = "cancelled"

    monitor = watch.play([rank], RankLimits(5, timeout_seconds=10), {2.25: cancel})
    assert (monitor.terminated_by, rank.signals) == ("cancelled", [(2.25, TERM)])


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    yield reader, writer
    for descriptor in (reader, writer):
        os.close(descriptor)


def test_a_wake_up_ends_the_wait_and_a_closed_pipe_is_no_longer_watched(
    watch: Watch, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rank = watch.rank()
    rank.reports, report_writer = os.pipe()
    os.close(report_writer)  # readable for ever
    steps = []

    def polled() -> None:
        steps.append(1)
        rank.exit(0)
        os.write(pipe[1], b"\0")

    wakeups: Any = SimpleNamespace(reader=pipe[0], clear=lambda: os.read(pipe[0], 4096))
    monkeypatch.setattr(watch.observer, "polled", polled)
    monitor = RankMonitor([rank], RankLimits(5), watch.observer, memory=lambda: (0, 0), clock=watch.clock)
    rank.pipe_closed = True
    monitor.run(wakeups)
    assert rank.ended
    assert len(steps) == 2
    rank.close()
