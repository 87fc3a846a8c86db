"""Documents of whatever campaign, and the keys of those of some campaigns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, text

from db.events import EventKind
from db.tables import NOTED, documents, events

if TYPE_CHECKING:
    from collections.abc import Collection

    from db.connection.open_ledger import OpenLedger


def documents_with(ledger: OpenLedger, field: str) -> list[dict[str, Any]]:
    """Return all documents with a field, of whatever campaign or of none; this reads every document."""
    statement = select(documents.c.content).where(documents.c.content.contains(f'"{field}"', autoescape=True))
    with ledger.connection() as connection, connection.begin():
        found = [json.loads(content) for content in connection.execute(statement).scalars()]
    return [one for one in found if isinstance(one, dict) and field in one]


def keys_of(campaigns: Collection[int]) -> Any:
    """Return the statement that selects the keys of campaigns' documents."""
    return select(events.c.subject).where(
        text(NOTED), events.c.campaign_id.in_(campaigns), events.c.kind == EventKind.DOCUMENT_RECORDED.value
    )
