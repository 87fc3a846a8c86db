"""Bounds on the clocks of nodes, from the times of a campaign.

Nodes time processes, and the driver times submissions and reports. The offset of a node's clock from
the driver's is not measured but bounded. Lower bound: the largest time by which a process stopped, or wrote
that it runs or waits at the start barrier, after its report had arrived. Upper bound: the smallest time
between a submission and the start of its process, or the offset that the node found when it read the driver's
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from sqlalchemy import ColumnElement, Select, case, func, select

from db.connection.bulk_sql import prepare_to_aggregate
from db.reader import Reader
from db.rows import Session
from db.tables import GROUPED_BY, attempts, instances

Place = tuple[int, str | None]
"""A session, and a node on which its attempts ran."""


class Spans(NamedTuple):
    """Starts and stops of runs in UTC microseconds; element i of both belongs to run i."""

    starts: Sequence[int]
    stops: Sequence[int]


_NOT_RECEIVED = 2**62


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound of a clock's offset from its driver's clock, in microseconds.

    None where a bound is not known. The offset of a clock that is behind is negative.
    """

    low_us: int | None
    high_us: int | None

    @property
    def off_us(self) -> int | None:
        """Largest possible offset; None if a bound is not known."""
        if self.low_us is None or self.high_us is None:
            return None
        return max(abs(self.low_us), abs(self.high_us))

    @property
    def contradiction_us(self) -> int:
        """By how much the bounds contradict each other, because the clock was set; else 0."""
        if self.low_us is None or self.high_us is None:
            return 0
        return max(0, self.low_us - self.high_us)

    def ordered(self) -> Self:
        """Return the bounds in ascending order; contradicting ones are exchanged."""
        return type(self)(self.high_us, self.low_us) if self.contradiction_us else self


_DRIVERS_OWN = Bounds(0, 0)


@dataclass(frozen=True, slots=True)
class Clocks:
    """Facts that the times of a campaign prove about its clocks.

    Parameters
    ----------
    nodes
        Bounds of each clock that is not the driver's own, and of the driver's own beside these.
        Empty where all attempts ran on the hosts of their drivers: there is one clock then.
    contradiction_us
        By how much times contradict each other at most; 0 if they do not. A process neither starts
        before it was submitted nor stops after its report came, and a session begins when the one
        before it has ended; otherwise a clock was set, or those of two drivers differ.
    """

    nodes: dict[Place, Bounds]
    contradiction_us: int

    def of(self, place: Place) -> Bounds:
        """Return the bounds of a clock; both are None for an unknown node."""
        return self.nodes.get(place, Bounds(None, None))


def clocks(reader: Reader, campaign_id: int) -> Clocks:
    """Return the bounds of all clocks that the times of a campaign were read from."""
    opened = reader.sessions_of(campaign_id)
    with reader.connection() as connection, connection.begin():
        prepare_to_aggregate(connection)
        found = connection.execute(ended_attempts(campaign_id, clock_columns(opened))).all()
    return clock_bounds(found, opened)


def clocks_of_benchmarks(reader: Reader, campaign_id: int) -> dict[str, Clocks]:
    """Return the bounds of clocks by the times of each benchmark alone; one without times is left out."""
    opened = reader.sessions_of(campaign_id)
    named = instances.c.benchmark
    asked = ended_attempts(campaign_id, [named, *clock_columns(opened)])
    rows: dict[str, list[Any]] = {}
    with reader.connection() as connection, connection.begin():
        prepare_to_aggregate(connection)
        for row in connection.execute(asked.select_from(attempts.join(instances)).group_by(named)):
            rows.setdefault(row.benchmark, []).append(row)
    return {benchmark: clock_bounds(found, opened) for benchmark, found in rows.items()}


def ended_attempts(campaign_id: int, asked: Iterable[ColumnElement[Any]]) -> Select[Any]:
    """Return a query over the ended attempts of a campaign, grouped by `GROUPED_BY`."""
    alike = [attempts.c[name] for name in GROUPED_BY]
    return (
        select(*alike, *asked)
        .where(attempts.c.campaign_id == campaign_id, attempts.c.received_us.is_not(None))
        # In the order of an index: sorting a million rows by session and node takes longer than reading them.
        .group_by(*alike)
    )


def clock_bounds(found: Sequence[Any], opened: Sequence[Session]) -> Clocks:
    """Return the bounds that rows of `ended_attempts` with `clock_columns` prove."""
    hosts = {one.session_number: one.host for one in opened}
    groups: dict[Place, list[Any]] = {}
    for row in found:
        groups.setdefault((row.session_number, row.node), []).append(row)
    measured = {place: _bounds(rows) for place, rows in groups.items()}
    own = {place for place in measured if place[1] in (None, hosts.get(place[0]))}
    contradictions = [
        # The driver's host has the driver's clock, whose offset from itself is 0.
        max(_known([0, bounds.low_us, bounds.high_us and -bounds.high_us]))
        if place in own
        else bounds.contradiction_us
        for place, bounds in measured.items()
    ]
    nodes = {
        place: _DRIVERS_OWN if place in own else bounds.ordered()
        for place, bounds in measured.items()
        if place[1] is not None
    }
    return Clocks(
        nodes if measured.keys() - own else {}, max([0, *contradictions, *_overlaps_of_sessions(found)])
    )


def clock_columns(opened: Sequence[Session]) -> list[ColumnElement[Any]]:
    """Return columns for the bounds of clocks, and for the first submission and the last report."""
    a = attempts.c
    return [
        func.max(case((_by_its_own_driver(opened), a.process_stop_us - a.received_us))).label("low"),
        func.max(a.clock_offset_min_us).label("least"),
        func.min(a.clock_offset_max_us).label("ahead"),
        func.min(a.process_start_us - a.submitted_us).label("started"),
        func.min(a.submitted_us).label("first"),
        func.max(a.received_us).label("last"),
    ]


def _bounds(rows: Sequence[Any]) -> Bounds:
    low = _known(one for row in rows for one in (row.low, row.least))
    high = _known(one for row in rows for one in (row.ahead, row.started))
    return Bounds(max(low, default=None), min(high, default=None))


def _by_its_own_driver(opened: Sequence[Session]) -> ColumnElement[bool]:
    """Return the condition that the clock which timed a report is that of the submitting driver.

    A driver that adopts attempts of an earlier one on another host receives their reports by another clock.
    """
    until = {
        one.session_number: next(
            (later.started_us for later in opened[k + 1 :] if later.host != one.host), _NOT_RECEIVED
        )
        for k, one in enumerate(opened)
    }
    changed = [
        (attempts.c.session_number == session, at) for session, at in until.items() if at != _NOT_RECEIVED
    ]
    return attempts.c.received_us < (case(*changed, else_=_NOT_RECEIVED) if changed else _NOT_RECEIVED)


def _overlaps_of_sessions(found: Iterable[Any]) -> list[int]:
    """Return by how many microseconds each session began before the end of the one before it."""
    sessions: dict[int, list[Any]] = {}
    for row in found:
        sessions.setdefault(row.session_number, []).append(row)
    overlaps, latest = [], None
    for _, rows in sorted(sessions.items()):
        if latest is not None:
            overlaps.append(latest - min(row.first for row in rows))
        latest = max(_known([latest, *(row.last for row in rows)]))
    return overlaps


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]
