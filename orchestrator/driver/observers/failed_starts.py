"""Events of nodes where attempts do not start."""

from __future__ import annotations

import logging

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.protocol.report import NOT_STARTED, AttemptReport


class FailedStartNotice(DriverObserver):
    """Says once for each node and reason that attempts do not start there."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self._known: set[tuple[str | None, str | None]] = set()

    def attempt_ended(
        self,
        attempt: InFlightAttempt,
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002  the hook's signature
    ) -> None:
        """Say what the first attempt that did not start on a node reports."""
        key = report.node, report.failure_reason
        if report.failure_reason not in NOT_STARTED or key in self._known:
            return
        self._known.add(key)
        message = (
            f"{attempt.label} did not start on node {report.node}: {report.failure_message}; "
            "slots where that goes on wait longer before each next attempt"
        )
        self._events.record(
            EventKind.ATTEMPT_NOT_STARTED, message, subject=report.node or "", level=logging.WARNING
        )
