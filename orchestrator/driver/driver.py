"""The driver's loop: hands instances to the engine, takes their reports, decides what is next."""

from __future__ import annotations

import contextlib
import logging
import queue
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from db.errors import LeaseError, LedgerError
from db.events import EventKind
from db.records import Pending
from db.states import AttemptState, RunOutcome
from orchestrator.driver.lane import AllPools, Lane, MakeQueue
from orchestrator.driver.lanes import Lanes
from orchestrator.driver.observers.failed_starts import FailedStartNotice
from orchestrator.driver.observers.node_balance import NodeBalance
from orchestrator.driver.observers.node_descriptions import NodeDescriptions
from orchestrator.driver.observers.node_health import NodeHealth
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.observers.runtime_estimates import RuntimeEstimates
from orchestrator.driver.observers.short_blocks import ShortBlocks
from orchestrator.driver.observers.staged_copies import StagedCopies
from orchestrator.driver.observers.stalled_pools import StalledPoolDetector
from orchestrator.driver.observers.start_barrier import StartBarrier
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.order_builder import OrderBuilder
from orchestrator.driver.queue.ordered import OrderedQueue
from orchestrator.driver.queue.pending import PendingQueue
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.queue.retry_policy import SessionOutcomes, max_in_flight
from orchestrator.driver.rare_collections import rare_collections
from orchestrator.driver.records import own_journal
from orchestrator.driver.records.attempt_records import cancelled, lost
from orchestrator.driver.records.event_log import EventLog
from orchestrator.driver.records.journal_heads import PERIOD_SECONDS, JournalHeads
from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.driver.records.missing_attempts import MissingAttempts
from orchestrator.driver.records.own_journal import OwnJournal
from orchestrator.driver.requested_changes import RequestedChanges
from orchestrator.driver.settlement import Settlement
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.shutdown import LEDGER_SOURCE, Shutdown
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.driver.stopping import Stopping
from orchestrator.driver.submission import Submission
from orchestrator.driver.suggesting import Suggesting
from orchestrator.engines.base import Engine, WorkerPools
from orchestrator.errors import AllocationEndedError, CampaignError, EngineError
from orchestrator.planning.plan import Plan
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.journal import Tail
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import WITHDRAWN, request_cancel

_log = logging.getLogger(__name__)
_TICK_SECONDS = 0.2
_BLOCKS_SECONDS = 1.0  # between two looks at blocks
_OVERDUE_SECONDS = 5.0  # between two looks for overdue attempts
_ENGINE_RESTARTS = 3
_WITHDRAW_SECONDS = 10.0  # a pool without nodes keeps what others may run


