"""Appending events that are no transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert

from db.column_values import now_us, sanitize_text, to_json, valid_time
from db.connection.locks import lock_events
from db.tables import events

if TYPE_CHECKING:
    from collections.abc import Mapping


def note(
    connection: Connection,
    campaign_id: int,
    kind: str,
    message: str,
    *,
    subject: str = "",
    data: Mapping[str, Any] | None = None,
    at_us: int | None = None,
) -> None:
    """Append an event that is no transition; see `Ledger.note`."""
    row = {
        "campaign_id": campaign_id,
        "at_us": now_us() if at_us is None else valid_time(at_us),
        "kind": str(kind),
        "subject": sanitize_text(subject) or None,
        "message": sanitize_text(message),
        "data": None if data is None else sanitize_text(to_json(data)),
    }
    lock_events(connection, campaign_id)
    connection.execute(insert(events), row)
