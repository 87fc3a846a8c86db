"""Ends points whose questions have answers, and campaigns whose budget is spent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from db.events import EventKind
from db.records import SettledBenchmark
from orchestrator.driver.budget import Budget
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.memory_levels import MemoryLevels
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.settlement import Settlement

_log = logging.getLogger(__name__)


class Stopping:
    """Takes back the waiting instances that are not needed.

    Parameters
    ----------
    levels
        Waiting instances, shared with the queues of all stages; changed in place.
    benchmarks
        Names of the campaign's.
    answers, budget
        None without questions, and without a budget.
    """

    def __init__(
        self,
        levels: MemoryLevels,
        benchmarks: Sequence[str],
        settlement: Settlement,
        snapshot: Snapshot,
        writer: LedgerWriter,
        clock: Clock,
        answers: AnswerWatch | None,
        budget: Budget | None,
    ) -> None:
        self._levels = levels
        self._benchmarks = benchmarks
        self._settlement = settlement
        self._snapshot = snapshot
        self._writer = writer
        self._clock = clock
        self._answers = answers
        self._budget = budget

    def apply(self) -> None:
        """End what has its answer since the last call, or everything once the budget is spent."""
        if self._answers is None:
            return
        for point in self._answers.newly_settled():
            data = {"answers": list(point.sentences)}
            self._settle(point.benchmark, EventKind.POINT_SETTLED, point.message, data)
        if self._budget is None:
            return
        now_us = self._clock.now_us()
        if (reason := self._budget.spent(self._writer.recorded_blocks, now_us)) is not None:
            self._budget = None
            for benchmark in self._benchmarks:
                self._settle(benchmark, EventKind.BUDGET_SPENT, f"{benchmark}: {reason}", {})

    def _settle(self, benchmark: str, kind: EventKind, message: str, data: Mapping[str, object]) -> None:
        self._settlement.not_needed.add(benchmark)
        queues = self._levels.queues_of(benchmark)
        if number := sum(map(len, queues)):
            _log.info("%s (%d instances are not needed)", message, number)
        self._snapshot.total -= number
        for queue in queues:
            queue.clear()
        self._writer.settle(SettledBenchmark(benchmark, kind, message, data, self._clock.now_us()))