class Driver:
    """Runs the pending instances of a campaign to their end."""

    def __init__(self, setup: DriverSetup) -> None:
        plan, clock = setup.plan, setup.clock
        directory = RunDirectory(Path(setup.row.run_directory))
        self._setup = setup
        self._plan, self._width = plan, plan.width
        self._directory = directory
        self._clock = clock
        self._writer = setup.writer
        self._stops = setup.stops
        self.events = events = EventLog(setup.writer, clock.now_us)
        totals = setup.totals
        self.snapshot = Snapshot(
            totals.total, done=totals.done, exhausted=totals.exhausted, campaign=setup.row.name
        )
        self._paused = set(setup.paused)
        self._journals = JournalReader(
            setup.reports or Tail(directory.session_journals(setup.session)), clock
        )
        self._own_journal = OwnJournal(directory.path, setup.session, self._journals, events)
        self._heads = JournalHeads(self._journals, setup.session, setup.writer, clock)
        expected = {one.name: one.expected_seconds for one in plan.benchmarks}
        estimates = RuntimeEstimates(expected, setup.longest_seconds)
        self._short_blocks = ShortBlocks(estimates, clock, events)
        self._estimates = estimates
        self._stalled_pools = StalledPoolDetector(
            plan.site.heartbeat.stall_timeout, clock, lambda: self._journals.read_at, events
        )
        self._observers: list[DriverObserver] = [
            estimates,
            NodeHealth(events, plan.site.local_pools),
            self._stalled_pools,
            self._short_blocks,
            NodeDescriptions(directory, setup.session, setup.writer),
            StagedCopies(events),
            FailedStartNotice(events),
            *setup.watches,
            *setup.observers,
        ]
        self._barrier = None
        if plan.campaign.start == "synchronized":
            timeout = plan.campaign.start_timeout
            self._barrier = StartBarrier(directory, setup.session, timeout, plan.lead_seconds, clock, events)
            self._observers.append(self._barrier)
        outcomes = SessionOutcomes(plan.campaign.retries, plan.campaign.abort_after_failures, setup.ended)
        self._settlement = Settlement(setup, events, outcomes, self._observers, self.snapshot)
        self._in_flight = self._settlement.in_flight
        self._missing = MissingAttempts(clock, plan.campaign.grace_period)
        self._ends: queue.Queue[tuple[str, AttemptReport | Exception, int]] = queue.Queue()
        self._lanes: list[Lane] = []
        self._shutdown = Shutdown(setup, events, outcomes, self.snapshot, self._settlement, self._journals)
        self._tasks = [
            PeriodicTask(_OVERDUE_SECONDS, self._declare_overdue_lost),
            PeriodicTask(PERIOD_SECONDS, self._heads.record),
            PeriodicTask(own_journal.PERIOD_SECONDS, self._own_journal.write_late),
            *setup.tasks,
        ]
        self._requests: RequestedChanges | None = None
        self._stopping: Stopping | None = None
        self._suggesting: Suggesting | None = None
        self._next_blocks, self._next_plan, self._no_plan = 0.0, 0.0, ""
        self._restarts = self._succeeded_at_restart = 0

    def run(self, pending: list[Pending]) -> RunOutcome:
        """Run `pending` and return how it ended."""
        try:
            with rare_collections():
                outcome = self._run(pending)
            self._own_journal.write_last()
            self._heads.record_last()
            self._writer.flush()
            return outcome if self._writer.finish() else RunOutcome.LEDGER_FAILED
        except LeaseError as error:
            _log.error("%s", error)
            return RunOutcome.TAKEN_OVER

    def _run(self, pending: list[Pending]) -> RunOutcome:
        try:
            self._open_lanes(pending)
            ended = self._loop()
        finally:
            self._shutdown.stop_starting(False)
        if ended is not None:
            return ended
        if any(lane.failed and lane.left for lane in self._lanes):
            return RunOutcome.ENGINE_FAILED
        if any(queue.held_back for lane in self._lanes for queue in lane.queues):
            _log.warning(
                "what is left is paused, and no node waits for it; `orchestrator status %s` names it, and "
                "what unpauses it: do that, then `orchestrator resume %s`",
                self._setup.row.name,
                self._setup.row.name,
            )
            return RunOutcome.DRAINED
        if self.snapshot.done + self.snapshot.exhausted < self.snapshot.total:
            return RunOutcome.ABORTED  # never called complete, whatever the reason
        return RunOutcome.EXHAUSTED if self.snapshot.exhausted else RunOutcome.COMPLETE

    def _open_lanes(self, pending: list[Pending]) -> None:
        self._settlement.levels = levels = ResourceLevels(self._plan, pending)
        held = self._setup.trials.held if self._setup.trials else frozenset()
        make_queue: MakeQueue = partial(PendingQueue, held=held)
        if self._setup.design is not None:
            self._observers.append(balance := NodeBalance())
            soon = self._setup.answers is not None
            make_queue = partial(
                OrderedQueue, design=self._setup.design, balance=balance, retries_soon=soon, held=held
            )
        self._by_pool = Lanes(levels, self._paused, self._orders, self._submission, make_queue, self._lanes)
        self._observers.append(self._by_pool.ends)
        self._by_pool.follow(self._plan)
        names = [one.name for one in self._plan.benchmarks]
        self._stopping = Stopping(
            levels, names, self._settlement, self.snapshot, self._writer, self._clock, self._setup.answers,
            self._setup.nodes, self._setup.trials, self._setup.budget, self._stops,
        )  # fmt: skip
        if self._setup.trials is not None or self._setup.nodes is not None:
            self._stopping.apply()  # what earlier sessions promoted, or left open, may be all that waits
        self._suggesting = Suggesting(self._setup, levels, self._paused)
        self._suggesting.apply()
        self._requests = RequestedChanges(
            self._writer,
            self.snapshot,
            self._paused,
            levels,
            self._settlement.cancelled,
            self._in_flight,
            self._directory,
            self._setup.session,
            self._withdraw_from,
            self._by_pool.change,
            self._follow_pools,
            self._lanes,
            self._setup.watches,
        )

    def _orders(self, plan: Plan) -> OrderBuilder:
        setup = self._setup
        return OrderBuilder(plan, setup.row.uid, setup.session, self._directory, setup.chosen_parameters)

    def _submission(self, orders: OrderBuilder) -> Submission:
        return Submission(
            self._setup, orders, self._settlement.hand_over, self._estimates, self._barrier, self._note_end,
            self.events,
        )  # fmt: skip

    def _loop(self) -> RunOutcome | None:
        """Run the stages of all lanes; None once nothing is left that may start."""
        with contextlib.ExitStack() as engines:
            engines.callback(self._end_stages)
            while True:
                # A user's request may bring work back to a stage that had ended.
                for lane in self._lanes:
                    if lane.engine is None and lane.waits and self._stops.level is StopLevel.NONE:
                        self._begin_stage(lane)
                if not any(lane.engine for lane in self._lanes):
                    if not any(lane.waits for lane in self._lanes):
                        self._take_late_requests()
                        if not any(lane.waits for lane in self._lanes):
                            return None
                    if self._stops.level is not StopLevel.NONE:
                        return RunOutcome.DRAINED
                elif (ended := self._turn()) is not None:
                    return ended

    def _take_late_requests(self) -> None:
        """Take what users asked in the last second, before the session ends for want of work."""
        self._writer.retry_now()
        self._writer.flush()
        self._stops.request(self._writer.renew_lease(at_once=True), LEDGER_SOURCE)
        if self._requests is not None:
            self._requests.take()
        if self._suggesting is not None:
            self._suggesting.apply()

    def _begin_stage(self, lane: Lane) -> None:
        engine = lane.begin(self._setup.make_engine)
        self._next_blocks = 0.0
        try:
            engine.start()
        except EngineError as error:
            self._restart(lane, engine, error)

    def _end_stage(self, lane: Lane) -> None:
        """Stop the engine of a lane, if it has one, and record its blocks."""
        if lane.engine is not None:
            blocks = lane.end()
            self._writer.retry_now()
            self._writer.blocks(blocks)
            self._writer.flush()

    def _end_stages(self) -> None:
        """Stop the engines of all lanes, the others too where one fails."""
        with contextlib.ExitStack() as stages:
            for lane in self._lanes:
                stages.callback(self._end_stage, lane)

    def _restart(self, lane: Lane, engine: Engine, error: EngineError) -> None:
        """End a failed engine; whether another one may be tried depends on what it did."""
        if self._settlement.succeeded > self._succeeded_at_restart:
            self._restarts = 0  # only restarts without progress are counted
        self._succeeded_at_restart = self._settlement.succeeded
        self._restarts += 1
        again = error.transient and self._restarts <= _ENGINE_RESTARTS
        lane.failed = not again
        message = str(error)
        self.events.record(
            EventKind.ENGINE_RESTARTED if again else EventKind.ENGINE_FAILED,
            f"{message}; {'restarting' if again else 'giving up'}",
            level=logging.WARNING if again else logging.ERROR,
        )
        alone = not any(other.engine for other in self._lanes if other is not lane)
        self._shutdown.close_down(
            [engine],
            lambda token: lost(token, self._clock.now_us(), "engine failed", message),
            None if alone else lane.submission.in_flight,
        )
        self._end_stage(lane)

    def _turn(self) -> RunOutcome | None:
        """Take what was reported, and give every lane its work; return why the session must end, or None."""
        self._stops.request(self._writer.renew_lease(), LEDGER_SOURCE)
        self._take_reports()
        handing_over = any(lane.submission.chosen for lane in self._lanes if not lane.failed)
        if self._requests is not None and not handing_over:
            self._requests.take()
        if self._stopping is not None:
            self._stopping.apply()
        if self._suggesting is not None:
            self._suggesting.apply()
        for task in self._tasks:
            task.run_if_due(self._clock.seconds())
        self._writer.flush()
        running = [(lane, lane.engine) for lane in self._lanes if lane.engine is not None]
        engines = [engine for _, engine in running]
        if (ended := self._shutdown.check(engines, sum(lane.stage.width for lane, _ in running))) is not None:
            self._shutdown.hold_lease()
            return ended
        look = self._clock.seconds() >= self._next_blocks
        if look:
            self._next_blocks = self._clock.seconds() + _BLOCKS_SECONDS
        for lane, engine in running:
            try:
                self._serve(lane, engine, look=look, alone=len(running) == 1)
            except EngineError as error:
                self._restart(lane, engine, error)
        self._tick_together()
        self.snapshot.queued = len(self._in_flight) - self.snapshot.running
        self._setup.display.update(self.snapshot)
        return None

    def _serve(self, lane: Lane, engine: Engine, *, look: bool, alone: bool) -> None:
        """Give a lane's engine its work, or end its stage."""
        submission, stage = lane.submission, lane.stage
        unrecorded = self._suggesting is not None and self._suggesting.unrecorded
        if not (submission.in_flight or submission or self._writer.waiting or unrecorded):
            self._shutdown.hold_lease()
            self._end_stage(lane)
            return
        engine.check()
        if look:
            self._manage_blocks(lane, engine)
        if alone:
            self._tick(engine)
        limit = self._limit(lane)
        if self._stops.level is StopLevel.NONE and submission.barrier_accepts():
            submission.fill(stage, engine, limit)
        self._open_barrier(lane, limit)

    def _tick(self, pools: WorkerPools) -> None:
        for observer in self._observers:
            observer.tick(pools)

    def _tick_together(self) -> None:
        """Let observers act on the worker pools of several engines."""
        lanes = {lane.engine: lane for lane in self._lanes if lane.engine is not None}
        if len(lanes) > 1:
            pools = AllPools(list(lanes))
            self._tick(pools)
            for engine, error in pools.failed:
                self._restart(lanes[engine], engine, error)

    def _limit(self, lane: Lane) -> int:
        """Return how many attempts may be in flight."""
        if self._barrier is not None:
            return self._barrier.width or lane.stage.width
        if lane.stage.alone:
            return 1
        slots = max(lane.stage.width, lane.slots)
        if lane.stage.spread:  # the last ones go where a slot is free, and wait behind none
            slots = lane.slots
            if not slots or len(lane.submission.queue) <= self._width:
                return slots
        if lane.submission.queue.one_at_a_time:  # none ahead: the next depends on the node that is free
            return slots
        return max_in_flight(slots, lane.submission.next_seconds(lane.stage))

    def _open_barrier(self, lane: Lane, limit: int) -> None:
        if self._barrier is None:
            return
        draining = self._shutdown.draining
        more = lane.submission.chosen or lane.submission.startable(lane.stage)
        complete = draining or len(self._in_flight) >= limit or not more
        # Of a drain, those that have not started never will.
        coming = self.snapshot.running if draining else len(self._in_flight)
        self._barrier.try_open(coming, complete=complete)

    def _manage_blocks(self, lane: Lane, engine: Engine) -> None:
        """Hold the blocks that are needed, and report what became of them."""
        blocks = engine.blocks()
        self._writer.blocks(blocks)
        for message in engine.messages():
            self.events.record(message.kind, message.text, subject=message.subject, data=message.data)
        started = sum(block.started_us is not None for block in blocks)
        if started > lane.blocks_started:  # with all of its walltime ahead
            lane.submission.queue.resume_all()
            if self._barrier is not None:
                self._barrier.width = None
        lane.blocks_started = started
        going_on = self._stops.level is StopLevel.NONE
        try:
            # Once nothing starts any more, orders that wait need no block.
            most = lane.submission.most_beside(lane.stage) if going_on else lane.submission.running
            if lane.stage.chooses_shapes and self._stopping is not None:
                engines = [one.engine for one in self._lanes if one.engine is not None]
                self._stopping.scale(engine, engines, most, lane.submission.expected_work(lane.stage))
            else:
                engine.scale(most)
        except AllocationEndedError as error:
            self._stops.request(StopLevel.DRAIN, str(error))
        lane.look_for_slots(engine, self._clock.seconds())
        since = lane.idle_since
        if lane.stage.spread and since is not None and self._clock.seconds() - since > _WITHDRAW_SECONDS:
            self._withdraw(lane, f"pool {lane.stage.site.pool} had no nodes left for it")

    def _follow_pools(self) -> bool:
        """Go on with the pools that the ledger has now; return whether it could be asked."""
        if self._clock.seconds() < self._next_plan:
            return False
        if not self._plan.whole_blocks:
            try:
                self._plan = self._setup.replan()
            except (LedgerError, CampaignError) as error:
                problem = f"{error}; correct that, or stop, and `orchestrator resume --site FILE`"
                if problem != self._no_plan:
                    _log.warning("pools stay as they were until they can be planned anew: %s", problem)
                self._no_plan, self._next_plan = problem, self._clock.seconds() + _OVERDUE_SECONDS
                return False
        self._no_plan = ""
        self._width = self._plan.width
        self._by_pool.follow(self._plan)
        for lane in self._lanes:
            if lane.closed and lane.engine is not None:
                self._withdraw(lane, f"pool {lane.pool} was removed")
        return True

    def _withdraw_from(self, pool: str) -> None:
        """Take back what waits in the engine of a paused pool."""
        for lane in self._lanes:
            if lane.engine is not None and lane.stage.site.pool == pool:
                self._withdraw(lane, f"pool {pool} was paused")

    def _withdraw(self, lane: Lane, message: str) -> None:
        """Take back what waits in the engine of a pool without nodes: another pool may run it."""
        self._read_journals()
        waiting = [token for token, one in lane.submission.in_flight.items() if not one.running]
        if not waiting:
            return
        try:
            request_cancel(self._directory, waiting, withdrawn=True)
        except OSError as error:
            _log.warning("%s: %s; what waits there stays", self._directory.cancel_files, error.strerror)
            return
        for token in waiting:
            self._settlement.declare_lost(cancelled(token, self._clock.now_us(), WITHDRAWN, message))

    def _take_reports(self) -> None:
        """Wait a moment for ends of orders, then apply them and what the journals have."""
        ends = self._clock.take(self._ends, _TICK_SECONDS)
        # At once where a worker was lost: its report may stand in its journal.
        now = any(isinstance(end, Exception) for _, end, _ in ends)
        self._read_journals({token: at_us for token, _, at_us in ends}, now=now)
        for token, end, arrived_us in ends:
            if isinstance(end, AttemptReport):
                if end.state is AttemptState.SUCCEEDED and token in self._in_flight:
                    self._journals.expect(end)
                self._settlement.apply(end, arrived_us)
            elif token in self._in_flight:
                reason = type(end).__name__
                node = self._in_flight[token].node
                where = f" (it ran on node {node})" if node else ""
                report = lost(token, self._clock.now_us(), reason, f"{reason}: {end}{where}")
                if self._in_flight[token].running:  # an engine whose clock was set misses workers that live
                    self._missing.add(report)
                else:
                    self._settlement.declare_lost(report)
        if given_up := self._missing.given_up(self._in_flight):
            self._read_journals()
        for report in given_up:
            if report.token in self._in_flight:
                self._settlement.declare_lost(report)

    def _read_journals(self, arrived: Mapping[str, int] | None = None, *, now: bool = True) -> None:
        """Apply what the journals have; at once before an attempt is given up, whose report may stand there.

        Parameters
        ----------
        arrived
            When reports came by the engine, UTC microseconds, by token.
        """
        # Reading and applying thousands takes seconds; they bound the nodes' clocks by when they were read.
        written = [(report, self._clock.now_us()) for report in self._journals.read(now=now)]
        for report, read_us in written:
            self._settlement.apply(report, (arrived or {}).get(report.token, read_us))

    def _note_end(self, token: str, end: AttemptReport | Exception) -> None:
        self._ends.put((token, end, self._clock.now_us()))

    def _declare_overdue_lost(self) -> None:
        """Hand what a hanging worker holds to others; it must not start that any more."""
        stalled = self._stalled_pools
        tokens = self._settlement.declare_overdue_lost(
            self._read_journals, stalled.start_seconds, stalled.held
        )
        try:
            if tokens:
                request_cancel(self._directory, tokens, withdrawn=True)
        except OSError as error:
            _log.warning("%s: %s; workers may still start them", self._directory.cancel_files, error)
