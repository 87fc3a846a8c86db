"""Events of nodes that could not copy the dataset cache to their own disk at once."""

from __future__ import annotations

import logging

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.protocol.report import AttemptReport

_AS_MEANT = ("hit", "copied", "waited")


class StagedCopies(DriverObserver):
    """Records each node's trouble with its copies once, with the reason that its instances report."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self._known: set[str] = set()

    def attempt_ended(
        self,
        attempt: InFlightAttempt,  # noqa: ARG002  the hook's signature
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002  the hook's signature
    ) -> None:
        """Record what a final report says of the node's copy."""
        state = report.result.data.get("cache_stage") if report.result is not None else None
        if state is None or state in _AS_MEANT:
            return
        message = f"node {report.node}: copy of the dataset cache {state}"
        if message not in self._known:
            self._known.add(message)
            self._events.record(
                EventKind.CACHE_NOT_STAGED, message, subject=report.node or "", level=logging.WARNING
            )
