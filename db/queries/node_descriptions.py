"""Descriptions of nodes: each content stored once, and an event for every node that it describes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.documents import read_documents
from db.events import EventKind
from db.states import AttemptState

if TYPE_CHECKING:
    from db.plain import RowReader


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A node in a session: its name, and the key of its description among the ledger's documents."""

    session: int
    node: str
    document: str


def read(reader: RowReader, campaign_id: int) -> tuple[list[NodeDescription], dict[str, Any]]:
    """Return the described nodes of a campaign, and the descriptions by their key."""
    found = [
        NodeDescription(int(event.data["session"]), event.subject, str(event.data["document"]))
        for event in reader.events(campaign_id, kinds=[EventKind.NODE_DESCRIBED])
        if event.data
    ]
    return found, read_documents(reader, {one.document for one in found}) if found else {}


def nodes_used(reader: RowReader, campaign_id: int) -> int:
    """Return the number of nodes on which an attempt of a campaign succeeded."""
    state = AttemptState.SUCCEEDED.value
    with reader.moment() as moment:
        nodes = moment.rows("attempts", ["node"], campaign_id, state=state, known=["node"], distinct=True)
        return sum(1 for _ in nodes)
