"""From what an attempt reported to what the ledger keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from db.records import AttemptReport
from db.rows import COPIED
from db.states import AttemptState, InstanceState
from orchestrator.protocol.numbers import finite

# These differ between attempts in one environment; the environment is stored once without them.
_OF_THE_PROCESS = ("host", "pid", "cpuset", "gpus", "ranks", "process_threads", "external")
# The rulebook asks every attempt for these.
_OF_THE_ATTEMPT = (
    *_OF_THE_PROCESS,
    "thread_variables",
    "intra_op_threads",
    "inter_op_threads",
    "devices",
    "framework",
    "framework_version",
    "precision",
    "tensor_float32",
)


def to_ledger(report: Mapping[str, Any], received_us: int, becomes: InstanceState | None) -> AttemptReport:
    """Return the ledger's form of a supervisor's or worker's report.

    Parameters
    ----------
    report
        As it stood in the journal or came with the future.
    received_us
        When the driver got it, UTC microseconds.
    becomes
        What becomes of the instance.
    """
    state = AttemptState(report["state"])
    values = {name: report[name] for name in COPIED if report.get(name) is not None}
    if "cores" in report:
        values["cores"] = ",".join(map(str, report["cores"]))
    if report.get("devices"):
        values["devices"] = ",".join(report["devices"])
    environment = None
    metrics: tuple[tuple[str, float, str], ...] = ()
    if state.final:
        values["received_us"] = received_us
    result = report.get("result")
    if result:
        seen = result.get("seen", {})
        values["seen"] = {name: seen[name] for name in _OF_THE_ATTEMPT if name in seen}
        environment = {name: value for name, value in seen.items() if name not in _OF_THE_PROCESS}
        values["data"] = result.get("data", {})
        values["fom_seconds"] = _number(result.get("fom_seconds"))
        values["accuracy"] = _number(result.get("accuracy"))
        metrics = (
            *((f"{name}_seconds", _measured(value), "s") for name, value in result.get("phases", {}).items()),
            *(
                (str(m["name"]), _measured(m["value"]), str(m.get("unit") or ""))
                for m in result.get("metrics", [])
            ),
        )
    return AttemptReport(
        token=report["token"],
        state=state,
        at_us=int(report["at_us"]),
        values=values,
        metrics=tuple({metric[0]: metric for metric in metrics}.values()),
        environment=environment,
        instance_state=becomes,
    )


def lost(token: str, at_us: int, reason: str, message: str) -> dict[str, Any]:
    """Return the report of an attempt that nobody will hear of again."""
    return {
        "token": token,
        "state": AttemptState.LOST.value,
        "at_us": at_us,
        "category": "infrastructure",
        "reason": reason,
        "message": message,
    }


def cancelled(token: str, at_us: int) -> dict[str, Any]:
    """Return the report of an attempt that ended with its campaign's stop."""
    return {
        "token": token,
        "state": AttemptState.CANCELLED.value,
        "at_us": at_us,
        "category": "neutral",
        "reason": "cancelled",
        "message": "the campaign was stopped",
    }


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and finite(value):
        return float(value)
    return None


def _measured(value: Any) -> float:
    number = _number(value)
    return math.nan if number is None else number
