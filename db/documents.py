"""Documents that others name by key: listings of code, environment variables, descriptions of nodes.

Each is stored once, in the table that also holds what attempts observed. An event says which campaign got it,
so that exports take it along.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select, text

from db.column_values import now_us, sanitize_text, sha256, to_json
from db.connection.bulk_sql import in_list, insert_rows
from db.connection.locks import lock_events
from db.events import EventKind
from db.tables import NOTED, documents, events

if TYPE_CHECKING:
    from db.connection.open_ledger import OpenLedger

_KINDS = (
    ("variables", "environment variables"),
    ("package", "files of a package"),
    ("files", "files of a run"),
    ("cpu", "description of a node"),
    ("site_yaml", "text of a site file"),
    ("campaign_yaml", "text of a campaign file"),
    ("description", "description of a workload"),
    ("verdict", "verdict"),
    ("build_file", "build file of an image"),
)


def write_documents(
    connection: Connection, campaign_id: int | None, contents: Iterable[Mapping[str, Any]]
) -> list[str]:
    """Store new documents, note those that are new to the campaign if there is one, and return all keys."""
    wanted = dict(_keyed(one) for one in contents)
    if not wanted:
        return []
    stored = set(_texts(connection, wanted))
    rows = [(key, one) for key, one in wanted.items() if key not in stored]
    insert_rows(connection, documents, ["sha256", "content"], rows)
    if campaign_id is None:
        return list(wanted)
    noted = set(connection.execute(keys_of([campaign_id])).scalars())
    new = [
        {
            "campaign_id": campaign_id,
            "at_us": now_us(),
            "kind": EventKind.DOCUMENT_RECORDED.value,
            "subject": key,
            "message": f"{_kind(json.loads(one))}: {key[:12]}",
        }
        for key, one in wanted.items()
        if key not in noted
    ]
    if new:
        lock_events(connection, campaign_id)
        connection.execute(insert(events), new)
    return list(wanted)


def document_key(content: Mapping[str, Any]) -> str:
    """Return the key of a document with this content."""
    return _keyed(content)[0]


def read_documents(ledger: OpenLedger, keys: Collection[str]) -> dict[str, Any]:
    """Return the documents that the ledger has of these keys."""
    with ledger.connection() as connection, connection.begin():
        return {key: json.loads(content) for key, content in _texts(connection, keys).items()}


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


def _keyed(content: Mapping[str, Any]) -> tuple[str, str]:
    stored = sanitize_text(to_json(content))
    return sha256(stored), stored


def _texts(connection: Connection, keys: Collection[str]) -> dict[str, str]:
    condition, value = in_list(connection, "sha256", list(keys))
    found = connection.exec_driver_sql(f"SELECT sha256, content FROM documents WHERE {condition}", (value,))
    return {row.sha256: row.content for row in found}


def _kind(content: Mapping[str, Any]) -> str:
    return next((words for name, words in _KINDS if name in content), "document")


def campaign_documents(ledger: OpenLedger, campaign_id: int) -> dict[str, Any]:
    """Return the documents of a campaign by key, in the order in which the ledger got them."""
    with ledger.connection() as connection, connection.begin():
        keys = list(connection.execute(keys_of([campaign_id]).order_by(events.c.event_id)).scalars())
        found = _texts(connection, keys)
    return {key: json.loads(found[key]) for key in keys if key in found}
