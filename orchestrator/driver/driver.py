"""The driver's loop: hands instances to the engine, takes their reports, decides what is next."""

from __future__ import annotations

import logging
import queue
from collections.abc import Collection
from concurrent.futures import Future
from pathlib import Path

from db.errors import LeaseError
from db.events import EventKind
from db.records import Pending
from orchestrator.driver.attempt_records import lost
from orchestrator.driver.event_log import EventLog
from orchestrator.driver.journal_heads import PERIOD_SECONDS, JournalHeads
from orchestrator.driver.journal_reader import JournalReader
from orchestrator.driver.node_descriptions import NodeDescriptions
from orchestrator.driver.node_health import NodeHealth
from orchestrator.driver.observer import DriverObserver
from orchestrator.driver.outcomes import RunOutcome
from orchestrator.driver.pending_queue import PendingQueue
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.requested_changes import RequestedChanges
from orchestrator.driver.retry_policy import SessionOutcomes, max_in_flight
from orchestrator.driver.runtime_estimates import RuntimeEstimates
from orchestrator.driver.settlement import Settlement
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.short_blocks import ShortBlocks
from orchestrator.driver.shutdown import LEDGER_SOURCE, Shutdown
from orchestrator.driver.stalled_pools import PoolActivity, StalledPoolDetector
from orchestrator.driver.start_barrier import StartBarrier
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.driver.submission import Submission
from orchestrator.engines.base import Engine
from orchestrator.errors import AllocationEndedError, EngineError
from orchestrator.planning.plan import Stage
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory

_log = logging.getLogger(__name__)
_TICK_SECONDS = 0.2
_BLOCKS_SECONDS = 1.0  # between two looks at blocks
_OVERDUE_SECONDS = 60.0  # between two looks for overdue attempts
_ENGINE_RESTARTS = 3


