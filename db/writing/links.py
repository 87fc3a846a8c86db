"""Writing links of the chain of a campaign's events; see `db.event_chain`."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, text

from db.connection.ledger_rows import LedgerRows
from db.connection.locks import lock_events
from db.event_chain import CHAINED, COLUMNS, LINKS, Link, link_of, mapping
from db.tables import NOTED, events


def next_link(connection: Connection, campaign_id: int) -> Link:
    """Return the link to keep with the event that the same transaction writes next.

    It reads the events since the last link, through an index; the first link of a campaign reads all.
    """
    lock_events(connection, campaign_id, exclusive=True)
    linked = select(func.max(events.c.event_id)).where(
        text(NOTED), events.c.campaign_id == campaign_id, events.c.kind.in_([str(kind) for kind in LINKS])
    )
    last = connection.execute(linked).scalar() or 0
    content = connection.execute(select(events.c.data).where(events.c.event_id == last)).scalar()
    link = link_of(mapping(content))
    unread = range(0 if link is None else last, 2**63)
    link = link or Link()
    for row in LedgerRows(connection).rows("events", COLUMNS, campaign_id, kind=CHAINED, event_id=unread):
        link = link.after(tuple(row))
    return link
