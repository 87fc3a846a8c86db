"""Attempts of a benchmark that ended without being accepted: how many, why, and how long they ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, case, func, select

from db.reader import Reader
from db.states import AttemptState
from db.superseding import superseded_ids
from db.tables import attempts, instances, sessions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.evidence.clocks import Place

DRIVER_DIED = "driver died"
"""Reason of attempts that were lost with their driver."""
_UNSUCCESSFUL = (
    AttemptState.FAILED,
    AttemptState.TIMED_OUT,
    AttemptState.LOST,
    AttemptState.CANCELLED,
)


@dataclass(frozen=True, slots=True)
class EndedGroup:
    """Attempts with one final state and reason.

    Parameters
    ----------
    state, reason
        Their final state, and the short reason of a failure.
    number, timed
        How many, and how many of them had begun their timed part when they ended.
    longest_us
        The longest of these timed parts until its end; None where none was timed.
    lost, longest_lost_us
        How many were lost without a report of their end, and the longest time from such a start until the
        driver noticed. Of those that were lost with their driver, until the last report that it received,
        which bounds the time from below. None where no such time is known.
    """

    state: str
    reason: str
    number: int
    timed: int
    longest_us: int | None
    lost: int
    longest_lost_us: int | None


def ended_groups(reader: Reader, campaign: int, benchmark: str, *, window: bool) -> list[EndedGroup]:
    """Return the attempts of a benchmark that ended without success, by state and reason.

    Parameters
    ----------
    window
        Whether the timed part is the window of timed steps, and not the run.
    """
    a = attempts.c
    start = a.timed_window_start_us if window else a.run_start_us
    stop = func.coalesce(a.timed_window_stop_us if window else a.run_stop_us, a.process_stop_us)
    # Whether one without a start ran is not known either: its driver may have died before it could note that.
    lost = (a.state == AttemptState.LOST) & a.process_stop_us.is_(None)
    noticed = lost & (a.failure_reason != DRIVER_DIED)
    statement = (
        select(
            a.state,
            a.failure_reason,
            func.count().label("number"),
            func.count(case((stop.is_not(None), start))).label("timed"),
            func.max(stop - start).label("longest"),
            func.count(case((lost, 1))).label("lost"),
            func.max(case((noticed, a.received_us - a.process_start_us))).label("longest_lost"),
        )
        .select_from(attempts.join(instances))
        .where(a.campaign_id == campaign, a.state.in_(_UNSUCCESSFUL), instances.c.benchmark == benchmark)
        .group_by(a.state, a.failure_reason)
        .order_by(func.count().desc(), a.state, a.failure_reason)
    )
    with reader.connection() as connection:
        return [
            EndedGroup(
                row.state,
                row.failure_reason or "",
                row.number,
                row.timed,
                row.longest,
                row.lost,
                _longest_until_death(connection, campaign, benchmark)
                if row.lost and row.failure_reason == DRIVER_DIED
                else row.longest_lost,
            )
            for row in connection.execute(statement).all()
        ]


def _longest_until_death(connection: Connection, campaign: int, benchmark: str) -> int | None:
    """Return the longest time from the start of an attempt to the last report that its driver received."""
    a = attempts.c
    last = (
        select(a.session_number, func.max(a.received_us).label("seen_us"))
        .select_from(
            attempts.join(
                sessions,
                (sessions.c.campaign_id == a.campaign_id) & (sessions.c.session_number == a.session_number),
            )
        )
        .where(
            a.campaign_id == campaign,
            a.received_us.is_not(None),
            a.received_us < sessions.c.ended_us,  # a later session dates what it adopts by its own clock
            func.coalesce(a.failure_reason, "") != DRIVER_DIED,
        )
        .group_by(a.session_number)
        .subquery()
    )
    ran = last.c.seen_us - a.process_start_us
    longest: int | None = connection.execute(
        select(func.max(ran))
        .select_from(attempts.join(instances).join(last, last.c.session_number == a.session_number))
        .where(
            a.campaign_id == campaign,
            a.failure_reason == DRIVER_DIED,
            a.process_stop_us.is_(None),
            instances.c.benchmark == benchmark,
            ran > 0,
        )
    ).scalar()
    return longest


def ended_runs(reader: Reader, campaign: int, benchmark: str) -> dict[Place, NDArray[np.int64]]:
    """Return when processes of attempts that do not count ran, by session and node.

    Returns
    -------
    dict
        Start and stop, UTC microseconds by the node's clock, shape (n, 2).
    """
    a = attempts.c
    statement = (
        select(a.session_number, a.node, a.process_start_us, a.process_stop_us)
        .select_from(attempts.join(instances))
        .where(
            a.campaign_id == campaign,
            a.state.in_(_UNSUCCESSFUL) | a.instance_id.in_(superseded_ids(campaign)),
            instances.c.benchmark == benchmark,
            a.process_start_us.is_not(None),
            a.process_stop_us >= a.process_start_us,
        )
    )
    found: dict[Place, list[Any]] = {}
    with reader.connection() as connection:
        for session, node, start, stop in connection.execute(statement):
            found.setdefault((session, node), []).append((start, stop))
    return {place: np.array(times, dtype=np.int64).reshape(-1, 2) for place, times in found.items()}
