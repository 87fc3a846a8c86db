"""Finds worker pools that hold orders and start none of them.

Workers of a pool share locks. A worker that is killed while it waits for its next order can hold such a
lock for ever: its pool goes on sending heartbeats, and none of its workers takes an order any more.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from db.events import EventKind
from orchestrator.driver.clock import Clock
from orchestrator.driver.event_log import EventLog
from orchestrator.driver.in_flight import InFlightAttempt
from orchestrator.driver.observer import DriverObserver
from orchestrator.engines.base import WorkerPools
from orchestrator.protocol.report import AttemptReport

FIRST_SECONDS = 1800.0
"""In which a pool starts its first attempt, however slow its disk."""
_CHECK_SECONDS = 5.0


@dataclass(slots=True)
class _Pool:
    starts: int = 0
    node: str | None = None
    idle_since: float | None = None
    starts_then: int = 0
    reported: bool = False


@dataclass(frozen=True, slots=True)
class PoolActivity:
    """What the driver knows of its worker pools at one moment.

    Parameters
    ----------
    busy
        Pools on which an attempt runs.
    journals_read_at
        When the journals were last read, which report starts; seconds by the driver's clock.
    """

    busy: frozenset[str | None]
    journals_read_at: float


class StalledPoolDetector(DriverObserver):
    """Watches the worker pools of the engine.

    Parameters
    ----------
    timeout_seconds
        How long a pool that has started an attempt before may hold orders without starting one.
    activity
        Returns what the driver knows now; not called more often than pools are checked.
    """

    def __init__(
        self,
        timeout_seconds: float,
        clock: Clock,
        activity: Callable[[], PoolActivity],
        events: EventLog,
    ) -> None:
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._activity = activity
        self._events = events
        self._pools: dict[str, _Pool] = {}
        self._next_check = -math.inf

    def attempt_started(self, attempt: InFlightAttempt, report: AttemptReport) -> None:  # noqa: ARG002
        """Count an attempt that a pool started; reports of the driver itself name no pool."""
        if pool := report.pool:
            known = self._pools.setdefault(pool, _Pool())
            known.starts += 1
            known.node = report.node

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
        activity = self._activity()
        stalled = self.find_stalled(engine.queued_by_pool(), activity.busy, now, activity.journals_read_at)
        engine.replace_pools(stalled)
        for pool, why in stalled.items():
            if why:
                message = f"{why}; it gets no more"
                self._events.record(EventKind.POOL_REPLACED, message, subject=pool, level=logging.WARNING)

    def find_stalled(
        self, orders: Mapping[str, int], busy: Iterable[str | None], now: float, journals_read_at: float
    ) -> dict[str, str]:
        """Return stalled pools, each with a message the first time and an empty text later.

        A pool on which an attempt runs is not stalled: the attempt may finish first.

        Parameters
        ----------
        orders
            How many each connected pool holds.
        now, journals_read_at
            As in `PoolActivity`. Large campaigns read journals seldom, and a pool must not be blamed
            for starts that were not read yet.
        """
        running = set(busy)
        found = {}
        for pool, held in orders.items():
            known = self._pools.setdefault(pool, _Pool())
            if not held or pool in running or known.idle_since is None or known.starts_then != known.starts:
                known.idle_since, known.starts_then, known.reported = now, known.starts, False
                continue
            idle = journals_read_at - known.idle_since
            if idle > (self._timeout_seconds if known.starts else FIRST_SECONDS):
                where = f"of node {known.node}" if known.node else pool
                why = (
                    f"worker pool {where} started none of its {held} orders for {idle:.0f} s, "
                    "as happens after a worker process was killed"
                )
                found[pool] = "" if known.reported else why
                known.reported = True
        return found
