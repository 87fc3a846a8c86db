"""Writing documents, each content once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, insert

from db.column_values import now_us, sha256
from db.connection.bulk_sql import insert_rows
from db.connection.ledger_rows import LedgerRows
from db.connection.locks import lock_events
from db.documents import noted_keys, stored_text
from db.events import EventKind
from db.tables import documents, events
from db.writing.noting import note

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
    wanted = {sha256(text): text for text in map(stored_text, contents)}
    if not wanted:
        return []
    moment = LedgerRows(connection)
    stored = {key for (key,) in moment.rows("documents", ["sha256"], sha256=wanted)}
    rows = [(key, one) for key, one in wanted.items() if key not in stored]
    insert_rows(connection, documents, ["sha256", "content"], rows)
    if campaign_id is None:
        return list(wanted)
    noted = set(noted_keys(moment, campaign_id))
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


def describe_node(
    connection: Connection, campaign_id: int, session: int, node: str, facts: Mapping[str, Any], at_us: int
) -> None:
    """Store a description, unless another node has the same, and note which node it describes."""
    [key] = write_documents(connection, campaign_id, [facts])
    note(
        connection,
        campaign_id,
        EventKind.NODE_DESCRIBED,
        f"node {node} is described by {key[:12]}",
        subject=node,
        data={"session": session, "document": key},
        at_us=at_us,
    )


def _kind(content: Mapping[str, Any]) -> str:
    return next((words for name, words in _KINDS if name in content), "document")
