"""Condition of *accepted and counted*: instances whose accepted attempt counts in verdicts.

An instance counts by the attempt that it accepted, unless a new instance took its place because it missed
its accuracy. Queries over counted attempts use `counted`, judging `db.evidence.superseded.counted_rows`, and
users' SQL has the view ``counted``.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, select, text

from db.events import EventKind
from db.tables import NOTED, events, instances


def superseding(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition on rows of `db.tables.events` that an instance of the campaign is superseded."""
    return and_(
        text(NOTED),
        events.c.campaign_id == campaign_id,
        events.c.kind == EventKind.INSTANCE_SUPERSEDED.value,
        (events.c.instance_id + 0).is_not(None),  # for the bare column SQLite would read all transitions
    )


def select_superseded(campaign_id: int) -> Any:
    """Return the statement that selects the numbers of a campaign's superseded instances."""
    return select(events.c.instance_id).where(superseding(campaign_id))


def counted(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition on rows of `db.tables.instances` that they are accepted and counted."""
    return and_(
        instances.c.campaign_id == campaign_id,
        instances.c.accepted_attempt.is_not(None),
        instances.c.instance_id.not_in(select_superseded(campaign_id)),
    )
