"""Attempts that do not start on a node are told once."""

from __future__ import annotations

from typing import Any

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.failed_starts import FailedStartNotice
from tests.messages import report
from tests.orchestrator.driver.fakes import RecordedEvents, attempt, failed


def test_each_node_and_reason_is_told_once() -> None:
    events: Any = RecordedEvents()
    notice = FailedStartNotice(events)
    full = [
        report(
            node=node,
            state="failed",
            failure_reason="cannot start",
            failure_message="OSError: No space left on device",
        )
        for node in ("n7", "n7", "n8")
    ]
    for one in (failed(), *full):
        notice.attempt_ended(attempt(), one, InstanceState.PLANNED)
    assert [(kind, subject) for kind, subject, _ in events.found] == [
        (EventKind.ATTEMPT_NOT_STARTED, "n7"),
        (EventKind.ATTEMPT_NOT_STARTED, "n8"),
    ]
    assert events.found[0][2].startswith("a/0 did not start on node n7: OSError: No space left on device; ")
