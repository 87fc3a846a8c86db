"""Finds worker pools that hold orders and start none of them.

Workers of a pool share locks. A worker that is killed while it waits for its next order can hold such a
lock for ever: its pool goes on sending heartbeats, and none of its workers takes an order any more.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.engines.base import WorkerPools
from orchestrator.protocol.report import AttemptReport
from orchestrator.wording import count_of

_CHECK_SECONDS = 5.0


@dataclass(slots=True)
class _Pool:
    starts: int = 0
    running: int = 0
    node: str | None = None
    idle_since: float | None = None
    starts_then: int = 0
    reported: bool = False


class StalledPoolDetector(DriverObserver):
    """Watches the worker pools of the engine.

    Parameters
    ----------
    timeout_seconds
        How long a pool that has started an attempt before may hold orders without starting one.
    journals_read_at
        Returns when the journals were last read, which report starts; seconds by the driver's clock.

    Attributes
    ----------
    start_seconds
        In which an attempt that was overtaken starts: as a pool does its first, but no longer than
        `timeout_seconds` while a pool is stalled, whose orders others could run, and no other that holds
        orders has yet to start its first.
    held
        Orders that stalled pools hold.
    """

    def __init__(
        self,
        timeout_seconds: float,
        clock: Clock,
        journals_read_at: Callable[[], float],
        events: EventLog,
    ) -> None:
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._journals_read_at = journals_read_at
        self.start_seconds = START_SECONDS
        self.held = 0
        self._events = events
        self._pools: dict[str, _Pool] = {}
        self._next_check = -math.inf

    def attempt_started(self, attempt: InFlightAttempt, report: AttemptReport) -> None:
        """Count an attempt that a pool started; reports of the driver itself name no pool."""
        if pool := report.pool:
            known = self._pools.setdefault(pool, _Pool())
            known.starts += 1
            known.running += attempt.running
            known.node = report.node

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Count an attempt that no longer runs on a pool."""
        if attempt.running and attempt.pool in self._pools:
            self._pools[attempt.pool].running -= 1

    def tick(self, engine: WorkerPools) -> None:
        """Have the engine replace stalled pools, every few seconds.

        Raises
        ------
        EngineError
            If only a new engine can replace one.
        """
        now = self._clock.seconds()
        if now < self._next_check:
            return
        self._next_check = now + _CHECK_SECONDS
        orders = engine.queued_by_pool()
        stalled = self.find_stalled(orders, now, self._journals_read_at())
        replaced = engine.replace_pools(stalled)
        begins = any(
            held and not self._pools[one].starts for one, held in orders.items() if one not in stalled
        )
        shorter = bool(stalled) and not begins
        self.start_seconds = min(START_SECONDS, self._timeout_seconds) if shorter else START_SECONDS
        self.held = sum(orders[pool] for pool in stalled)
        for pool, why in stalled.items():
            if why and pool in replaced:
                message = f"{why}; it gets no more"
                self._events.record(EventKind.POOL_REPLACED, message, subject=pool, level=logging.WARNING)

    def find_stalled(self, orders: Mapping[str, int], now: float, journals_read_at: float) -> dict[str, str]:
        """Return stalled pools, each with a message the first time and an empty text later.

        A pool on which an attempt runs is not stalled: the attempt may finish first.

        Parameters
        ----------
        orders
            How many each connected pool holds.
        now, journals_read_at
            Seconds by the driver's clock, and when the journals were last read. Large campaigns read them
            seldom, and a pool must not be blamed for starts that were not read yet.
        """
        found = {}
        for pool, held in orders.items():
            if (known := self._pools.get(pool)) is None:
                known = self._pools[pool] = _Pool()
            if not held or known.running or known.idle_since is None or known.starts_then != known.starts:
                known.idle_since, known.starts_then, known.reported = now, known.starts, False
                continue
            idle = journals_read_at - known.idle_since
            if idle > (self._timeout_seconds if known.starts else START_SECONDS):
                where = f"of node {known.node}" if known.node else pool
                why = (
                    f"worker pool {where} started none of its {count_of(held, 'order')} for {idle:.0f} s, "
                    "as happens after a worker process was killed"
                )
                found[pool] = "" if known.reported else why
                known.reported = True
        return found
