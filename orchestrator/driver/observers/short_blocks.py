"""Spares blocks that are about to end what does not fit into them."""

from __future__ import annotations

import logging

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.observers.runtime_estimates import RuntimeEstimates
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.engines.base import WorkerPools
from orchestrator.protocol.report import AttemptReport

_DEFER_SECONDS = 30.0


class ShortBlocks(DriverObserver):
    """Reacts to attempts that were not started because too little of their block was left.

    Where a shorter benchmark would still fit, only this one is deferred for a while. Otherwise the
    worker pool gets no more work: it would be handed, and reject, all that waits.
    """

    def __init__(self, estimates: RuntimeEstimates, clock: Clock, events: EventLog) -> None:
        self._estimates = estimates
        self._clock = clock
        self._events = events
        self._to_drain: list[str] = []
        self._drained: set[str] = set()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Defer the benchmark, or choose the pool that gets no more work."""
        if report.failure_reason != "walltime" or instance is not InstanceState.PLANNED:
            return
        queue = attempt.queue
        left = report.left_seconds or 0.0
        expected = (self._estimates.expected_seconds(name, queue.pool) or 0.0 for name in queue.benchmarks)
        if min(expected, default=0.0) <= left:  # none waits here of a pool that is paused or removed
            queue.defer(attempt.pending.benchmark, self._clock.seconds() + _DEFER_SECONDS)
        elif (pool := report.pool) and pool not in self._drained:
            self._drained.add(pool)
            self._to_drain.append(pool)
            self._events.record(
                EventKind.BLOCK_SHORT,
                f"worker pool {pool} gets no more work: {left:.0f} s of its block are left, and nothing that "
                "waits is that short",
                subject=pool,
                level=logging.DEBUG,
            )

    def tick(self, engine: WorkerPools) -> None:
        """Give the chosen pools no more work."""
        while self._to_drain:
            engine.drain_pool(self._to_drain.pop())
