"""Hands instances to the engine, as many as may be in flight; the ledger knows each attempt first."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from db.records import NewAttempt, Pending
from db.states import InstanceState
from orchestrator.driver.in_flight import InFlightAttempt
from orchestrator.driver.observer import DriverObserver
from orchestrator.driver.order_builder import OrderBuilder
from orchestrator.driver.pending_queue import PendingQueue
from orchestrator.driver.runtime_estimates import RuntimeEstimates
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.start_barrier import StartBarrier
from orchestrator.engines.base import Engine
from orchestrator.planning.plan import Stage
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory

_SUBMIT_BATCH = 1000  # handed over between two renewals of the lease


class Submission(DriverObserver):
    """Chooses instances and submits attempts.

    Parameters
    ----------
    all_in_flight
        Attempts of all lanes.
    barrier
        Where instances of a wave start together; None where each starts when it is ready.
    on_done
        Called with token and future when an attempt's future is done, on any thread.

    Attributes
    ----------
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
        all_in_flight: dict[str, InFlightAttempt],
        estimates: RuntimeEstimates,
        barrier: StartBarrier | None,
        on_done: Callable[[str, Future[AttemptReport]], None],
    ) -> None:
        self.queue = PendingQueue()
        self.chosen: list[tuple[Pending, NewAttempt]] = []
        self._orders = OrderBuilder(
            setup.plan, setup.row.uid, setup.session, RunDirectory(Path(setup.row.run_directory))
        )
        self._writer = setup.writer
        self._clock = setup.clock
        self.in_flight: dict[str, InFlightAttempt] = {}
        self._all_in_flight = all_in_flight
        self._estimates = estimates
        self._barrier = barrier
        self._on_done = on_done

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Forget an attempt."""
        self.in_flight.pop(attempt.token, None)

    def __len__(self) -> int:
        """Return how many instances wait or are chosen."""
        return len(self.queue) + len(self.chosen)

    def most_beside(self, stage: Stage) -> int:
        """Return how many unfinished instances may run side by side; more blocks would stay idle."""
        if len(stage.groups) == 1:
            return len(self) + len(self.in_flight)
        counts: Counter[str] = Counter()
        for name in self.queue.benchmarks:
            counts[stage.group_of[name]] += self.queue.count(name)
        for pending in (*(one for one, _ in self.chosen), *(one.pending for one in self.in_flight.values())):
            counts[stage.group_of[pending.benchmark]] += 1
        return max(counts.values(), default=0)

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
                self.chosen.append(self._choose(stage, benchmark))
        # After an error the same attempts are offered again: the ledger may have taken them after all.
        if not self.chosen or not self._writer.submit([new for _, new in self.chosen]):
            return
        wave = self._barrier.wave if self._barrier else None
        while self.chosen:
            pending, new = self.chosen.pop(0)
            attempt = InFlightAttempt(new.token, pending, new.attempt_number)
            self._all_in_flight[new.token] = self.in_flight[new.token] = attempt
            order = self._orders.build(
                stage, pending, new, self._estimates.expected_seconds(pending.benchmark), wave
            )
            engine.submit(order).add_done_callback(partial(self._on_done, new.token))

    def _next_benchmark(self, stage: Stage) -> str | None:
        """Return which benchmark's instances are next."""
        return self.queue.next_benchmark(self._clock.seconds(), self._members(stage))

    def _members(self, stage: Stage) -> frozenset[str] | None:
        """Return the benchmarks that may run beside those that run or are chosen; None for all."""
        if len(stage.groups) == 1:
            return None
        one = next((attempt.pending for attempt in self.in_flight.values()), None)
        one = one or next((pending for pending, _ in self.chosen), None)
        first = one.benchmark if one else self.queue.next_benchmark(self._clock.seconds())
        return frozenset() if first is None else stage.beside[first]

    def _choose(self, stage: Stage, benchmark: str) -> tuple[Pending, NewAttempt]:
        one = self.queue.pop(benchmark)
        token = secrets.token_hex(8)
        return one, NewAttempt(one.instance_id, one.attempts + 1, token, stage.label, self._clock.now_us())
