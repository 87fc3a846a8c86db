"""Node-hours that a campaign held, by its scheduler jobs, or by its sessions where it used none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.events import EventKind
from db.evidence.block_energy import Key

if TYPE_CHECKING:
    from db.plain import RowReader

_HOUR_US = 3.6e9


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduler job: session, slot shape and number of its block, and its pool, empty without pools."""

    key: Key
    pool: str


def node_hours(reader: RowReader, campaign_id: int, now_us: int | None = None) -> float | None:
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


def hours_per_run(reader: RowReader, campaign_id: int) -> float | None:
    """Return the node-hours of a campaign by accepted instance; None without one of both."""
    hours, done = node_hours(reader, campaign_id), reader.instance_counts(campaign_id).get("done", 0)
    return hours / done if hours is not None and done else None


def node_hours_by_job(
    reader: RowReader, campaign_id: int, now_us: int | None = None
) -> list[tuple[Job, float]]:
    """Return each started job of a campaign with its node-hours; without jobs those of its driver's host.

    A job that never started has none, as one that has not ended, nor its session, unless `now_us` is given.
    The driver's host is a job without shape and number.
    """
    columns = ["session_number", "started_us", "ended_us"]
    with reader.moment() as moment:
        sessions = {
            number: (begin, end) for number, begin, end in moment.rows("sessions", columns, campaign_id)
        }
        columns = ["session_number", "slot_shape", "block_id", "pool", "nodes", "started_us", "ended_us"]
        blocks = [row for row in moment.rows("blocks", columns, campaign_id) if row[0] in sessions]
    held = [
        (Job((session, shape, block), pool or ""), nodes, begin, sessions[session][1] if end is None else end)
        for session, shape, block, pool, nodes, begin, end in blocks
    ] or [(Job((session, "", ""), ""), 1, begin, end) for session, (begin, end) in sessions.items()]
    spans = [(job, nodes, begin, now_us if end is None else end) for job, nodes, begin, end in held]
    return [
        (job, nodes * (end - begin) / _HOUR_US)
        for job, nodes, begin, end in spans
        if begin is not None and end is not None
    ]


def planned_node_hours(reader: RowReader, campaign_id: int) -> float | None:
    """Return the node-hours that the plan expected at registration; None where it expected no length."""
    for event in reader.events(campaign_id, kinds=[EventKind.CAMPAIGN_REGISTERED]):
        hours = (event.data or {}).get("planned_node_hours")
        return float(hours) if isinstance(hours, int | float) else None
    return None
