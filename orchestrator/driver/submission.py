"""Hands instances to the engine, as many as may be in flight; the ledger knows each attempt first."""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from db.events import EventKind
from db.records import NewAttempt, Pending
from orchestrator.driver.observers.runtime_estimates import RuntimeEstimates
from orchestrator.driver.observers.start_barrier import StartBarrier
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.queue.order_builder import OrderBuilder
from orchestrator.driver.queue.pending import PendingQueue
from orchestrator.driver.records.event_log import EventLog
from orchestrator.driver.setup import DriverSetup
from orchestrator.engines.base import Engine, ExpectedWork, OnEnd
from orchestrator.planning.stage import Stage
from orchestrator.protocol.time_budget import BLOCK_END_SECONDS
from orchestrator.wording import count_of, disk_words, gibibytes
from sites.quantities import shown

_SUBMIT_BATCH = 1000  # handed over between two renewals of the lease


class Submission:
    """Chooses instances and submits attempts.

    Parameters
    ----------
    hand_over
        Returns an attempt that is in flight from now on.
    barrier
        Where instances of a wave start together; None where each starts when it is ready.
    on_end
        Called at the end of an attempt.
    events
        Takes deviations from a drawn order.

    Attributes
    ----------
    orders
        Builds the orders of all lanes of the present plan.
    queue
        Instances that wait.
    in_flight
        Attempts that were handed over here and have not ended, by token.
    chosen
        Attempts that were chosen and are not yet handed over, as the ledger could not be written.
    """

    def __init__(
        self,
        setup: DriverSetup,
        orders: OrderBuilder,
        hand_over: Callable[[Pending, NewAttempt, PendingQueue], InFlightAttempt],
        estimates: RuntimeEstimates,
        barrier: StartBarrier | None,
        on_end: OnEnd,
        events: EventLog,
    ) -> None:
        self.queue = PendingQueue()
        self.chosen: deque[tuple[Pending, NewAttempt]] = deque()
        self.orders = orders
        self._writer = setup.writer
        self._clock = setup.clock
        self.in_flight: dict[str, InFlightAttempt] = {}
        self._hand_over = hand_over
        self._flying: Counter[str] = Counter()
        self._estimates = estimates
        self._timeouts = {one.name: one.timeout_seconds for one in setup.plan.benchmarks}
        self._ending_seconds = setup.plan.campaign.grace_period + BLOCK_END_SECONDS
        self._barrier = barrier
        self._on_end = on_end
        self._events = events

    def forget(self, attempt: InFlightAttempt) -> None:
        """Forget an attempt that ended."""
        if self.in_flight.pop(attempt.token, None) is not None:
            self._flying[attempt.pending.benchmark] -= 1

    def __len__(self) -> int:
        """Return how many instances wait or are chosen."""
        return len(self.queue) + len(self.chosen)

    def __bool__(self) -> bool:
        """Return whether any instance waits or is chosen."""
        return bool(self.chosen or self.queue)

    @property
    def running(self) -> int:
        """Number of attempts that have begun."""
        return sum(one.running for one in self.in_flight.values())

    def most_beside(self, stage: Stage) -> int:
        """Return how many unfinished instances may run side by side; more blocks would stay idle."""
        if stage.alone:
            return min(1, len(self) + len(self.in_flight))
        if len(stage.groups) == 1:
            return len(self) + len(self.in_flight)
        counts: Counter[str] = Counter()
        for name in self.queue.benchmarks:
            counts[stage.group_of[name]] += self.queue.count(name)
        for name, number in self._flying.items():
            if number:  # that of larger slots may have left the stage, as pools were added or removed
                counts[stage.group_of.get(name, name)] += number
        for pending, _ in self.chosen:
            counts[stage.group_of[pending.benchmark]] += 1
        return max(counts.values(), default=0)

    def expected_work(self, stage: Stage) -> ExpectedWork | None:
        """Return how long all unfinished instances take; None where that of a benchmark is not known."""
        counts = Counter({name: self.queue.count(name) for name in self.queue.benchmarks})
        counts.update(self._flying)
        counts.update(pending.benchmark for pending, _ in self.chosen)
        left = [name for name in stage.group_of if counts[name]]
        known = [self._estimates.expected_seconds(name, self.queue.pool) for name in left]
        times = [seconds for seconds in known if seconds is not None]
        if not times or len(times) < len(left):
            return None
        return ExpectedWork(
            sum(seconds * counts[name] for name, seconds in zip(left, times, strict=True)),
            min(times) + self._ending_seconds,
            max(times) + self._ending_seconds,
        )

    def barrier_accepts(self) -> bool:
        """Return whether attempts may start now: always, or while their wave waits at the barrier."""
        if self._barrier is not None and not self.in_flight:
            self._barrier.next_wave()
        return self._barrier is None or not self._barrier.open

    def startable(self, stage: Stage) -> int:
        """Return how many more instances may start."""
        return self.queue.ready_count(self._clock.seconds(), self._members(stage))

    def fill(self, stage: Stage, engine: Engine, limit: int) -> None:
        """Hand over instances until so many attempts are in flight."""
        if not self.chosen:
            room = min(limit - len(self.in_flight), _SUBMIT_BATCH)
            while len(self.chosen) < room and (benchmark := self._next_benchmark(stage)):
                most = 1 if self.queue.one_at_a_time else self.queue.count(benchmark)
                number = min(room - len(self.chosen), most)
                self.chosen.extend(self._choose(stage, benchmark) for _ in range(number))
        # After an error the same attempts are offered again: the ledger may have taken them after all.
        if not self.chosen or not self._writer.submit([new for _, new in self.chosen]):
            return
        wave = self._barrier.wave if self._barrier else None
        while self.chosen:
            pending, new = self.chosen.popleft()
            self.in_flight[new.token] = self._hand_over(pending, new, self.queue)
            self._flying[pending.benchmark] += 1
            expected = self._estimates.expected_seconds(pending.benchmark, self.queue.pool)
            order = self.orders.build(stage, pending, new, expected, wave)
            engine.submit(order, self._on_end)

    def next_seconds(self, stage: Stage) -> float | None:
        """Return the expected runtime of the instance that is next; None if unknown."""
        name = self._next_benchmark(stage)
        return None if name is None else self._estimates.expected_seconds(name, self.queue.pool)

    def _next_benchmark(self, stage: Stage) -> str | None:
        """Return the benchmark that takes longest, of those that may start now."""
        ready = self.queue.ready(self._clock.seconds(), self._members(stage))
        return max(ready, key=self._seconds, default=None)

    def _seconds(self, benchmark: str) -> float:
        """Return how long an instance takes, as was learned or expected; else how long it may take."""
        return self._estimates.expected_seconds(benchmark, self.queue.pool) or self._timeouts[benchmark]

    def _members(self, stage: Stage) -> frozenset[str] | None:
        """Return the benchmarks that may run beside those that run or are chosen; None for all."""
        if len(stage.groups) == 1:
            return None
        one = next((attempt.pending for attempt in self.in_flight.values()), None)
        one = one or next((pending for pending, _ in self.chosen), None)
        first = one.benchmark if one else next(self.queue.ready(self._clock.seconds()), None)
        return frozenset() if first is None else stage.beside.get(first, frozenset())

    def _choose(self, stage: Stage, benchmark: str) -> tuple[Pending, NewAttempt]:
        one = self.queue.pop(benchmark)
        if deviation := self.queue.deviation(one):
            subject = f"{one.benchmark}/{one.benchmark_index}"
            self._events.record(EventKind.ORDER_DEVIATED, deviation, subject=subject)
        limit = self.orders.limits.of(one)
        if limit.before_seconds is not None:
            self._events.record(
                EventKind.TIMEOUT_RAISED,
                f"{one.benchmark}/{one.benchmark_index} may take {shown(limit.timeout_seconds)} at its next "
                f"attempt, as {shown(limit.before_seconds)} were too short",
                subject=f"{one.benchmark}/{one.benchmark_index}",
                data={"timeout_seconds": limit.timeout_seconds},
            )
        if stage.level:
            self._note_larger_slot(stage, one)
        token = secrets.token_hex(8)
        return one, NewAttempt(one.instance_id, one.attempts + 1, token, stage.label, self._clock.now_us())

    def _note_larger_slot(self, stage: Stage, one: Pending) -> None:
        """Record that an instance has more memory, or disk, than first attempts have."""
        subject, shape = f"{one.benchmark}/{one.benchmark_index}", stage.shape
        where = f" of pool {stage.site.pool}" if stage.site.pool else ""
        slot = {"slot_shape": stage.label, "slots": len(stage.slots), "nodes": shape.nodes}
        sizes: list[tuple[EventKind, str, dict[str, Any]]] = []
        if stage.level.memory:
            memory, each = shape.memory_bytes or 0, " a rank" if shape.ranks > 1 else ""
            text = f"{gibibytes(memory)} of memory{each}"
            sizes.append((EventKind.MEMORY_RAISED, text, {"memory_bytes": memory}))
        if stage.level.disk:
            share, disk = float(shape.disk), stage.disk_bytes
            disks = {"disk_share": share, "disk_bytes": disk}
            sizes.append((EventKind.DISK_RAISED, disk_words(share, disk), disks))
        for kind, text, found in sizes:
            self._events.record(
                kind,
                f"{subject} has {text} at its next attempt, in one of "
                f"{count_of(len(stage.slots), 'slot')} of a node{where}, as a smaller slot was too little",
                subject=subject,
                data=found | slot,
            )
