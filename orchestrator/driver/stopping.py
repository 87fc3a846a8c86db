"""Ends points whose questions have answers, trials of searches, and campaigns whose budget is spent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from db.events import EventKind
from db.records import SettledBenchmark
from db.states import InstanceState
from orchestrator.driver.budget import Budget
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.answers import AnswerWatch, SettledPoint
from orchestrator.driver.observers.nodes import NodeWatch
from orchestrator.driver.observers.trials import TrialWatch
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.driver.settlement import Settlement
from orchestrator.driver.stop_requests import StopLevel, StopRequests
from orchestrator.engines.base import Engine, ExpectedWork
from orchestrator.errors import BudgetTooSmallError
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Stopping:
    """Takes back the waiting instances that are not needed, and releases those of promoted trials.

    Parameters
    ----------
    levels
        Waiting instances, shared with the queues of all stages; changed in place.
    answers, nodes, trials, budget
        None without questions, in no screening, without searches, and without a budget.
    """

    levels: ResourceLevels
    benchmarks: Sequence[str]
    settlement: Settlement
    snapshot: Snapshot
    writer: LedgerWriter
    clock: Clock
    answers: AnswerWatch | None
    nodes: NodeWatch | None
    trials: TrialWatch | None
    budget: Budget | None
    stops: StopRequests

    def apply(self) -> None:
        """End what has its answer since the last call, or everything once the budget is spent."""
        for point in self._settled_points():
            data = {"answers": list(point.sentences)}
            self._settle(point.benchmark, EventKind.POINT_SETTLED, point.message, data)
        if self.trials is not None:
            self._apply_decisions(self.trials)
        if self.budget is None:
            return
        now_us = self.clock.now_us()
        if (reason := self.budget.spent(self.writer.recorded_blocks, now_us)) is not None:
            self.end_for_budget(reason)

    def scale(
        self, engine: Engine, engines: Sequence[Engine], most: int, expected: ExpectedWork | None
    ) -> None:
        """Let an engine hold blocks whose shapes fit what is left, and the rest of the budget.

        Parameters
        ----------
        engines
            All that have blocks of the campaign.
        most, expected
            As `Engine.scale` takes them.
        """
        if self.budget is None:
            engine.scale(most, expected)
            return
        promised = sum(one.promised_node_seconds() for one in engines)
        allowance = self.budget.allowance(self.writer.recorded_blocks, promised, self.clock.now_us())
        try:
            engine.scale(most, expected, allowance)
        except BudgetTooSmallError as error:
            if not promised:  # blocks of other engines may give some back
                self.end_for_budget(str(error))

    def end_for_budget(self, reason: str) -> None:
        """Start no further instance, as the budget has no room for one.

        Where the budget is a way to end, as for questions and searches, no more is needed; otherwise what is
        left waits for a resume.
        """
        self.budget = None
        if self.answers is not None or self.nodes is not None or self.trials is not None:
            for benchmark in self.benchmarks:
                self._settle(benchmark, EventKind.BUDGET_SPENT, f"{benchmark}: {reason}", {})
            return
        name = self.snapshot.campaign
        message = (
            f"{reason}; no further instance starts. `orchestrator resume {name} "
            "--set campaign.budget.KEY=VALUE` goes on with a larger one"
        )
        _log.warning("%s", message)
        self.writer.note(EventKind.BUDGET_SPENT, message, subject="", at_us=self.clock.now_us())
        self.stops.request(StopLevel.DRAIN, "its budget")

    def _settled_points(self) -> list[SettledPoint]:
        """Return what needs no further run; of a screening between two waves, as the ledger has them."""
        if self.answers is not None:
            return self.answers.newly_settled()
        if self.nodes is None or not self.nodes.changed or self.settlement.in_flight:
            return []
        self.writer.flush()
        return [] if self.writer.waiting else self.nodes.newly_settled()

    def _apply_decisions(self, trials: TrialWatch) -> None:
        promotions, prunings = trials.decide()
        for one in promotions:
            _log.info("%s", one.message)
            self.writer.note(
                EventKind.TRIAL_PROMOTED, one.message, subject=one.benchmark, at_us=self.clock.now_us()
            )
        for pruning in prunings:
            self._take_back(pruning.benchmarks, InstanceState.PRUNED, EventKind.TRIAL_PRUNED, pruning.message)
        if pending := self.writer.reopen(trials.again - self.settlement.not_needed):
            trials.again.clear()
            self.snapshot.total += len(pending)
            self.levels.add(pending)

    def _settle(self, benchmark: str, kind: EventKind, message: str, data: Mapping[str, object]) -> None:
        self.settlement.not_needed.add(benchmark)
        self._take_back((benchmark,), InstanceState.NOT_NEEDED, kind, message, data)

    def _take_back(
        self,
        benchmarks: tuple[str, ...],
        state: InstanceState,
        kind: EventKind,
        message: str,
        data: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        queues = [queue for name in benchmarks for queue in self.levels.queues_of(name)]
        if number := sum(map(len, queues)):
            words = state.value.replace("_", " ")
            _log.info("%s (%s %s)", message, count_of(number, "instance", "are"), words)
        self.snapshot.total -= number
        for queue in queues:
            queue.clear()
        self.writer.settle(SettledBenchmark(benchmarks, state, kind, message, data, self.clock.now_us()))
