"""Ends points whose questions have answers, trials of searches, and campaigns whose budget is spent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from db.events import EventKind
from db.records import SettledBenchmark
from db.states import InstanceState
from orchestrator.driver.budget import Budget
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.observers.trials import TrialWatch
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.memory_levels import MemoryLevels
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.settlement import Settlement
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)


class Stopping:
    """Takes back the waiting instances that are not needed, and releases those of promoted trials.

    Parameters
    ----------
    levels
        Waiting instances, shared with the queues of all stages; changed in place.
    answers, trials, budget
        None without questions, without searches, and without a budget.
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
        trials: TrialWatch | None,
        budget: Budget | None,
    ) -> None:
        self._levels = levels
        self._benchmarks = benchmarks
        self._settlement = settlement
        self._snapshot = snapshot
        self._writer = writer
        self._clock = clock
        self._answers = answers
        self._trials = trials
        self._budget = budget

    def apply(self) -> None:
        """End what has its answer since the last call, or everything once the budget is spent."""
        if self._answers is not None:
            for point in self._answers.newly_settled():
                data = {"answers": list(point.sentences)}
                self._settle(point.benchmark, EventKind.POINT_SETTLED, point.message, data)
        if self._trials is not None:
            self._apply_decisions(self._trials)
        if self._budget is None:
            return
        now_us = self._clock.now_us()
        if (reason := self._budget.spent(self._writer.recorded_blocks, now_us)) is not None:
            self._budget = None
            for benchmark in self._benchmarks:
                self._settle(benchmark, EventKind.BUDGET_SPENT, f"{benchmark}: {reason}", {})

    def _apply_decisions(self, trials: TrialWatch) -> None:
        promotions, prunings = trials.decide()
        for one in promotions:
            _log.info("%s", one.message)
            self._writer.note(
                EventKind.TRIAL_PROMOTED, one.message, subject=one.benchmark, at_us=self._clock.now_us()
            )
        for pruning in prunings:
            self._take_back(pruning.benchmarks, InstanceState.PRUNED, EventKind.TRIAL_PRUNED, pruning.message)
        if pending := self._writer.reopen(trials.again - self._settlement.not_needed):
            trials.again.clear()
            self._snapshot.total += len(pending)
            self._levels.add(pending)

    def _settle(self, benchmark: str, kind: EventKind, message: str, data: Mapping[str, object]) -> None:
        self._settlement.not_needed.add(benchmark)
        self._take_back((benchmark,), InstanceState.NOT_NEEDED, kind, message, data)

    def _take_back(
        self,
        benchmarks: tuple[str, ...],
        state: InstanceState,
        kind: EventKind,
        message: str,
        data: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        queues = [queue for name in benchmarks for queue in self._levels.queues_of(name)]
        if number := sum(map(len, queues)):
            words = state.value.replace("_", " ")
            _log.info("%s (%s %s)", message, count_of(number, "instance", "are"), words)
        self._snapshot.total -= number
        for queue in queues:
            queue.clear()
        self._writer.settle(SettledBenchmark(benchmarks, state, kind, message, data, self._clock.now_us()))
