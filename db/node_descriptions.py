"""Descriptions of nodes: each content stored once, and an event for every node that it describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from db.bulk_sql import in_list, insert_rows
from db.column_values import sanitize_text, sha256, to_json
from db.events import EventKind, note
from db.states import AttemptState
from db.tables import attempts, documents, events

if TYPE_CHECKING:
    from db.reader import Reader

_KEY_LENGTH = 64  # of a SHA-256 in hexadecimal, with which the event's message begins


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A node in a session: its name, and the key of its description among the ledger's documents."""

    session: int
    node: str
    document: str


def write(
    connection: Connection, campaign: int, session: int, node: str, facts: Mapping[str, Any], at_us: int
) -> None:
    """Store a description, unless another node has the same, and note which node it describes."""
    content = sanitize_text(to_json(facts))
    key = sha256(content)
    condition, value = in_list(connection, "sha256", [key])
    known = connection.exec_driver_sql(f"SELECT sha256 FROM documents WHERE {condition}", (value,))
    if known.first() is None:
        insert_rows(connection, documents, ["sha256", "content"], [(key, content)])
    note(
        connection,
        campaign,
        EventKind.NODE_DESCRIBED,
        f"{key} describes node {node}",
        subject=node,
        data={"session": session},
        at_us=at_us,
    )


def read(reader: Reader, campaign: int) -> tuple[list[NodeDescription], dict[str, Any]]:
    """Return the described nodes of a campaign, and the descriptions by their key."""
    found = [
        NodeDescription(int((event.data or {}).get("session", 0)), event.subject, event.message[:_KEY_LENGTH])
        for event in reader.events(campaign, kinds=[EventKind.NODE_DESCRIBED])
    ]
    if not found:
        return [], {}
    with reader.connection() as connection:
        condition, value = in_list(connection, "sha256", {one.document for one in found})
        rows = connection.exec_driver_sql(
            f"SELECT sha256, content FROM documents WHERE {condition}", (value,)
        )
        return found, {key: json.loads(content) for key, content in rows}


def keys_of(campaigns: ColumnElement[bool]) -> Select[Any]:
    """Return a query for the keys of descriptions in events that fulfil a condition."""
    key = func.substr(events.c.message, 1, _KEY_LENGTH)
    return select(key).where(events.c.kind == str(EventKind.NODE_DESCRIBED), campaigns)


def nodes_used(reader: Reader, campaign: int) -> int:
    """Return the number of nodes on which an attempt of a campaign succeeded."""
    nodes = select(func.count(attempts.c.node.distinct())).where(
        attempts.c.campaign_id == campaign, attempts.c.state == AttemptState.SUCCEEDED
    )
    with reader.connection() as connection:
        return int(connection.execute(nodes).scalar_one())
