"""The driver's loop: hands instances to the engine, takes their reports, decides what is next."""

from __future__ import annotations

import queue
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from enum import StrEnum
from functools import partial
from pathlib import Path

from db.errors import LeaseError
from db.records import Campaign as CampaignRow
from db.records import NewAttempt, Pending
from db.states import AttemptState, InstanceState
from orchestrator.driver import retry_policy
from orchestrator.driver.attempt_records import cancelled, lost, to_ledger
from orchestrator.driver.clock import Clock, WallClock
from orchestrator.driver.in_flight import Flight, note_passed
from orchestrator.driver.ledger_writer import Recorder
from orchestrator.driver.order_builder import make_order
from orchestrator.driver.pending_queue import Backlog
from orchestrator.driver.periodic import Chore
from orchestrator.driver.progress import Snapshot, Watcher
from orchestrator.driver.retry_policy import Tally
from orchestrator.driver.runtime_estimates import Experience
from orchestrator.driver.stalled_pools import Standstill
from orchestrator.driver.start_barrier import Gate
from orchestrator.driver.stop_requests import Stop, StopSwitch
from orchestrator.engines.base import Engine
from orchestrator.errors import EngineError
from orchestrator.host.processes import SESSION_MARK, carrying, end
from orchestrator.planning.plan import Plan, Stage
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.journal import Tail
from orchestrator.rundir.layout import RunDirectory

_TICK_SECONDS = 0.2
_ENGINE_RESTARTS = 3
_HOLD_SECONDS = 30.0
_DRAIN_SECONDS = 15.0
_CLOSING_SECONDS = 600.0  # for a batch system that is slow to answer
_LEDGER_PATIENCE_SECONDS = 600.0
_AT_ONCE = 1000  # handed over between two signs of life
_OVERDUE_SECONDS = 60.0  # between two looks for attempts that are


class RunOutcome(StrEnum):
    """How a launch or resume ended; all but `COMPLETE` leave a campaign that can be resumed."""

    COMPLETE = "complete"
    EXHAUSTED = "some instances exhausted"
    DRAINED = "drained"
    CANCELLED = "cancelled"
    HOPELESS = "stopped as hopeless"
    ENGINE_FAILED = "engine failed"
    LEDGER_FAILED = "ledger failed"
    TAKEN_OVER = "taken over by another driver"
    ABORTED = "aborted by an error"


