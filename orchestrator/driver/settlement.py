"""Settles a report: the ledger's record, the instance's next state, calls of the observers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from db.events import EventKind
from db.records import NewAttempt, Pending
from db.states import CANCELLED_BY_USER, AttemptState, InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt
from orchestrator.driver.queue.order_builder import instance_hooks
from orchestrator.driver.queue.overdue import OverdueAttempts
from orchestrator.driver.queue.pending import PendingQueue
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.queue.retry_policy import SessionOutcomes
from orchestrator.driver.queue.time_limits import TimeLimits
from orchestrator.driver.records.attempt_records import lost, to_ledger
from orchestrator.driver.records.event_log import EventLog
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.protocol.report import SUPERVISOR_FAILED, AttemptReport
from orchestrator.rundir.signal_files import EXCLUDED, WITHDRAWN
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)


class Settlement:
    """Applies reports; the first final one of an attempt counts, whichever way it came.

    Attributes
    ----------
    in_flight
        Attempts that were handed over and have not ended, by token.
    cancelled
        Instances that a user cancelled while they were in flight: they are not tried again.
    not_needed
        Benchmarks of which no attempt starts any more: what fails is not tried again.
    levels
        Which queue an instance waits in again.
    closing
        Whether the driver itself ends what runs, so that cancelled attempts cost no retry.
    """

    def __init__(
        self,
        setup: DriverSetup,
        events: EventLog,
        outcomes: SessionOutcomes,
        observers: Sequence[DriverObserver],
        snapshot: Snapshot,
    ) -> None:
        self.in_flight: dict[str, InFlightAttempt] = {}
        self.cancelled: set[int] = set()
        self.not_needed: set[str] = set()
        self.closing = False
        self.levels = ResourceLevels(setup.plan)
        self.succeeded = 0
        hooks = instance_hooks(setup.plan)
        self._overdue = OverdueAttempts(TimeLimits(setup.plan, hooks.timeout_seconds if hooks else None).of)
        self._handed_over = 0
        self._writer = setup.writer
        self._stops = setup.stops
        self._clock = setup.clock
        self._events = events
        self._outcomes = outcomes
        self._observers = observers
        self._snapshot = snapshot
        self._declared_lost: set[str] = set()

    def apply(self, report: AttemptReport, arrived_us: int) -> None:
        """Apply one report that arrived at a time, UTC microseconds."""
        attempt = self.in_flight.get(report.token)
        if attempt is None:
            if report.state.final and report.token in self._declared_lost:
                self._declared_lost.discard(report.token)
                self._writer.add(to_ledger(report, arrived_us, None))  # kept as evidence
        elif report.state.final:
            self._end(attempt, report, arrived_us)
        else:
            self._progress(attempt, report, arrived_us)

    def declare_lost(self, report: AttemptReport) -> None:
        """Apply a report of the driver itself; a later one of the attempt is kept as evidence."""
        self.apply(report, report.at_us)
        self._declared_lost.add(report.token)

    def hand_over(self, pending: Pending, new: NewAttempt, queue: PendingQueue) -> InFlightAttempt:
        """Return an attempt of an instance of a queue; it is in flight from now on."""
        self._handed_over += 1
        place = self._handed_over
        attempt = InFlightAttempt(new.token, pending, new.attempt_number, place, queue=queue)
        self.in_flight[new.token] = attempt
        self._overdue.handed_over(attempt, id(queue))
        return attempt

    def declare_overdue_lost(
        self, read_journals: Callable[[], None], start_seconds: float = START_SECONDS, stalled: int = 0
    ) -> list[str]:
        """Declare attempts lost whose worker, supervisor or node hangs; orders are taken in turn.

        Parameters
        ----------
        read_journals
            Applies what the journals have by now.
        start_seconds, stalled
            Seconds that an overtaken order may wait; `stalled` is the number of orders held by stalled pools.

        Returns
        -------
        list of str
            Tokens of those that were handed over and did not start.
        """
        if self._overdue.find(self._clock.seconds(), start_seconds, stalled):
            read_journals()
        found = self._overdue.find(self._clock.seconds(), start_seconds, stalled)
        for attempt, problem in found:
            _log.warning("%s: %s", attempt.label, problem)
            self.declare_lost(lost(attempt.token, self._clock.now_us(), "overdue", problem))
        return [attempt.token for attempt, _ in found if not attempt.running]

    def _progress(self, attempt: InFlightAttempt, report: AttemptReport, arrived_us: int) -> None:
        attempt.bound_clock(report.at_us, arrived_us)
        if report.at_barrier:
            for observer in self._observers:
                observer.attempt_at_barrier(attempt)
        if attempt.running:
            return
        attempt.started_at = self._clock.seconds()
        attempt.node, attempt.pool = report.node, report.pool
        self._overdue.started(attempt, id(attempt.queue))
        self._snapshot.running += 1
        for observer in self._observers:
            observer.attempt_started(attempt, report)
        self._writer.add(to_ledger(report, arrived_us, None))

    def _end(self, attempt: InFlightAttempt, report: AttemptReport, arrived_us: int) -> None:
        del self.in_flight[report.token]
        self._overdue.ended(attempt, id(attempt.queue))
        self._snapshot.running -= attempt.running
        if not attempt.running:
            for observer in self._observers:
                observer.attempt_started(attempt, report)
        state = self._next_instance_state(attempt, report)
        self._writer.add(to_ledger(report, arrived_us, state, attempt.clock_offset_min_us))
        if state is InstanceState.PLANNED:
            # Last of all where it failed: the same bad node would take it at once, and again.
            timeouts = attempt.pending.timeouts + (report.failure_reason == "timeout")
            again = replace(attempt.pending, attempts=attempt.number, timeouts=timeouts)
            last = report.state is not AttemptState.CANCELLED
            self.levels.requeue(attempt.queue, again, report.failure_reason, last=last)
        elif state is InstanceState.DONE:
            self._snapshot.done += 1
        elif state in (InstanceState.CANCELLED, InstanceState.NOT_NEEDED):
            self._snapshot.total -= 1
        else:
            self._snapshot.exhausted += 1
            self._events.record(
                EventKind.INSTANCE_EXHAUSTED,
                f"{attempt.label} gave up after {count_of(attempt.number, 'attempt')}: "
                f"{report.failure_message}",
                subject=attempt.label,
                level=logging.WARNING,
            )
        for observer in self._observers:
            observer.attempt_ended(attempt, report, state)
        _log.debug("%s.%d %s %s", attempt.label, attempt.number, report.state, report.failure_message or "")

    def _next_instance_state(self, attempt: InFlightAttempt, report: AttemptReport) -> InstanceState:
        category = report.failure_category
        if report.state is AttemptState.SUCCEEDED:
            self.succeeded += 1
        asked = self._stops.level is not StopLevel.NONE or self.closing
        asked |= report.failure_reason in ("walltime", CANCELLED_BY_USER, EXCLUDED, WITHDRAWN)
        if report.state is AttemptState.CANCELLED and not asked:
            category = "infrastructure"  # cancelled from outside, which must not be free for ever
        state = self._outcomes.record_outcome(
            attempt.pending.instance_id,
            report.state,
            category,
            report.failure_message if report.failure_reason == SUPERVISOR_FAILED else None,
        )
        self._snapshot.failures = self._outcomes.failed
        if state is not InstanceState.DONE and attempt.pending.instance_id in self.cancelled:
            return InstanceState.CANCELLED
        if state is InstanceState.PLANNED and attempt.pending.benchmark in self.not_needed:
            return InstanceState.NOT_NEEDED
        return state
