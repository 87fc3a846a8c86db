"""Attempts that ended without being accepted, by benchmark: how many, why, and how long they ran."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, and_, case, exists, false, func, select, text

from db.counted import superseded_ids
from db.events import EventKind
from db.evidence.clocks import Spans
from db.reader import Reader
from db.states import AttemptState
from db.tables import NOTED, attempts, events, instances, sessions

if TYPE_CHECKING:
    from db.evidence.clocks import Place

DRIVER_DIED = "driver died"
"""Reason of attempts that were lost with their driver."""
UNSUCCESSFUL = (
    AttemptState.FAILED,
    AttemptState.TIMED_OUT,
    AttemptState.LOST,
    AttemptState.CANCELLED,
)
"""Final states of attempts that do not count."""
_TIME = re.compile(r'"([a-z_]+_us)": ([0-9]{1,18})\b')
"""A time in the message of a late report."""


@dataclass(frozen=True, slots=True)
class EndedGroup:
    """Attempts with one final state and reason.

    Parameters
    ----------
    state, reason
        Their final state, and the short reason of a failure.
    number, timed
        How many, and how many of them had begun their timed part when they ended.
    longest_us, shortest_us
        The longest and the shortest of these timed parts until its end; None where none was timed.
    longest_process_us
        The longest time of the whole processes of these.
    unknown
        How many may have run and have no report of their end, not even a late one.
    most_unknown_us, least_unknown_us
        The longest time that any of them may have run: until the driver noticed. Where they were lost with
        their driver, it is not known; they ran until the last report that it received at least. None where
        no such time is known.
    """

    state: str
    reason: str
    number: int
    timed: int
    longest_us: int | None
    shortest_us: int | None = None
    longest_process_us: int | None = None
    unknown: int = 0
    most_unknown_us: int | None = None
    least_unknown_us: int | None = None


def ended_groups(reader: Reader, campaign_id: int, *, window: bool) -> dict[str, list[EndedGroup]]:
    """Return the attempts of each benchmark that ended without success, by state and reason.

    Benchmarks without any are left out.

    Parameters
    ----------
    window
        Whether the timed part is the window of timed steps, and not the run.
    """
    a = attempts.c
    start = a.timed_window_start_us if window else a.run_start_us
    stop = func.coalesce(a.timed_window_stop_us if window else a.run_stop_us, a.process_stop_us)
    unknown = _without_end()
    noticed = unknown & (func.coalesce(a.failure_reason, "") != DRIVER_DIED)
    timed = stop.is_not(None) & start.is_not(None)
    statement = (
        select(
            instances.c.benchmark,
            a.state,
            func.coalesce(a.failure_reason, "").label("reason"),
            func.count().label("number"),
            func.count(case((timed, 1))).label("timed"),
            func.max(stop - start).label("longest_us"),
            func.min(stop - start).label("shortest_us"),
            func.max(case((timed, a.process_stop_us - a.process_start_us))).label("longest_process_us"),
            func.count(case((unknown, 1))).label("unknown"),
            func.max(case((noticed, a.received_us - a.process_start_us))).label("most_unknown_us"),
        )
        .select_from(attempts.join(instances))
        .where(a.campaign_id == campaign_id, a.state.in_(UNSUCCESSFUL))
        .group_by(instances.c.benchmark, a.state, a.failure_reason)
        .order_by(func.count().desc(), a.state, a.failure_reason)
    )
    found: dict[str, list[EndedGroup]] = {}
    with reader.connection() as connection:
        rows = connection.execute(statement).mappings().all()
        with_driver = any(row["unknown"] and row["reason"] == DRIVER_DIED for row in rows)
        until_death = _longest_until_death(connection, campaign_id) if with_driver else {}
        late = _late_ends(connection, campaign_id) if rows else {}
    for row in rows:
        values = dict(row)
        name = values.pop("benchmark")
        group = EndedGroup(**values)
        if group.unknown and group.reason == DRIVER_DIED:
            group = replace(group, least_unknown_us=until_death.get(name))
        found.setdefault(name, []).append(_with_late(group, late.get(name, []), window=window))
    return found


@dataclass(frozen=True, slots=True)
class _LateEnd:
    """The end of an attempt by a report that came when the ledger had written the attempt off."""

    state: str
    reason: str
    session: int
    node: str | None
    times: Mapping[str, int]

    def timed_us(self, *, window: bool) -> int | None:
        """Return how long the timed part ran; None where it had not begun."""
        part = "timed_window" if window else "run"
        start = self.times.get(f"{part}_start_us")
        stop = self.times.get(f"{part}_stop_us", self.times.get("process_stop_us"))
        return None if start is None or stop is None else max(0, stop - start)


def _with_late(group: EndedGroup, late: list[_LateEnd], *, window: bool) -> EndedGroup:
    mine = [one for one in late if (one.state, one.reason) == (group.state, group.reason)]
    known = [timed for one in mine if (timed := one.timed_us(window=window)) is not None]
    if not known:
        return group
    longest = max(known) if group.longest_us is None else max(group.longest_us, *known)
    shortest = min(known) if group.shortest_us is None else min(group.shortest_us, *known)
    return replace(group, timed=group.timed + len(known), longest_us=longest, shortest_us=shortest)


def _without_end() -> ColumnElement[bool]:
    """Return the condition that no report says when an attempt that may have run ended.

    Whether one that was lost with its driver ran is not known without a start: the driver may have died
    before it noted that.
    """
    may_have_run = (attempts.c.failure_reason == DRIVER_DIED) | attempts.c.process_start_us.is_not(None)
    return (
        attempts.c.process_stop_us.is_(None)
        & func.coalesce(may_have_run, false())
        & ~exists(select(1).where(_late_end()))
    )


def _late_end() -> ColumnElement[bool]:
    """Return the condition that an event is a late report of an attempt's end."""
    return and_(
        text(f"events.{NOTED}"),
        events.c.campaign_id == attempts.c.campaign_id,
        events.c.kind == EventKind.LATE_REPORT.value,
        events.c.instance_id == attempts.c.instance_id,
        events.c.attempt_number == attempts.c.attempt_number,
        events.c.message.contains('"process_stop_us": '),
    )


