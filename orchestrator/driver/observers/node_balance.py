"""How often each node ran each point, for campaigns whose order is drawn."""

from __future__ import annotations

from collections import Counter, deque

from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.protocol.report import AttemptReport


class NodeBalance(DriverObserver):
    """Counts how often each node ran each point, and which nodes have a slot that nothing was chosen for."""

    def __init__(self) -> None:
        self._runs: dict[str, Counter[str]] = {}
        self._freed: dict[str, deque[str]] = {}

    def attempt_started(self, attempt: InFlightAttempt, report: AttemptReport) -> None:
        """Count an attempt on its node."""
        if report.node:
            self._runs.setdefault(report.node, Counter())[attempt.pending.benchmark] += 1

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Note that a node has a free slot."""
        if attempt.node and attempt.queue is not None:
            self._freed.setdefault(attempt.queue.pool, deque()).append(attempt.node)

    def runs(self, pool: str) -> tuple[Counter[str], int] | None:
        """Return how often the node that was freed first ran each point, and the number of nodes."""
        freed = self._freed.get(pool)
        return (self._runs.get(freed[0], Counter()), len(self._runs)) if freed else None

    def take(self, pool: str) -> None:
        """Forget the free slot of the node that was freed first."""
        if freed := self._freed.get(pool):
            freed.popleft()
