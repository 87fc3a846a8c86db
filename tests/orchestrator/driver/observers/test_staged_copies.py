"""A node's trouble with its copy of the dataset cache is an event, once."""

from __future__ import annotations

from typing import Any

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.observers.staged_copies import StagedCopies
from orchestrator.protocol.report import AttemptReport
from tests.messages import report
from tests.orchestrator.driver.fakes import RecordedEvents, attempt, failed


def ended(data: dict[str, Any], node: str = "n7") -> AttemptReport:
    return report(node=node, result={"data": data})


def test_each_node_and_reason_is_an_event_once() -> None:
    events: Any = RecordedEvents()
    copies = StagedCopies(events)
    full = {"cache_stage": "not used: No space left on device"}
    usual = [ended({}), *(ended({"cache_stage": state}) for state in ("hit", "copied", "waited")), failed()]
    for one in (*usual, ended(full), ended(full), ended(full, "n8")):
        copies.attempt_ended(attempt(), one, InstanceState.DONE)
    reason = "copy of the dataset cache not used: No space left on device"
    assert events.found == [
        (EventKind.CACHE_NOT_STAGED, "n7", f"node n7: {reason}"),
        (EventKind.CACHE_NOT_STAGED, "n8", f"node n8: {reason}"),
    ]
