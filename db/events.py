"""Events: every transition of an attempt, and everything else worth keeping. Only ever appended."""

from __future__ import annotations

import hashlib
import json
import math
import time
from typing import Any

from sqlalchemy import Connection, insert

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
        "at_us": at_us,
        "kind": "transition",
        "instance": instance,
        "attempt": attempt,
        "from_state": before,
        "to_state": after,
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
        "at_us": report.at_us,
        "kind": "evidence",
        "instance": key[0] if key else None,
        "attempt": key[1] if key else None,
        "from_state": key[2] if key else None,
        "to_state": report.state,
        "detail": text(json.dumps(content, sort_keys=True)[:_EVIDENCE_LIMIT]),
    }


def storable(value: Any) -> Any:
    """Return a value as every database takes it: collections as JSON, what is not finite as NULL."""
    if isinstance(value, dict | list | tuple):
        return text(json.dumps(value, sort_keys=True))
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def text(value: str) -> str:
    """Return a text that every database takes: zero bytes and half characters are written out."""
    return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def sha256(content: str) -> str:
    """Return the hexadecimal SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def now_us() -> int:
    """Return this host's clock: microseconds since the Unix epoch, UTC."""
    return time.time_ns() // 1000
