"""The batch queue: nodes are held once, the first waiting job is not delayed, holes are true."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.states import RunOutcome
from orchestrator.schedulers.model import FreeNodes, Hole, JobState, SchedulerError
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.orchestrator.simulation.batch_queue import BackgroundJob, BatchQueue, QueuedJob
from tests.orchestrator.simulation.fair_share import Priority, fair_share
from tests.orchestrator.simulation.simulated import WALLTIME, SimulatedCampaign, made_plan

NODES = 8


class Task(NamedTuple):
    """A job, how long it runs if nobody ends it earlier, and when somebody does."""

    submit: float
    nodes: int
    run: float
    walltime: float
    user: str = "a"
    cancels: tuple[int, ...] = ()


def tasks(*, full: bool = False, cancels: int = 0) -> st.SearchStrategy[list[Task]]:
    """Draw tasks; with `full`, all run for their walltimes."""
    one = st.builds(
        Task,
        st.integers(0, 40),
        st.integers(1, NODES),
        st.just(99) if full else st.integers(0, 30),
        st.integers(1, 30),
        st.sampled_from("abc"),
        st.lists(st.integers(0, 80), max_size=cancels).map(tuple),
    )
    return st.lists(one, max_size=15)


PASS_SECONDS = st.sampled_from((0, 3, 10))
PRIORITY = st.sampled_from((None, fair_share))


class Owners:
    """Submit tasks to a queue and end them."""

    def __init__(
        self, tasks: Iterable[Task], *, pass_seconds: float = 0.0, priority: Priority | None = None
    ) -> None:
        self.clock = VirtualClock()
        self.queue = BatchQueue(
            self.clock, NODES, pass_seconds=pass_seconds, priority=priority, half_life=50.0
        )
        self.jobs: list[tuple[Task, QueuedJob]] = []
        self.started: list[QueuedJob] = []
        for task in tasks:
            self.clock.at(task.submit, partial(self.submit, task))

    def submit(self, task: Task) -> QueuedJob:
        job = self.queue.submit(task.nodes, task.walltime, lambda: self._started(task, job), user=task.user)
        self.jobs.append((task, job))
        for at in task.cancels:
            self.clock.at(at, partial(self.queue.end, job))
        return job

    def _started(self, task: Task, job: QueuedJob) -> None:
        self.started.append(job)
        self.clock.after(min(task.run, task.walltime), partial(self.queue.end, job))

    def running(self) -> list[QueuedJob]:
        return [job for _, job in self.jobs if job.started is not None and job.ended is None]

    def finish(self) -> None:
        self.clock.pass_time(1_000)
        assert self.queue.waiting == self.running() == []


@given(tasks(cancels=2), PASS_SECONDS, PRIORITY)
def test_every_node_is_held_by_one_job_and_freed_once(
    tasks: list[Task], pass_seconds: int, priority: Priority | None
) -> None:
    world = Owners(tasks, pass_seconds=pass_seconds, priority=priority)
    for _ in range(90):
        assert world.queue.free == NODES - sum(job.nodes for job in world.running()) >= 0
        world.clock.pass_time(1)
    world.finish()
    assert world.queue.free == NODES
    held = sum(
        job.nodes * ((job.ended or 0) - job.started) for job in world.started if job.started is not None
    )
    assert world.queue.busy_node_seconds() == pytest.approx(held)


@given(tasks(cancels=2), PASS_SECONDS, PRIORITY)
def test_jobs_start_once_and_never_after_they_were_cancelled(
    tasks: list[Task], pass_seconds: int, priority: Priority | None
) -> None:
    world = Owners(tasks, pass_seconds=pass_seconds, priority=priority)
    world.finish()
    for task, job in world.jobs:
        began = world.started.count(job)
        assert began <= 1
        assert began == 0 if job.started is None else began == 1 or job.ended == job.started
        if job.ended in task.cancels and job.started is None:
            assert began == 0
        if not task.cancels:
            assert began == 1


@given(tasks(cancels=1), PASS_SECONDS)
def test_backfill_never_delays_the_first_waiting_job(tasks: list[Task], pass_seconds: int) -> None:
    world = Owners(tasks, pass_seconds=pass_seconds)
    promised: dict[int, float] = {}
    first: dict[int, QueuedJob] = {}
    for now in range(1_000):
        if world.queue.waiting and world.queue.waiting[0].number not in promised:
            job = world.queue.waiting[0]
            first[job.number], promised[job.number] = job, reserved(world, job.nodes, now)
        world.clock.pass_time(1)
    for number, job in first.items():
        assert job.started is None or job.started <= promised[number]


def reserved(world: Owners, nodes: int, now: float) -> float:
    """Return when so many nodes are free at the latest."""
    ends = sorted(((job.started or 0) + job.walltime, job.nodes) for job in world.running())
    return next(at for at in [now, *(end for end, _ in ends)]
                if NODES - sum(held for end, held in ends if end > at) >= nodes)  # fmt: skip


@given(tasks(full=True), PASS_SECONDS, st.integers(0, 90), st.sampled_from((1.0, 1.1)))
def test_a_job_in_a_hole_starts_at_the_next_pass(
    tasks: list[Task], pass_seconds: int, at: int, unit: float
) -> None:
    early = [
        task._replace(submit=task.submit * unit, walltime=task.walltime * unit)
        for task in tasks
        if task.submit * unit <= at
    ]

    def world_at() -> Owners:
        world = Owners(early, pass_seconds=pass_seconds)
        world.clock.pass_time(at)
        return world

    wait = -at % pass_seconds if pass_seconds else 0
    found = world_at()
    if any(at < (job.started or 0) + job.walltime <= at + wait for job in found.running()):
        return
    for hole in found.queue.holes():
        assert hole.nodes <= found.queue.free
        world = world_at()
        before = [job.number for job in world.queue.waiting[:1]]
        job = world.queue.submit(hole.nodes, hole.seconds or 1e6, lambda: None)
        world.clock.pass_time(wait)
        assert job.started is not None, hole
        assert [job.number for job in world.queue.waiting[:1]] == before


@given(tasks(), PASS_SECONDS, PRIORITY)
def test_background_jobs_run_for_their_time_and_no_longer_than_their_walltime(
    tasks: list[Task], pass_seconds: int, priority: Priority | None
) -> None:
    background = sorted(BackgroundJob(*task[:5]) for task in tasks)
    clock = VirtualClock()
    queue = BatchQueue(clock, NODES, background, pass_seconds=pass_seconds, priority=priority)
    for _ in range(90):
        assert 0 <= queue.free <= NODES
        clock.pass_time(1)
    clock.pass_time(1_000)
    assert (queue.free, queue.waiting) == (NODES, [])
    held = sum(job.nodes * min(job.run_seconds, job.walltime_seconds) for job in background)
    assert queue.busy_node_seconds() == pytest.approx(held)


def test_a_short_job_goes_before_a_large_one_at_the_next_pass() -> None:
    world = Owners([Task(1, 6, 100, 100), Task(2, 8, 10, 10)], pass_seconds=30.0)
    assert world.queue.holes() == (Hole(NODES),)
    world.clock.pass_time(5)
    # The large job has its nodes at 101 s, and the pass at 30 s starts what ends before.
    assert world.queue.holes() == (Hole(2, 71.0),)
    long, short = world.submit(Task(5, 2, 72, 72)), world.submit(Task(5, 2, 71, 71))
    assert world.queue.holes() == ()
    world.clock.pass_time(25)
    assert (long.started, short.started) == (None, 30.0)
    world.clock.pass_time(100)
    assert [job.started for _, job in world.jobs] == [1.0, 101.0, 111.0, 30.0]


def test_nodes_beside_the_reservation_are_free_for_ever() -> None:
    world = Owners([Task(1, 4, 100, 100), Task(2, 6, 10, 10)], pass_seconds=30.0)
    world.clock.pass_time(5)
    assert world.queue.holes() == (Hole(2), Hole(4, 71.0))
    jobs = [world.submit(Task(5, 2, 500, 500)) for _ in range(2)]
    world.clock.pass_time(90)
    assert [job.started for job in jobs] == [30.0, None]


def test_nodes_of_jobs_that_end_together_are_counted_together() -> None:
    world = Owners([Task(1, 3, 100, 100), Task(1, 3, 100, 100), Task(2, 4, 10, 10)], pass_seconds=30.0)
    world.clock.pass_time(5)
    assert world.queue.holes() == (Hole(2),)


def test_waits_behind_others_are_planned_by_walltimes() -> None:
    world = Owners([Task(1, 6, 100, 100), Task(2, 8, 10, 10)], pass_seconds=30.0)
    world.clock.pass_time(5)
    assert world.queue.waits_behind() == {}
    wide, narrow = (world.queue.submit(nodes, seconds, lambda: None) for nodes, seconds in ((3, 50), (2, 96)))
    # The large job has its nodes from 101 s to 111 s; two nodes are free until then.
    assert world.queue.waits_behind() == {wide: 106.0, narrow: 0.0}
    world.clock.pass_time(96)
    assert world.queue.waits_behind() == {narrow: 10.0}  # the wide job is the next


def test_a_job_that_is_ended_at_the_instant_of_its_start_is_not_called() -> None:
    world = Owners([])
    job = world.submit(Task(0, 8, 10, 10))
    assert world.queue.free == 0
    world.queue.end(job)
    world.finish()
    assert (world.started, world.queue.free) == ([], NODES)


def test_a_user_who_used_little_goes_first_with_fair_share() -> None:
    queued = [Task(0, 8, 20, 20, "a"), Task(5, 8, 10, 10, "a"), Task(10, 8, 10, 10, "b")]
    for priority, starts in ((None, [0.0, 20.0, 30.0]), (fair_share, [0.0, 30.0, 20.0])):
        world = Owners(queued, priority=priority)
        world.finish()
        assert [job.started for _, job in world.jobs] == starts


def test_a_job_that_never_fits_is_refused() -> None:
    queue = BatchQueue(VirtualClock(), NODES)
    with pytest.raises(SchedulerError, match="asks for 9 nodes of a simulated queue that has 8"):
        queue.submit(9, 60.0, lambda: None)


# -- blocks of a machine ---------------------------------------------------------------------


def queued_campaign(
    folder: Path, *background: BackgroundJob, nodes: int = 4
) -> tuple[SimulatedCampaign, BatchQueue]:
    plan = made_plan(
        {"instances": 24, "expected_runtime": "20 min"}, batch={"nodes_per_block": 2, "max_blocks": 3}
    )
    world = SimulatedCampaign(folder, plan, FaultModel(seed=1))
    queue = world.machine.queue = BatchQueue(world.machine.clock, nodes, background)
    return world, queue


def check_freed(world: SimulatedCampaign, queue: BatchQueue, background: float = 0.0) -> None:
    """Assert that the nodes are free, and were held for as long as blocks ran."""
    world.check()
    assert queue.free == queue.nodes
    assert queue.waiting == []
    held = sum(stage.node_seconds for stage in world.machine.stages)
    assert queue.busy_node_seconds() == pytest.approx(held + background)


def test_blocks_wait_until_background_jobs_end(tmp_path: Path) -> None:
    world, queue = queued_campaign(tmp_path, BackgroundJob(0.0, 4, 1800.0, 7200.0))
    assert world.machine.free_nodes() == FreeNodes.counted(4)
    assert world.run() is RunOutcome.COMPLETE
    check_freed(world, queue, 4 * 1800.0)
    assert min(block.window[0] for block in world.machine.blocks if block.window) == 1800.0


def test_blocks_of_a_dead_driver_hold_their_nodes_until_the_next_ends_them(tmp_path: Path) -> None:
    world, queue = queued_campaign(tmp_path)
    world.book.crash_at = {25: True}
    assert world.run() is RunOutcome.ABORTED
    assert queue.free < queue.nodes
    assert world.run() is RunOutcome.COMPLETE
    check_freed(world, queue)


class Listener:
    """Hear of pools and do nothing."""

    def joined(self, block: object, pool: object) -> None: ...

    def left(self, pool: object) -> None: ...

    def detach(self) -> None: ...


def test_a_block_that_reaches_its_walltime_frees_its_nodes_once(tmp_path: Path) -> None:
    world, queue = queued_campaign(tmp_path)
    machine = world.machine
    statistics = machine.begin_stage("one", Listener())
    block = machine.request(2, 2, 1, Listener(), statistics, 100.0)
    machine.clock.pass_time(99.0)
    assert (block.state, queue.free) == (JobState.RUNNING, 2)
    machine.clock.pass_time(1.0)
    machine.end_blocks(machine.blocks, "orphaned")
    assert (block.state, queue.free, queue.busy_node_seconds()) == (JobState.TIMEOUT, 4, 200.0)


def test_a_held_block_is_no_candidate_before_its_release(tmp_path: Path) -> None:
    world, queue = queued_campaign(tmp_path)
    machine = world.machine
    machine.held_blocks = 1
    statistics = machine.begin_stage("one", Listener())
    block = machine.request(2, 2, 1, Listener(), statistics, WALLTIME)
    machine.clock.pass_time(600.0)
    assert (block.state, block.job, queue.free) == (JobState.HELD, None, 4)
    block.state = JobState.QUEUED
    machine.clock.pass_time(60.0)
    assert (block.state, queue.free) == (JobState.RUNNING, 2)


def test_without_a_queue_no_hole_is_known(tmp_path: Path) -> None:
    world, _ = queued_campaign(tmp_path)
    world.machine.queue = None
    assert world.machine.free_nodes() is None