def _late_ends(connection: Connection, campaign_id: int) -> dict[str, list[_LateEnd]]:
    """Return, by benchmark, the late reports of attempts whose end the ledger does not have otherwise."""
    a = attempts.c
    statement = (
        select(instances.c.benchmark, a.state, a.failure_reason, a.session_number, a.node, events.c.message)
        .select_from(attempts.join(instances).join(events, _late_end()))
        .where(
            a.campaign_id == campaign_id,
            a.state.in_(UNSUCCESSFUL),
            a.process_stop_us.is_(None),
        )
    )
    found: dict[str, list[_LateEnd]] = {}
    for row in connection.execute(statement):
        times = {name: int(value) for name, value in reversed(_TIME.findall(row.message))}
        late = _LateEnd(row.state, row.failure_reason or "", row.session_number, row.node, times)
        found.setdefault(row.benchmark, []).append(late)
    return found


def _longest_until_death(connection: Connection, campaign_id: int) -> dict[str, int]:
    """Return, by benchmark, the longest time from an attempt's start to its driver's last received report."""
    a = attempts.c
    # The end of an earlier session is in no hash of rows, the start of the next one is.
    later = sessions.alias()
    next_us = (
        select(func.min(later.c.started_us))
        .where(later.c.campaign_id == campaign_id, later.c.session_number > sessions.c.session_number)
        .scalar_subquery()
    )
    last = (
        select(a.session_number, func.max(a.received_us).label("seen_us"))
        .select_from(
            attempts.join(
                sessions,
                (sessions.c.campaign_id == a.campaign_id) & (sessions.c.session_number == a.session_number),
            )
        )
        .where(
            a.campaign_id == campaign_id,
            a.received_us.is_not(None),
            # A later session dates what it adopts by its own clock.
            a.received_us < func.coalesce(next_us, sessions.c.ended_us),
            func.coalesce(a.failure_reason, "") != DRIVER_DIED,
        )
        .group_by(a.session_number)
        .subquery()
    )
    ran = last.c.seen_us - a.process_start_us
    statement = (
        select(instances.c.benchmark, func.max(ran).label("longest"))
        .select_from(attempts.join(instances).join(last, last.c.session_number == a.session_number))
        .where(
            a.campaign_id == campaign_id,
            a.failure_reason == DRIVER_DIED,
            _without_end(),
            ran > 0,
        )
        .group_by(instances.c.benchmark)
    )
    return {row.benchmark: row.longest for row in connection.execute(statement)}


def first_tries(reader: Reader, campaign_id: int) -> dict[str, int]:
    """Return when the first attempt that does not count began its run, or ended without, by benchmark.

    In UTC microseconds by the node's clock; benchmarks without such an attempt are left out.
    """
    a = attempts.c
    statement = (
        select(instances.c.benchmark, func.min(func.coalesce(a.run_start_us, a.process_stop_us)))
        .select_from(attempts.join(instances))
        .where(
            a.campaign_id == campaign_id,
            a.state.in_(UNSUCCESSFUL) | a.instance_id.in_(superseded_ids(campaign_id)),
            a.process_start_us.is_not(None),
        )
        .group_by(instances.c.benchmark)
    )
    with reader.connection() as connection, connection.begin():
        return {name: at_us for name, at_us in connection.execute(statement) if at_us is not None}


def ended_runs(reader: Reader, campaign_id: int) -> dict[str, dict[Place, Spans]]:
    """Return when processes of attempts that do not count ran, by benchmark, and by session and node.

    Returns
    -------
    dict
        Starts and stops by the node's clock; benchmarks without any are left out.
    """
    a = attempts.c
    statement = (
        select(instances.c.benchmark, a.session_number, a.node, a.process_start_us, a.process_stop_us)
        .select_from(attempts.join(instances))
        .where(
            a.campaign_id == campaign_id,
            a.state.in_(UNSUCCESSFUL) | a.instance_id.in_(superseded_ids(campaign_id)),
            a.process_start_us.is_not(None),
            a.process_stop_us >= a.process_start_us,
        )
    )
    found: dict[str, dict[Place, tuple[list[int], list[int]]]] = {}

    def add(benchmark: str, place: Place, start: int, stop: int) -> None:
        times = found.setdefault(benchmark, {}).setdefault(place, ([], []))
        times[0].append(start)
        times[1].append(stop)

    with reader.connection() as connection:
        for benchmark, session, node, start, stop in connection.execute(statement):
            add(benchmark, (session, node), start, stop)
        for benchmark, late in _late_ends(connection, campaign_id).items():
            for one in late:
                start, stop = (one.times.get(f"process_{what}_us", 0) for what in ("start", "stop"))
                if 0 < start <= stop:
                    add(benchmark, (one.session, one.node), start, stop)
    return {
        benchmark: {place: Spans(*times) for place, times in places.items()}
        for benchmark, places in found.items()
    }
