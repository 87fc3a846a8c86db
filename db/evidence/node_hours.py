"""Node-hours that a campaign held, by its scheduler jobs, or by its sessions where it used none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from db.events import EventKind
from db.tables import blocks, sessions

if TYPE_CHECKING:
    from db.reader import Reader

_HOUR_US = 3.6e9


def node_hours(reader: Reader, campaign_id: int) -> float | None:
    """Return the node-hours of a campaign's jobs from start to end; None while nothing has ended.

    A job without a noted end counts until its session's. A campaign without jobs held its driver's host.
    """
    stop = func.coalesce(blocks.c.ended_us, sessions.c.ended_us)
    held = (
        select(func.count(), func.sum(blocks.c.nodes * (stop - blocks.c.started_us)))
        .select_from(
            blocks.join(
                sessions,
                (sessions.c.campaign_id == blocks.c.campaign_id)
                & (sessions.c.session_number == blocks.c.session_number),
            )
        )
        .where(blocks.c.campaign_id == campaign_id, blocks.c.started_us.is_not(None))
    )
    alone = select(func.sum(sessions.c.ended_us - sessions.c.started_us)).where(
        sessions.c.campaign_id == campaign_id
    )
    with reader.connection() as connection, connection.begin():
        number, held_us = connection.execute(held).one()
        if not number:
            held_us = connection.execute(alone).scalar()
    return None if held_us is None else float(held_us) / _HOUR_US


def planned_node_hours(reader: Reader, campaign_id: int) -> float | None:
    """Return the node-hours that the plan expected at registration; None where it expected no length."""
    for event in reader.events(campaign_id, kinds=[EventKind.CAMPAIGN_REGISTERED]):
        hours = (event.data or {}).get("planned_node_hours")
        return float(hours) if isinstance(hours, int | float) else None
    return None
