"""Descriptions of nodes: each content stored once, and an event for every node that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select

from db.documents import read_documents, write_documents
from db.events import EventKind, note
from db.states import AttemptState
from db.tables import attempts

if TYPE_CHECKING:
    from db.reader import Reader


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A node in a session: its name, and the key of its description among the ledger's documents."""

    session: int
    node: str
    document: str


def write(
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


def read(reader: Reader, campaign_id: int) -> tuple[list[NodeDescription], dict[str, Any]]:
    """Return the described nodes of a campaign, and the descriptions by their key."""
    found = [
        NodeDescription(int(event.data["session"]), event.subject, str(event.data["document"]))
        for event in reader.events(campaign_id, kinds=[EventKind.NODE_DESCRIBED])
        if event.data
    ]
    return found, read_documents(reader, {one.document for one in found}) if found else {}


def nodes_used(reader: Reader, campaign_id: int) -> int:
    """Return the number of nodes on which an attempt of a campaign succeeded."""
    nodes = select(func.count(attempts.c.node.distinct())).where(
        attempts.c.campaign_id == campaign_id, attempts.c.state == AttemptState.SUCCEEDED
    )
    with reader.connection() as connection:
        return int(connection.execute(nodes).scalar_one())
