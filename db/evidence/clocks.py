"""What a campaign's times prove about the clocks that they were read from.

Nodes time what they run, and the driver times what it sends and receives. How far a node's clock
was ahead of its driver's is never measured, but held between bounds: at least as far as any
process stopped after its report had come, at most as far as any started after it was submitted,
or as the node itself found when it read the driver's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import ColumnElement, Select, case, func, select

from db.bulk_sql import prepare_to_aggregate
from db.reader import Reader
from db.rows import Session
from db.tables import ALIKE, attempts

Place = tuple[int, str | None]
"""A session, and a node on which attempts of it ran."""
_NOT_RECEIVED = 2**62


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a clock was ahead of its driver's: at least, and at most, in microseconds.

    None where nothing is known. A clock that was behind has numbers below zero.
    """

    low_us: int | None
    high_us: int | None

    @property
    def off_us(self) -> int | None:
        """How far the clock may have been off at most; None where that is not known."""
        if self.low_us is None or self.high_us is None:
            return None
        return max(abs(self.low_us), abs(self.high_us))

    @property
    def contradiction_us(self) -> int:
        """By how much the bounds contradict each other: then the clock was set; 0 if they do not."""
        if self.low_us is None or self.high_us is None:
            return 0
        return max(0, self.low_us - self.high_us)

    def ordered(self) -> Self:
        """Return bounds that hold whichever of two bounds that contradict each other does."""
        return type(self)(self.high_us, self.low_us) if self.contradiction_us else self


_DRIVERS_OWN = Bounds(0, 0)


@dataclass(frozen=True, slots=True)
class Clocks:
    """What is proven about the clocks of a campaign.

    Parameters
    ----------
    nodes
        Bounds of each clock that is not the driver's own, and of the driver's own beside these.
        Empty where all attempts ran on the hosts of their drivers: there is one clock then.
    contradiction_us
        By how much times contradict each other at most; 0 if they do not. A process neither starts
        before it was submitted nor stops after its report came, and a session begins when the one
        before it has ended: otherwise a clock was set, or those of two drivers differ.
    """

    nodes: dict[Place, Bounds]
    contradiction_us: int

    def of(self, place: Place) -> Bounds:
        """Return the bounds of a clock; of a node without a name, or that came later, nothing is known."""
        return self.nodes.get(place, Bounds(None, None))


def clocks(reader: Reader, campaign: int) -> Clocks:
    """Return what a ledger proves about the clocks behind a campaign's times."""
    opened = reader.sessions_of(campaign)
    with reader.connection() as connection, connection.begin():
        prepare_to_aggregate(connection)
        found = connection.execute(ended(campaign, readings(opened))).all()
    return proven(found, opened)


def ended(campaign: int, asked: Iterable[ColumnElement[Any]]) -> Select[Any]:
    """Return the question for something of all attempts of a campaign that ended, alike ones together."""
    alike = [attempts.c[name] for name in ALIKE]
    return (
        select(*alike, *asked)
        .where(attempts.c.campaign == campaign, attempts.c.received_us.is_not(None))
        # As they stand in an index: sorting a million by session and node takes longer than reading them.
        .group_by(*alike)
    )


def proven(found: Sequence[Any], opened: Sequence[Session]) -> Clocks:
    """Return what the `readings` of attempts that `ended` prove, in a campaign's sessions."""
    hosts = {one.session: one.host for one in opened}
    groups: dict[Place, list[Any]] = {}
    for row in found:
        groups.setdefault((row.session, row.node), []).append(row)
    measured = {place: _bounds(rows) for place, rows in groups.items()}
    own = {place for place in measured if place[1] in (None, hosts.get(place[0]))}
    contradictions = [
        # On the driver's host there is but the driver's clock, which is not ahead of itself.
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


def readings(opened: Sequence[Session]) -> list[ColumnElement[Any]]:
    """Return what is asked of clocks: bounds, and when the first was submitted and the last received."""
    told = attempts.c
    return [
        func.max(case((_by_its_own_driver(opened), told.process_stop_us - told.received_us))).label("low"),
        func.min(told.clock_ahead_us).label("ahead"),
        func.min(told.process_start_us - told.submitted_us).label("started"),
        func.min(told.submitted_us).label("first"),
        func.max(told.received_us).label("last"),
    ]


def _bounds(rows: Sequence[Any]) -> Bounds:
    low = _known(row.low for row in rows)
    high = _known(one for row in rows for one in (row.ahead, row.started))
    return Bounds(max(low, default=None), min(high, default=None))


def _by_its_own_driver(opened: Sequence[Session]) -> ColumnElement[bool]:
    """Return the condition that a report came by the clock of the driver that submitted the attempt.

    A driver that adopts what an earlier one left on another host receives it by another clock.
    """
    until = {
        one.session: next(
            (later.started_us for later in opened[k + 1 :] if later.host != one.host), _NOT_RECEIVED
        )
        for k, one in enumerate(opened)
    }
    changed = [(attempts.c.session == session, at) for session, at in until.items() if at != _NOT_RECEIVED]
    return attempts.c.received_us < (case(*changed, else_=_NOT_RECEIVED) if changed else _NOT_RECEIVED)


def _overlaps_of_sessions(found: Iterable[Any]) -> list[int]:
    """Return how long before the end of what came before it each session began."""
    sessions: dict[int, list[Any]] = {}
    for row in found:
        sessions.setdefault(row.session, []).append(row)
    overlaps, latest = [], None
    for _, rows in sorted(sessions.items()):
        if latest is not None:
            overlaps.append(latest - min(row.first for row in rows))
        latest = max(_known([latest, *(row.last for row in rows)]))
    return overlaps


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]
