"""Ends points whose questions have answers, and campaigns whose budget is spent."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping

from db.events import EventKind
from db.records import Pending, SettledBenchmark
from orchestrator.driver.budget import Budget
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.settlement import Settlement

_log = logging.getLogger(__name__)


class Stopping:
    """Takes back the waiting instances that are not needed.

    Parameters
    ----------
    waiting
        Instances by benchmark, shared with the queues of all stages; changed in place.
    answers, budget
        None without questions, and without a budget.
    """

    def __init__(
        self,
        waiting: Mapping[str, deque[Pending]],
        settlement: Settlement,
        snapshot: Snapshot,
        writer: LedgerWriter,
        clock: Clock,
        answers: AnswerWatch | None,
        budget: Budget | None,
    ) -> None:
        self._waiting = waiting
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
            for benchmark in self._waiting:
                self._settle(benchmark, EventKind.BUDGET_SPENT, f"{benchmark}: {reason}", {})

    def _settle(self, benchmark: str, kind: EventKind, message: str, data: Mapping[str, object]) -> None:
        self._settlement.not_needed.add(benchmark)
        waiting = self._waiting[benchmark]
        if waiting:
            _log.info("%s (%d instances are not needed)", message, len(waiting))
        self._snapshot.total -= len(waiting)
        waiting.clear()
        self._writer.settle(SettledBenchmark(benchmark, kind, message, data, self._clock.now_us()))