class Driver:
    """Runs the pending instances of a campaign to their end.

    Parameters
    ----------
    plan, row, session
        What to run, the campaign's ledger row, and this session's number.
    recorder
        Way to the ledger.
    make_engine
        Makes the engine of a stage, whose first block has a number.
    switch
        Stop requests.
    watcher
        Progress display.
    already_done, already_exhausted
        Instances that earlier sessions finished.
    longest_seconds
        How long instances of each benchmark took at most in earlier sessions.
    chores
        Done now and then while instances run.
    clock
        The machine's own by default.
    """

    def __init__(
        self,
        plan: Plan,
        row: CampaignRow,
        session: int,
        recorder: Recorder,
        make_engine: Callable[[Stage, int], Engine],
        switch: StopSwitch,
        watcher: Watcher,
        *,
        already_done: int = 0,
        already_exhausted: int = 0,
        longest_seconds: Mapping[str, float] | None = None,
        chores: Sequence[Chore] = (),
        clock: Clock | None = None,
    ) -> None:
        self._plan = plan
        self._row = row
        self._session = session
        self._recorder = recorder
        self._make_engine = make_engine
        self._switch = switch
        self._watcher = watcher
        self._chores = [Chore(_OVERDUE_SECONDS, self._write_off_overdue), *chores]
        self._clock = clock or WallClock()
        self._directory = Path(row.directory)
        self._tail = Tail(RunDirectory(self._directory).session_journals(session))
        self._benchmarks = {benchmark.name: benchmark for benchmark in plan.benchmarks}
        self._flights: dict[str, Flight] = {}
        self._written_off: set[str] = set()
        self._waiting = Backlog()
        self._chosen: list[tuple[Pending, NewAttempt]] = []
        self._engine: Engine | None = None
        self._retired: set[str] = set()
        self._blocks_asked = 0
        self._blocks_started = 0
        self._running_since = 0.0
        self._experience = Experience(
            {one.name: one.expected_seconds for one in plan.benchmarks}, longest_seconds
        )
        self._gate: Gate | None = None
        if plan.campaign.start == "together":
            self._gate = Gate(
                self._directory, session, plan.campaign.gate, self._clock.seconds, self._clock.now_us
            )
        self._ended: queue.SimpleQueue[tuple[str, Future[AttemptReport]]] = queue.SimpleQueue()
        self._standstill = Standstill(plan.site.heartbeat.standstill)
        self._tally = Tally(plan.campaign.retries, plan.campaign.stop_after)
        self._slots = 1
        self._draining = False
        self._closing = False
        self._next_tail = self._journals_read = 0.0
        self._restarts = 0
        self._snapshot = Snapshot(plan.size, done=already_done, exhausted=already_exhausted)

    def run(self, pending: list[Pending]) -> RunOutcome:
        """Run `pending` and return how it ended."""
        try:
            outcome = self._run(pending)
            return outcome if self._recorder.complete() else RunOutcome.LEDGER_FAILED
        except LeaseError as error:
            self._watcher.say(str(error))
            return RunOutcome.TAKEN_OVER

    def _run(self, pending: list[Pending]) -> RunOutcome:
        try:
            for stage in self._plan.stages:
                self._waiting = Backlog([benchmark.name for benchmark in stage.benchmarks], pending)
                while self._waiting or self._chosen:
                    if self._switch.level is not Stop.NO:
                        return RunOutcome.DRAINED
                    ended = self._run_stage(stage)
                    if ended is not None:
                        return ended
        finally:
            self._stop_starting(False)
        if self._snapshot.done + self._snapshot.exhausted < self._snapshot.total:
            return RunOutcome.ABORTED  # never called complete, whatever the reason
        return RunOutcome.EXHAUSTED if self._snapshot.exhausted else RunOutcome.COMPLETE

    @property
    def snapshot(self) -> Snapshot:
        """Where the campaign stands as this driver knows it."""
        return self._snapshot

    # -- one stage ---------------------------------------------------------------------------

    def _run_stage(self, stage: Stage) -> RunOutcome | None:
        """Run one stage; None means go on (also after the engine was replaced)."""
        self._engine = engine = self._make_engine(stage, self._blocks_asked)
        self._blocks_started = 0
        try:
            engine.start()
            ended = self._loop(stage, engine)
        except EngineError as error:
            self._restarts += 1
            again = not error.final and self._restarts <= _ENGINE_RESTARTS
            message = str(error)
            self._watcher.say(f"{message}; {'restarting' if again else 'giving up'}")
            self._close_down(
                engine, lambda token: lost(token, self._clock.now_us(), "engine failed", message)
            )
            return None if again else RunOutcome.ENGINE_FAILED
        else:
            self._recorder.prolong(_CLOSING_SECONDS)  # for the engine's end
            return ended
        finally:
            engine.stop()
            blocks = engine.blocks()
            self._blocks_asked += len(blocks)
            self._recorder.insist()
            self._recorder.blocks(blocks)
            self._recorder.flush()

    def _loop(self, stage: Stage, engine: Engine) -> RunOutcome | None:
        self._slots = stage.width
        next_blocks = 0.0
        while True:
            limit = self._gate.width or self._slots if self._gate else retry_policy.window(self._slots)
            self._switch.request(self._recorder.pulse())
            self._take_reports()
            for chore in self._chores:
                chore.when_due(self._clock.seconds())
            self._recorder.flush()
            if (ended := self._ending(engine)) is not None:
                return ended
            if not (self._flights or self._chosen or self._waiting or self._recorder.waiting):
                return None
            engine.check()
            for node in [] if self._plan.site.local else self._experience.failing():
                self._watcher.say(str(node))
                engine.set_aside(node.pool, node.name)
            if self._clock.seconds() >= next_blocks:
                self._manage_blocks(engine)
                next_blocks = self._clock.seconds() + 1.0
            if self._switch.level is Stop.NO and self._may_join():
                self._fill(stage, engine, limit)
            self._open_gate(limit)
            self._snapshot.queued = len(self._flights) - self._snapshot.running
            self._watcher.update(self._snapshot)

    def _may_join(self) -> bool:
        """Tell whether attempts may start now: at any time, or while their wave waits at the gate."""
        if self._gate is not None and not self._flights:
            self._gate.next_wave()
        return self._gate is None or not self._gate.open

    def _joining(self) -> int:
        """Return how many more instances may start."""
        return self._waiting.ready(self._clock.seconds(), self._next_benchmark())

    def _next_benchmark(self) -> str | None:
        """Return which benchmark's instances are next; a wave is of one benchmark."""
        if self._gate is not None and (self._flights or self._chosen):
            flying = next((flight.pending for flight in self._flights.values()), None)
            return (flying or self._chosen[0][0]).benchmark
        return self._waiting.next_benchmark(self._clock.seconds())

    def _open_gate(self, limit: int) -> None:
        if self._gate is None:
            return
        complete = self._draining or len(self._flights) >= limit or not (self._chosen or self._joining())
        coming: Collection[str] = self._flights
        if self._draining:  # those who have not started never will
            coming = [token for token, one in self._flights.items() if one.running]
        if said := self._gate.try_open(coming, complete=complete):
            self._watcher.say(said)

    def _manage_blocks(self, engine: Engine) -> None:
        """Hold the blocks that are needed, tell what became of them, try again what one was too short for."""
        blocks = engine.blocks()
        self._recorder.blocks(blocks)
        for news in engine.news():
            self._watcher.say(news)
        started = sum(block.started_us is not None for block in blocks)
        if started > self._blocks_started:  # with all of its walltime ahead
            self._waiting.release()
            if self._gate is not None:
                self._gate.width = None
        self._blocks_started = started
        busy = (flight.pool for flight in self._flights.values() if flight.running)
        now, read = self._clock.seconds(), self._journals_read
        for said in self._standstill.look(engine, busy, now, read):
            self._watcher.say(said)
        left = len(self._flights)
        if self._switch.level is Stop.NO:
            left += len(self._chosen) + len(self._waiting)
        engine.scale(left)

    def _ending(self, engine: Engine) -> RunOutcome | None:
        """Return why the campaign must end now, or None."""
        if (why := self._tally.hopeless(self._snapshot.running, self._slots)) is not None:
            self._watcher.say(
                f"{why}; stopping. "
                f"`orchestrator status {self._row.name}` shows why, "
                f"`orchestrator resume {self._row.name}` tries again"
            )
            self._cancel(engine)
            return RunOutcome.HOPELESS
        if self._switch.level is Stop.CANCEL:
            self._watcher.say("cancelling: ending what runs")
            self._cancel(engine)
            return RunOutcome.CANCELLED
        if self._switch.level is Stop.DRAIN:
            if not self._draining:
                self._draining = True
                self._running_since = self._clock.seconds()
                self._stop_starting(True)
                self._watcher.say(
                    "draining: running instances finish, no new ones start; stop again to cancel"
                )
            if self._snapshot.running:
                self._running_since = self._clock.seconds()
            elif self._flights and self._clock.seconds() - self._running_since > _DRAIN_SECONDS:
                self._cancel(engine)  # handed out, and no worker has taken them
            if not self._flights and not self._recorder.waiting:
                left = self._snapshot.done + self._snapshot.exhausted < self._snapshot.total
                return RunOutcome.DRAINED if left else None
        return self._ledger_gone()

    def _ledger_gone(self) -> RunOutcome | None:
        since = self._recorder.failing_since
        if since is None:
            if self._snapshot.note:
                self._watcher.say("the ledger is back")
            self._snapshot.note = ""
            return None
        if not self._snapshot.note:
            self._watcher.say(
                f"{self._recorder.failing}; nothing new starts until it is back, results wait in the journals"
            )
        self._snapshot.note = "ledger away"
        gone = self._clock.seconds() - since > _LEDGER_PATIENCE_SECONDS or self._switch.level is not Stop.NO
        return RunOutcome.LEDGER_FAILED if gone and not self._flights else None

    def _fill(self, stage: Stage, engine: Engine, limit: int) -> None:
        """Hand over as many instances as the window allows; the ledger knows them first."""
        if not self._chosen:
            room = min(limit - len(self._flights), _AT_ONCE)
            while len(self._chosen) < room and self._joining():
                self._chosen.append(self._choose(stage))
        # After a failure the same attempts are offered again: the ledger may have taken them after all.
        if not self._chosen or not self._recorder.submit([new for _, new in self._chosen]):
            return
        while self._chosen:
            one, new = self._chosen.pop(0)
            self._flights[new.token] = Flight(one, new.attempt)
            order = make_order(
                self._plan,
                stage,
                self._benchmarks[one.benchmark],
                uid=self._row.uid,
                session=self._session,
                directory=self._directory,
                instance=one.instance,
                number=one.number,
                seed=one.seed,
                attempt=new.attempt,
                token=new.token,
                expected_seconds=self._experience.expected(one.benchmark),
                wave=self._gate.wave if self._gate else None,
            )
            engine.submit(order).add_done_callback(partial(self._on_done, new.token))

    def _choose(self, stage: Stage) -> tuple[Pending, NewAttempt]:
        one = self._waiting.take(self._next_benchmark() or "")
        token = secrets.token_hex(8)
        return one, NewAttempt(one.instance, one.attempts + 1, token, stage.shape.label, self._clock.now_us())

    def _on_done(self, token: str, future: Future[AttemptReport]) -> None:
        self._ended.put((token, future))

    # -- reports -----------------------------------------------------------------------------

    def _take_reports(self) -> None:
        """Wait a moment for futures, then take them and what the journals say."""
        ended = self._clock.take(self._ended, _TICK_SECONDS)
        self._read_journals(now=any(future.exception() for _, future in ended))
        for token, future in ended:
            error = future.exception()
            if error is None:
                self._settle(future.result())
            elif token in self._flights:
                reason = type(error).__name__
                node = self._flights[token].node
                where = f" (it ran on node {node})" if node else ""
                self._write_off(token, lost(token, self._clock.now_us(), reason, f"{reason}: {error}{where}"))

    def _read_journals(self, *, now: bool) -> None:
        """Take new journal lines, about once a second, or at once when a worker was lost."""
        if not now and self._clock.seconds() < self._next_tail:
            return
        begin = self._clock.seconds()
        for report in self._tail.read():
            self._settle(report)
        end = self._clock.seconds()
        if self._tail.whole:
            self._journals_read = begin
        self._next_tail = end + max(1.0, 20 * (end - begin))  # at most a twentieth of the driver's time

    def _settle(self, report: AttemptReport) -> None:
        """Apply one report; the first final one of an attempt counts, whichever way it came."""
        token, state = report.token, report.state
        flight = self._flights.get(token)
        if flight is None:
            if state.final and token in self._written_off:
                self._written_off.discard(token)
                self._recorder.add(to_ledger(report, self._clock.now_us(), None))  # kept as evidence
            return
        if not state.final:
            if report.at_gate and self._gate is not None:
                self._gate.arrived(token)
            if not flight.running:
                flight.since = self._clock.seconds()
                self._snapshot.running += 1
                flight.node, flight.pool = report.node, report.pool
                self._standstill.started(report)
                self._recorder.add(to_ledger(report, self._clock.now_us(), None))
            return
        del self._flights[token]
        self._snapshot.running -= flight.running
        if not flight.running:
            self._standstill.started(report)
        becomes = self._becomes(flight, state, report.category, report.reason)
        self._recorder.add(to_ledger(report, self._clock.now_us(), becomes))
        one = flight.pending
        self._experience.learn(one.benchmark, report)
        if becomes is InstanceState.PLANNED:
            # Last of all where it failed: the same bad node would take it at once, and again.
            self._waiting.put_back(
                Pending(one.instance, one.benchmark, one.number, one.seed, attempts=flight.attempt),
                last=state is not AttemptState.CANCELLED,
            )
            if report.reason == "walltime":
                self._heed_walltime(one.benchmark, report)
        elif becomes is InstanceState.DONE:
            self._snapshot.done += 1
        else:
            self._snapshot.exhausted += 1
            label = f"{one.benchmark}/{one.number}"
            self._watcher.say(f"{label} gave up after {flight.attempt} attempts: {report.message}")

    def _heed_walltime(self, benchmark: str, report: AttemptReport) -> None:
        """Spare a block that is about to end what does not fit into it.

        Where a shorter benchmark would still fit, only this one is held back for a while; otherwise
        the node gets no more work, or it would be handed and refuse all that waits.
        """
        left = report.left_seconds or 0.0
        lengths = (self._experience.expected(name) or 0.0 for name in self._waiting.benchmarks)
        if min(lengths) <= left:
            self._waiting.hold(benchmark, self._clock.seconds() + _HOLD_SECONDS)
        elif self._engine is not None and (pool := report.pool) and pool not in self._retired:
            self._retired.add(pool)
            self._engine.retire(pool)

    def _becomes(
        self, flight: Flight, state: AttemptState, category: str | None, reason: str | None
    ) -> InstanceState:
        if state is AttemptState.SUCCEEDED:
            self._restarts = 0  # the engine works; only restarts without progress are counted
        asked = self._switch.level is not Stop.NO or self._closing or reason == "walltime"
        if state is AttemptState.CANCELLED and not asked:
            category = "infrastructure"  # nobody asked for it, so it must not be free for ever
        becomes = self._tally.take(flight.pending.instance, state, category)
        self._snapshot.failures = self._tally.failed
        return becomes

    def _write_off(self, token: str, report: AttemptReport) -> None:
        self._settle(report)
        self._written_off.add(token)

    def _write_off_overdue(self) -> None:
        """Give up attempts whose worker, supervisor or node hangs; orders are taken one after the other."""
        now, campaign = self._clock.seconds(), self._plan.campaign
        note_passed(list(self._flights.values()), now)
        for token, flight in list(self._flights.items()):
            timeout = self._benchmarks[flight.pending.benchmark].timeout_seconds
            if said := flight.overdue(now, timeout, campaign.gate, campaign.grace):
                self._write_off(token, lost(token, self._clock.now_us(), "overdue", said))

    # -- the end -----------------------------------------------------------------------------

    def _cancel(self, engine: Engine) -> None:
        self._close_down(engine, lambda token: cancelled(token, self._clock.now_us()))

    def _close_down(self, engine: Engine, verdict: Callable[[str], AttemptReport]) -> None:
        """End the engine and every process of the campaign on this host, then settle what was in flight."""
        self._closing = True
        self._stop_starting(True)
        self._recorder.prolong(_CLOSING_SECONDS + 2 * self._plan.campaign.grace)
        engine.stop()
        mark = f"{self._row.uid}:{self._session}"
        end(carrying(SESSION_MARK, mark), self._plan.campaign.grace + 5)
        self._read_journals(now=True)
        for token in list(self._flights):
            self._write_off(token, verdict(token))
        self._stop_starting(False)
        self._closing = False
        self._recorder.flush()

    def _stop_starting(self, wanted: bool) -> None:
        """Keep workers from starting what they still have queued, or let them again."""
        file = RunDirectory(self._directory).stop_file(self._session)
        try:
            if wanted:
                file.touch()
            else:
                file.unlink(missing_ok=True)
        except OSError as error:
            self._watcher.say(f"{file}: {error.strerror}; queued instances may still start")
