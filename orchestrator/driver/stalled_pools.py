"""Finds worker pools that hold orders and start none of them.

Workers of a pool share locks. One that is killed while it waits for its next order can take a lock
with it: its pool goes on to be heard of, and none of its workers takes an order any more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.engines.base import Engine
from orchestrator.protocol.report import AttemptReport

FIRST_SECONDS = 1800.0
"""In which a pool starts its first attempt, however slow its disk."""
_LOOK_SECONDS = 5.0


@dataclass(slots=True)
class _Pool:
    starts: int = 0
    node: str | None = None
    since: float | None = None
    seen: int = 0
    told: bool = False


@dataclass(slots=True)
class Standstill:
    """What was seen of the worker pools of one engine.

    Parameters
    ----------
    patience_seconds
        How long a pool that has started an attempt before may hold orders without starting one.
    """

    patience_seconds: float
    _pools: dict[str, _Pool] = field(default_factory=dict)
    _next: float = -math.inf

    def started(self, report: AttemptReport) -> None:
        """Count an attempt that a pool started, by its first report; the driver's own tell of no pool."""
        if pool := report.pool:
            known = self._pools.setdefault(pool, _Pool())
            known.starts += 1
            known.node = report.node

    def look(self, engine: Engine, running: Iterable[str | None], now: float, read: float) -> list[str]:
        """Have an engine give up the pools that stand still, every few seconds; return what is new to say.

        Raises
        ------
        EngineError
            Where only a new engine can replace one.
        """
        if now < self._next:
            return []
        self._next = now + _LOOK_SECONDS
        standing = self.find(engine.orders(), running, now, read)
        engine.give_up(standing)
        return [f"{why}; it gets no more" for why in standing.values() if why]

    def find(
        self, orders: Mapping[str, int], running: Iterable[str | None], now: float, read: float
    ) -> dict[str, str]:
        """Return the pools that stand still, with words for the user the first time and without later.

        Nothing may run there either: what runs on a pool is let finish first.

        Parameters
        ----------
        orders
            How many each pool that is heard of holds.
        running
            The pool of each attempt that runs.
        now, read
            Monotonic seconds; and when the journals were last read, which tell of starts. Where that takes
            long it is done seldom, and a pool is not blamed for what was not read yet.
        """
        busy = set(running)
        found = {}
        for pool, held in orders.items():
            known = self._pools.setdefault(pool, _Pool())
            if not held or pool in busy or known.since is None or known.seen != known.starts:
                known.since, known.seen, known.told = now, known.starts, False
                continue
            idle = read - known.since
            if idle > (self.patience_seconds if known.starts else FIRST_SECONDS):
                where = f"of node {known.node}" if known.node else pool
                why = (
                    f"worker pool {where} started none of its {held} orders for {idle:.0f} s, "
                    "as happens after a worker process was killed"
                )
                found[pool] = "" if known.told else why
                known.told = True
        return found
