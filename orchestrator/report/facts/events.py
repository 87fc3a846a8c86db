"""Objects about events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from db.times import utc

if TYPE_CHECKING:
    from db.events import Event


def event_facts(event: Event) -> dict[str, Any]:
    """Return an event as an object `EventFacts`."""
    return {
        "event": event.event_id,
        "at": utc(event.at_us),
        "kind": event.kind,
        "subject": event.subject,
        "message": event.message,
        "data": event.data,
        "instance": event.instance_id,
        "attempt": event.attempt_number,
        "from": event.from_state,
        "to": event.to_state,
    }
