"""Attempts that a block had too little time left for."""

from __future__ import annotations

from typing import Any

from db.states import InstanceState
from orchestrator.driver.observers.runtime_estimates import RuntimeEstimates
from orchestrator.driver.observers.short_blocks import ShortBlocks
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark, pool_entry
from tests.messages import report
from tests.orchestrator.driver.fakes import ManualClock, RecordedEvents, attempt
from tests.orchestrator.driver.queue.test_pending import pending


def test_nothing_is_decided_for_a_pool_that_is_paused_by_then() -> None:
    events: Any = RecordedEvents()
    observer = ShortBlocks(RuntimeEstimates({"a": 60.0}, None), ManualClock(), events)
    short = report(state="cancelled", failure_reason="walltime", left_seconds=30.0, pool="p1")
    queue = PendingQueue(by_benchmark(["a"], pending(0)), {pool_entry("gpu")}, "gpu")
    observer.attempt_ended(attempt(queue=queue), short, InstanceState.PLANNED)
    assert events.found == []
    queue = PendingQueue(by_benchmark(["a"], pending(0)), frozenset(), "gpu")
    observer.attempt_ended(attempt(queue=queue), short, InstanceState.PLANNED)
    assert [subject for _, subject, _ in events.found] == ["p1"]
