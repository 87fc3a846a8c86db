"""Attempts of a benchmark that ended without being accepted: how many, why, and how long they ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import case, func, select

from db.reader import Reader
from db.states import AttemptState
from db.superseding import superseded_ids
from db.tables import attempts, instances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.evidence.clocks import Place

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
        How many were lost without a report of their end, and the longest time from such a start
        until the driver noticed; None where none was lost while its driver lived.
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
    noticed = lost & (a.failure_reason != "driver died")
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
                row.longest_lost,
            )
            for row in connection.execute(statement)
        ]


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
