"""Events: every transition of an attempt, and everything else worth keeping. Only ever appended."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Float, Integer, insert

from db.records import AttemptReport
from db.states import AttemptState
from db.tables import events

_EVIDENCE_LIMIT = 8_192


def note(connection: Connection, campaign: int, kind: str, detail: str) -> None:
    """Append an event that is no transition."""
    row = {"campaign": campaign, "at_us": now_us(), "kind": kind, "detail": text(detail)}
    connection.execute(insert(events), row)


def transition(
    campaign: int,
    at_us: int,
    instance: int,
    attempt: int,
    before: str | None,
    after: str,
    detail: str | None = None,
) -> dict[str, Any]:
    """Return the event of a change of an attempt's state."""
    return {
        "campaign": campaign,
        "at_us": moment(at_us),
        "kind": "transition",
        "instance": instance,
        "attempt": attempt,
        "from_state": str(before) if before is not None else None,
        "to_state": str(after),
        "detail": detail,
    }


def evidence(
    campaign: int, report: AttemptReport, key: tuple[int, int, AttemptState] | None
) -> dict[str, Any]:
    """Return the event that keeps a report which counts for nothing."""
    content = {
        "token": report.token,
        "values": {name: storable(value) for name, value in report.values.items() if value is not None},
        "metrics": [metric for metric in report.metrics if math.isfinite(metric[1])],
    }
    return {
        "campaign": campaign,
        "at_us": moment(report.at_us),
        "kind": "evidence",
        "instance": key[0] if key else None,
        "attempt": key[1] if key else None,
        "from_state": key[2].value if key else None,
        "to_state": report.state.value,
        "detail": text(json.dumps(content)[:_EVIDENCE_LIMIT]),  # the token first, whatever is cut off
    }


def refusal(
    campaign: int, report: AttemptReport, key: tuple[int, int] | None, refused: dict[str, Any]
) -> dict[str, Any]:
    """Return the event that keeps what no column takes of a report that counts."""
    content = {name: repr(value) for name, value in refused.items()}
    return {
        "campaign": campaign,
        "at_us": moment(report.at_us),
        "kind": "refused",
        "instance": key[0] if key else None,
        "attempt": key[1] if key else None,
        "from_state": None,
        "to_state": report.state.value,
        "detail": text(json.dumps(content, sort_keys=True)[:_EVIDENCE_LIMIT]),
    }


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column takes on every database: texts, numbers, or whole numbers below a limit."""

    type: type
    limit: int

    @classmethod
    def of(cls, column: Column[Any]) -> Kind:
        """Return what a column takes."""
        if isinstance(column.type, Integer):
            return cls(int, 2**63 if isinstance(column.type, BigInteger) else 2**31)
        return cls(float if isinstance(column.type, Float) else str, 0)

    def fit(self, name: str, value: Any, refused: dict[str, Any]) -> Any:
        """Return a value as the column takes it, else NULL; `refused` is told what it cannot take."""
        kind = type(value)
        if kind is self.type and (  # nearly always; what follows takes four times as long
            (kind is str and value.isascii() and "\0" not in value)
            or (kind is int and -self.limit <= value < self.limit)
            or (kind is float and math.isfinite(value))
        ):
            return value
        stored = storable(value)
        if stored is None:
            return None
        if self.type is int and isinstance(stored, int) and -self.limit <= stored < self.limit:
            return int(stored)
        if self.type is float and isinstance(stored, int | float):
            with contextlib.suppress(OverflowError):  # a whole number beyond any float
                return float(stored)
        if self.type is str and isinstance(stored, str):
            return stored
        refused[name] = value
        return None


def moment(at_us: int) -> int:
    """Return a time as every database takes it; one that cannot be a time becomes the present."""
    return at_us if 0 <= at_us < 2**63 else now_us()


def storable(value: Any) -> Any:
    """Return a value as every database takes it: collections as JSON, what is not finite as NULL."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict | list | tuple):
        return text(written(value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def text(value: str) -> str:
    """Return a text that every database takes: zero bytes and half characters are written out."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


written = json.JSONEncoder(sort_keys=True).encode
"""Return content as JSON text; equal contents have equal texts."""


def sha256(content: str) -> str:
    """Return the hexadecimal SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def now_us() -> int:
    """Return this host's clock: microseconds since the Unix epoch, UTC."""
    return time.time_ns() // 1000


SHARED_CORES = "shared cores"
"""Kind of the event that another campaign used the cores of this one."""


class EventKind(StrEnum):
    """What a driver decided or found."""

    NODE_EXCLUDED = "node_excluded"
    WAVE_SHORT = "wave_short"
    BLOCK_CHANGED = "block_changed"
    ENGINE_RESTARTED = "engine_restarted"
    ENGINE_FAILED = "engine_failed"
    POOL_REPLACED = "pool_replaced"
    LEDGER_AWAY = "ledger_away"
    LEDGER_BACK = "ledger_back"
    STOP_REQUESTED = "stop_requested"
    DRAIN_STARTED = "drain_started"
    CANCEL_STARTED = "cancel_started"
    ABORTED_AFTER_FAILURES = "aborted_after_failures"
    INSTANCE_EXHAUSTED = "instance_exhausted"
    LEFTOVERS_ENDED = "leftovers_ended"
    RESULTS_ADOPTED = "results_adopted"
    ATTEMPTS_LOST = "attempts_lost"
