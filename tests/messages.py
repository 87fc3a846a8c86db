"""Orders and reports for tests: complete ones, of which a test states what it is about."""

from __future__ import annotations

from typing import Any

from db.states import AttemptState
from orchestrator.protocol.order import AttemptOrder, RankResources, SlotOrder
from orchestrator.protocol.report import AttemptReport, TrainingResult


def order(**changes: Any) -> AttemptOrder:
    """Return an order of one rank on one node, with changed fields."""
    fields: dict[str, Any] = {
        "token": "t",
        "label": "toy/0",
        "attempt": 1,
        "campaign": "c",
        "session": 1,
        "slot_shape": "c1",
        "slots": "",
        "workload": "tests.toys.behave",
        "parameters": {},
        "seed": 1,
        "cache": "/nowhere/cache",
        "scratch": "/nowhere/scratch",
        "timeout_seconds": 60.0,
        "grace_seconds": 1.0,
        "longest_seconds": 300.0,
        "stdout_path": "/nowhere/toy-0.1.out",
        "stderr_path": "/nowhere/toy-0.1.err",
        "directory": "/nowhere",
        "working_directory": "/nowhere",
        "interpreter": "python",
    }
    return AttemptOrder(**fields | changes)


def slot_order(own: AttemptOrder | None = None, **changes: Any) -> SlotOrder:
    """Return an order with a slot of one core, with changed fields."""
    fields: dict[str, Any] = {
        "order": own or order(),
        "worker_pid": 1,
        "slot": 0,
        "places": (RankResources((0,)),),
        "journal": "/nowhere/w.journal",
    }
    return SlotOrder(**fields | changes)


def report(token: str = "t", state: str = "succeeded", **changes: Any) -> AttemptReport:
    """Return a report with changed fields; a result may be given as the data that a training sends."""
    result = changes.pop("result", None)
    if isinstance(result, dict):
        result = TrainingResult.from_json(result)
    fields: dict[str, Any] = {"at_us": 5, "result": result}
    return AttemptReport(token=token, state=AttemptState(state), **fields | changes)