class Driver:
    """Runs the pending instances of a campaign to their end."""

    def __init__(self, setup: DriverSetup) -> None:
        plan, clock = setup.plan, setup.clock
        directory = RunDirectory(Path(setup.row.run_directory))
        self._setup = setup
        self._plan = plan
        self._clock = clock
        self._writer = setup.writer
        self._stops = setup.stops
        self.events = events = EventLog(setup.writer, clock.now_us)
        totals = setup.totals
        self.snapshot = Snapshot(totals.total, done=totals.done, exhausted=totals.exhausted)
        self._paused = set(setup.paused)
        self._journals = JournalReader(directory.session_journals(setup.session), clock)
        self._heads = JournalHeads(self._journals, setup.session, setup.writer, clock)
        expected = {one.name: one.expected_seconds for one in plan.benchmarks}
        estimates = RuntimeEstimates(expected, setup.longest_seconds)
        self._short_blocks = ShortBlocks(estimates, clock, events)
        self._observers: list[DriverObserver] = [
            estimates,
            NodeHealth(events, excludes=not plan.site.local),
            StalledPoolDetector(plan.site.heartbeat.stall_timeout, clock, self._pool_activity, events),
            self._short_blocks,
            NodeDescriptions(directory, setup.session, setup.writer),
            *setup.observers,
        ]
        self._barrier = None
        if plan.campaign.start == "synchronized":
            timeout = plan.campaign.start_timeout
            self._barrier = StartBarrier(directory, setup.session, timeout, clock, events)
            self._observers.append(self._barrier)
        outcomes = SessionOutcomes(plan.campaign.retries, plan.campaign.abort_after_failures)
        self._settlement = Settlement(setup, events, outcomes, self._observers, self.snapshot)
        self._in_flight = self._settlement.in_flight
        self._done: queue.SimpleQueue[tuple[str, Future[AttemptReport], int]] = queue.SimpleQueue()
        self._submission = Submission(setup, self._in_flight, estimates, self._barrier, self._note_done)
        self._shutdown = Shutdown(setup, events, outcomes, self.snapshot, self._settlement, self._journals)
        self._tasks = [
            PeriodicTask(_OVERDUE_SECONDS, self._settlement.declare_overdue_lost),
            PeriodicTask(PERIOD_SECONDS, self._heads.record),
            *setup.tasks,
        ]
        self._requests: RequestedChanges | None = None
        self._blocks_asked = self._blocks_started = 0
        self._next_blocks = 0.0
        self._restarts = self._succeeded_at_restart = 0

    def run(self, pending: list[Pending]) -> RunOutcome:
        """Run `pending` and return how it ended."""
        try:
            outcome = self._run(pending)
            self._heads.record_last()
            self._writer.flush()
            return outcome if self._writer.finish() else RunOutcome.LEDGER_FAILED
        except LeaseError as error:
            _log.error("%s", error)
            return RunOutcome.TAKEN_OVER

    def _run(self, pending: list[Pending]) -> RunOutcome:
        try:
            stages = self._plan.stages
            queues = [
                PendingQueue([one.name for one in stage.benchmarks], pending, self._paused)
                for stage in stages
            ]
            self._requests = RequestedChanges(
                self._writer, self.snapshot, queues, self._paused, self._settlement.cancelled
            )
            # A user's request may bring work back to a stage that had ended.
            while (number := next((n for n, queue in enumerate(queues) if queue), None)) is not None:
                waiting = queues[number]
                self._submission.queue = self._settlement.queue = self._short_blocks.queue = waiting
                while self._submission:
                    if self._stops.level is not StopLevel.NONE:
                        return RunOutcome.DRAINED
                    ended = self._run_stage(stages[number])
                    if ended is not None:
                        return ended
        finally:
            self._shutdown.stop_starting(False)
        if any(queue.held_back for queue in queues):
            return RunOutcome.DRAINED  # of paused benchmarks, for which no node waits
        if self.snapshot.done + self.snapshot.exhausted < self.snapshot.total:
            return RunOutcome.ABORTED  # never called complete, whatever the reason
        return RunOutcome.EXHAUSTED if self.snapshot.exhausted else RunOutcome.COMPLETE

    def _run_stage(self, stage: Stage) -> RunOutcome | None:
        """Run one stage; None means go on (also after the engine was replaced)."""
        engine = self._setup.make_engine(stage, self._blocks_asked)
        self._blocks_started = 0
        self._next_blocks = 0.0
        try:
            engine.start()
            ended = self._loop(stage, engine)
        except EngineError as error:
            return self._restart(engine, error)
        else:
            self._shutdown.hold_lease()
            return ended
        finally:
            engine.stop()
            blocks = engine.blocks()
            self._blocks_asked += len(blocks)
            self._writer.retry_now()
            self._writer.blocks(blocks)
            self._writer.flush()

    def _restart(self, engine: Engine, error: EngineError) -> RunOutcome | None:
        """End a failed engine; None if another one may be tried."""
        if self._settlement.succeeded > self._succeeded_at_restart:
            self._restarts = 0  # only restarts without progress are counted
        self._succeeded_at_restart = self._settlement.succeeded
        self._restarts += 1
        again = error.transient and self._restarts <= _ENGINE_RESTARTS
        message = str(error)
        self.events.record(
            EventKind.ENGINE_RESTARTED if again else EventKind.ENGINE_FAILED,
            f"{message}; {'restarting' if again else 'giving up'}",
            level=logging.WARNING if again else logging.ERROR,
        )
        self._shutdown.close_down(
            engine, lambda token: lost(token, self._clock.now_us(), "engine failed", message)
        )
        return None if again else RunOutcome.ENGINE_FAILED

    def _loop(self, stage: Stage, engine: Engine) -> RunOutcome | None:
        while True:
            self._stops.request(self._writer.renew_lease(), LEDGER_SOURCE)
            self._take_reports()
            if self._requests is not None and not self._submission.chosen:
                self._requests.take()
            for task in self._tasks:
                task.run_if_due(self._clock.seconds())
            self._writer.flush()
            if (ended := self._shutdown.check(engine, stage.width)) is not None:
                return ended
            if not (self._in_flight or self._submission or self._writer.waiting):
                return None
            engine.check()
            if self._clock.seconds() >= self._next_blocks:
                self._manage_blocks(stage, engine)
                self._next_blocks = self._clock.seconds() + _BLOCKS_SECONDS
            for observer in self._observers:
                observer.tick(engine)
            limit = self._limit(stage)
            if self._stops.level is StopLevel.NONE and self._submission.barrier_accepts():
                self._submission.fill(stage, engine, limit)
            self._open_barrier(stage, limit)
            self.snapshot.queued = len(self._in_flight) - self.snapshot.running
            self._setup.display.update(self.snapshot)

    def _limit(self, stage: Stage) -> int:
        """Return how many attempts may be in flight."""
        if self._barrier is not None:
            return self._barrier.width or stage.width
        return max_in_flight(stage.width)

    def _open_barrier(self, stage: Stage, limit: int) -> None:
        if self._barrier is None:
            return
        draining = self._shutdown.draining
        more = self._submission.chosen or self._submission.startable(stage)
        complete = draining or len(self._in_flight) >= limit or not more
        coming: Collection[str] = self._in_flight
        if draining:  # those that have not started never will
            coming = [token for token, one in self._in_flight.items() if one.running]
        self._barrier.try_open(coming, complete=complete)

    def _manage_blocks(self, stage: Stage, engine: Engine) -> None:
        """Hold the blocks that are needed, and report what became of them."""
        blocks = engine.blocks()
        self._writer.blocks(blocks)
        for message in engine.messages():
            self.events.record(message.kind, message.text, subject=message.subject)
        started = sum(block.started_us is not None for block in blocks)
        if started > self._blocks_started:  # with all of its walltime ahead
            self._submission.queue.resume_all()
            if self._barrier is not None:
                self._barrier.width = None
        self._blocks_started = started
        going_on = self._stops.level is StopLevel.NONE
        try:
            engine.scale(self._submission.most_beside(stage) if going_on else len(self._in_flight))
        except AllocationEndedError as error:
            self._stops.request(StopLevel.DRAIN, str(error))

    def _take_reports(self) -> None:
        """Wait a moment for futures, then apply them and what the journals have."""
        done = self._clock.take(self._done, _TICK_SECONDS)
        # At once where a worker was lost: its report may stand in its journal.
        written = list(self._journals.read(now=any(future.exception() for _, future, _ in done)))
        # Applying thousands of reports takes seconds; they bound the nodes' clocks by when they arrived.
        read_us = self._clock.now_us()
        arrived = {token: at_us for token, _, at_us in done}
        for report in written:
            self._settlement.apply(report, arrived.get(report.token, read_us))
        for token, future, arrived_us in done:
            error = future.exception()
            if error is None:
                self._settlement.apply(future.result(), arrived_us)
            elif token in self._in_flight:
                reason = type(error).__name__
                node = self._in_flight[token].node
                where = f" (it ran on node {node})" if node else ""
                self._settlement.declare_lost(
                    lost(token, self._clock.now_us(), reason, f"{reason}: {error}{where}")
                )

    def _note_done(self, token: str, future: Future[AttemptReport]) -> None:
        self._done.put((token, future, self._clock.now_us()))

    def _pool_activity(self) -> PoolActivity:
        busy = frozenset(one.pool for one in self._in_flight.values() if one.running)
        return PoolActivity(busy, self._journals.read_at)
