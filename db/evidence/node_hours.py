"""Node-hours that a campaign held, by its scheduler jobs, or by its sessions where it used none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, func, literal, select

from db.events import EventKind
from db.evidence.block_energy import Key
from db.tables import blocks, sessions

if TYPE_CHECKING:
    from db.reader import Reader

_HOUR_US = 3.6e9


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduler job: session, slot shape and number of its block, and its pool, empty without pools."""

    key: Key
    pool: str


def node_hours(reader: Reader, campaign_id: int, now_us: int | None = None) -> float | None:
    """Return the node-hours of a campaign's jobs from start to end; None while nothing has ended.

    A job without a noted end counts until its session's, and one that never started counts nothing. A
    campaign without jobs held its driver's host.

    Parameters
    ----------
    now_us
        Until when what has not ended counts, UTC microseconds; by default it does not count.
    """
    found = node_hours_by_job(reader, campaign_id, now_us)
    return sum(hours for _, hours in found) if found else None


def node_hours_by_job(reader: Reader, campaign_id: int, now_us: int | None = None) -> list[tuple[Job, float]]:
    """Return each started job of a campaign with its node-hours; without jobs those of its driver's host.

    A job that never started has none, as one that has not ended, nor its session, unless `now_us` is given.
    The driver's host is a job without shape and number.
    """
    until = sessions.c.ended_us, literal(now_us, BigInteger)
    stop = func.coalesce(blocks.c.ended_us, *until)
    held = (
        select(
            blocks.c.session_number,
            blocks.c.slot_shape,
            blocks.c.block_id,
            func.coalesce(blocks.c.pool, ""),
            blocks.c.nodes * (stop - blocks.c.started_us),
        )
        .select_from(
            blocks.join(
                sessions,
                (sessions.c.campaign_id == blocks.c.campaign_id)
                & (sessions.c.session_number == blocks.c.session_number),
            )
        )
        .where(blocks.c.campaign_id == campaign_id)
        .order_by(blocks.c.session_number, blocks.c.slot_shape, blocks.c.block_id)
    )
    alone = (
        select(sessions.c.session_number, func.coalesce(*until) - sessions.c.started_us)
        .where(sessions.c.campaign_id == campaign_id)
        .order_by(sessions.c.session_number)
    )
    with reader.connection() as connection, connection.begin():
        jobs = [(Job((one[0], one[1], one[2]), one[3]), one[4]) for one in connection.execute(held)]
        if not jobs:
            jobs = [(Job((one[0], "", ""), ""), one[1]) for one in connection.execute(alone)]
    return [(job, float(held_us) / _HOUR_US) for job, held_us in jobs if held_us is not None]


def planned_node_hours(reader: Reader, campaign_id: int) -> float | None:
    """Return the node-hours that the plan expected at registration; None where it expected no length."""
    for event in reader.events(campaign_id, kinds=[EventKind.CAMPAIGN_REGISTERED]):
        hours = (event.data or {}).get("planned_node_hours")
        return float(hours) if isinstance(hours, int | float) else None
    return None
