"""A simulated batch queue that many users share: priorities, one reservation, backfill."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from orchestrator.schedulers.model import Hole, SchedulerError
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.orchestrator.simulation.fair_share import Priority, RecentUse
from tests.orchestrator.simulation.planned_starts import planned_starts

OWN_USER = "own"
"""User of the jobs that are submitted by `BatchQueue.submit`."""
_PASS_SECONDS = 30.0  # bf_interval of Slurm by default
_AGING_SECONDS = 300.0  # PriorityCalcPeriod of Slurm by default
_PLANNED_JOBS = 500  # bf_max_job_test of Slurm by default
_HALF_LIFE_SECONDS = 7 * 86_400.0  # PriorityDecayHalfLife of Slurm by default


class BackgroundJob(NamedTuple):
    """A job of somebody else; it runs for `run_seconds`, and at most for its walltime."""

    submit_seconds: float
    nodes: int
    run_seconds: float
    walltime_seconds: float
    user: str = "other"


@dataclass(slots=True, eq=False)
class QueuedJob:
    """A job of the queue; times are in virtual seconds.

    Parameters
    ----------
    start
        Called once the job has its nodes; None for a background job, which ends after `run_seconds`.
    priority
        The highest goes first, among equals the lowest number.
    """

    number: int
    nodes: int
    walltime: float
    user: str
    submitted: float
    start: Callable[[], None] | None
    run_seconds: float = math.inf
    priority: float = 0.0
    started: float | None = None
    ended: float | None = None

    def order(self) -> tuple[float, int]:
        """Return the sort key of the queue."""
        return -self.priority, self.number


class BatchQueue:
    """Nodes of a machine or partition, and the jobs that hold them or wait for them.

    The first waiting job starts as soon as enough nodes are free, and until then has a reservation: the
    earliest time at which its nodes are free if running jobs last for their walltimes. At regular passes
    other waiting jobs start on free nodes if this does not delay the reservation (EASY backfill).

    Parameters
    ----------
    background
        Jobs of other users in the order of their submission.
    pass_seconds
        Time between passes of the backfill; 0 for a pass after each change.
    priority
        Order of the waiting jobs, such as `fair_share`; None for the order of submission.
    half_life
        Seconds in which half of a user's use is forgotten.
    held
        Mean nodes that users held before the queue began; by default nobody has used the machine.
    """

    def __init__(
        self,
        clock: VirtualClock,
        nodes: int,
        background: Iterable[BackgroundJob] = (),
        *,
        pass_seconds: float = _PASS_SECONDS,
        priority: Priority | None = None,
        half_life: float = _HALF_LIFE_SECONDS,
        held: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.nodes = nodes
        self.free = nodes
        self.waiting: list[QueuedJob] = []
        self._clock = clock
        self._background = iter(background)
        self._pass_seconds = pass_seconds
        self._priority = priority
        self._use = RecentUse(half_life, held)
        self._jobs = 0
        self._ends: list[tuple[float, int, int]] = []  # latest end, number and nodes of running jobs, sorted
        self._pass_at = math.inf
        self._busy_node_seconds = 0.0
        self._busy_at = clock.seconds()
        self._await_background()

    def submit(
        self, nodes: int, walltime: float, start: Callable[[], None], user: str = OWN_USER
    ) -> QueuedJob:
        """Queue a job that its owner ends by `end`, running or not, at its walltime at the latest.

        Parameters
        ----------
        start
            Called as an event of the clock once the job has its nodes.

        Raises
        ------
        SchedulerError
            If there are fewer nodes.
        """
        return self._add(QueuedJob(self._jobs, nodes, walltime, user, self._clock.seconds(), start))

    def end(self, job: QueuedJob) -> None:
        """End a job that runs or waits; nothing happens if it has ended."""
        if job.ended is not None:
            return
        job.ended = self._clock.seconds()
        if job.started is None:
            self.waiting.remove(job)
        else:
            end = (job.started + job.walltime, job.number, job.nodes)
            del self._ends[bisect_left(self._ends, end)]
            self._take(job.user, -job.nodes)
        self._changed()

    def holes(self) -> tuple[Hole, ...]:
        """Return the free nodes on which a job that is submitted now starts, if nothing else happens.

        A job without an end finds fewer of them than a job that ends before the first waiting job needs
        them. Nodes that go to other waiting jobs at the next pass are not free. Whole seconds are counted
        from that pass, at which the job starts.
        """
        if not self.waiting:
            return (Hole(self.free),) if self.free else ()
        at = self._next_pass()
        jobs, extra, reserved = self._backfill(at)
        free = self.free - sum(job.nodes for job in jobs)
        extra = min(extra, free)
        holes = [Hole(extra)] if extra else []
        seconds = float(math.floor(reserved - at))
        if free > extra and seconds > 0.0:
            holes.append(Hole(free, seconds))
        return tuple(holes)

    def waits_behind(self, user: str = OWN_USER) -> dict[QueuedJob, float]:
        """Return in how many seconds a user's jobs are expected to start which wait behind another job."""
        waiting = self.waiting[:_PLANNED_JOBS]
        if not any(job.user == user for job in waiting[1:]):
            return {}
        now = self._clock.seconds()
        ends = ((end, nodes) for end, _, nodes in self._ends)
        starts = planned_starts(self.free, ends, ((job.nodes, job.walltime) for job in waiting), now)
        planned = islice(zip(waiting, starts, strict=True), 1, None)
        return {job: start - now for job, start in planned if job.user == user}

    def busy_node_seconds(self) -> float:
        """Return the node-seconds that jobs have held so far."""
        passed = self._clock.seconds() - self._busy_at
        return self._busy_node_seconds + (self.nodes - self.free) * passed

    def _await_background(self) -> None:
        job = next(self._background, None)
        if job is not None:
            self._clock.at(job.submit_seconds, partial(self._submit_background, job), wakes=False)

    def _submit_background(self, job: BackgroundJob) -> None:
        self._await_background()
        _, nodes, run, walltime, user = job
        self._add(QueuedJob(self._jobs, nodes, walltime, user, self._clock.seconds(), None, run))

    def _add(self, job: QueuedJob) -> QueuedJob:
        if not 0 < job.nodes <= self.nodes:
            raise SchedulerError(
                f"a job of user {job.user} asks for {job.nodes} nodes of a simulated queue that has "
                f"{self.nodes}: ask for 1 to {self.nodes}"
            )
        self._jobs += 1
        self.waiting.append(job)
        self._changed()
        return job

    def _take(self, user: str, nodes: int) -> None:
        """Count nodes that are held from now on, or fewer than zero that are not."""
        now = self._clock.seconds()
        self._busy_node_seconds, self._busy_at = self.busy_node_seconds(), now
        self.free -= nodes
        if self._priority is not None:
            self._use.change(user, nodes, now)

    # -- scheduling --------------------------------------------------------------------------

    def _changed(self) -> None:
        self._start_in_order()
        if self.waiting and self.free:
            self._request_pass(self._next_pass())

    def _start_in_order(self) -> None:
        """Start waiting jobs up to the first that lacks nodes."""
        if not self.free:
            return
        if self._priority is not None:
            now = self._clock.seconds()
            use = {user: self._use.relative(user, now) for user in {job.user for job in self.waiting}}
            for job in self.waiting:
                job.priority = self._priority(now - job.submitted, use[job.user])
            self.waiting.sort(key=QueuedJob.order)
        while self.waiting and self.waiting[0].nodes <= self.free:
            self._start(self.waiting[0])

    def _start(self, job: QueuedJob) -> None:
        self.waiting.remove(job)
        job.started = self._clock.seconds()
        insort(self._ends, (job.started + job.walltime, job.number, job.nodes))
        self._take(job.user, job.nodes)
        if job.start is None:
            self._clock.after(min(job.run_seconds, job.walltime), partial(self.end, job), wakes=False)
        else:
            self._clock.after(0.0, partial(self._call, job, job.start))

    @staticmethod
    def _call(job: QueuedJob, start: Callable[[], None]) -> None:
        """Call the owner of a job that started; an event of the same instant may have ended it before."""
        if job.ended is None:
            start()

    def _next_pass(self) -> float:
        """Return when the next pass is, which may be now: at a multiple of the period."""
        now = self._clock.seconds()
        if not self._pass_seconds:
            return now
        return max(now, math.ceil(now / self._pass_seconds) * self._pass_seconds)

    def _request_pass(self, at: float) -> None:
        if at < self._pass_at:
            self._pass_at = at
            self._clock.at(at, partial(self._pass, at), wakes=False)

    def _pass(self, at: float) -> None:
        """Start other waiting jobs than the first; without a change, another pass would find none.

        Priorities change with time alone, so that with these a later pass may find others.
        """
        if at != self._pass_at:  # an earlier pass was requested after this one
            return
        self._pass_at = math.inf
        self._start_in_order()
        if not (self.waiting and self.free):
            return
        for job in self._backfill(at)[0]:
            self._start(job)
        if self._priority is not None and self.waiting and self.free:
            self._request_pass(at + _AGING_SECONDS)

    def _reservation(self) -> tuple[float, int]:
        """Return when the first waiting job has its nodes at the latest, and how many are free beside it."""
        at, free = self._clock.seconds(), self.free
        needed = self.waiting[0].nodes
        for end, _, nodes in self._ends:
            if free >= needed and end > at:
                break
            at, free = max(at, end), free + nodes
        return at, free - needed

    def _backfill(self, at: float) -> tuple[list[QueuedJob], int, float]:
        """Return the jobs that a pass would start, and then the nodes beside the reservation and its time."""
        reserved, extra = self._reservation()
        free = self.free
        jobs = []
        for job in islice(self.waiting, 1, None):
            if job.nodes <= free:
                if at + job.walltime > reserved:
                    if job.nodes > extra:
                        continue
                    extra -= job.nodes
                free -= job.nodes
                jobs.append(job)
                if not free:
                    break
        return jobs, extra, reserved
