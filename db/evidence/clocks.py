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
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self

from db.evidence.mark_times import differences

if TYPE_CHECKING:
    from db.plain import Row, RowReader
    from db.rows import Session

Place = tuple[int, str | None]
"""A session, and a node on which its attempts ran."""


class Spans(NamedTuple):
    """Starts and stops of runs in UTC microseconds; element i of both belongs to run i."""

    starts: Sequence[int]
    stops: Sequence[int]


_NOT_RECEIVED = 2**62
_AT_ONCE = 10_000
COLUMNS = (
    "session_number",
    "node",
    "submitted_us",
    "process_start_us",
    "process_stop_us",
    "received_us",
    "clock_offset_min_us",
    "clock_offset_max_us",
)
"""Columns of attempts that `ClockTimes` takes."""


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


def clocks(reader: RowReader, campaign_id: int) -> Clocks:
    """Return the bounds of all clocks that the times of a campaign were read from."""
    times = ClockTimes(reader.sessions_of(campaign_id))
    with reader.moment() as moment:
        rows = moment.rows("attempts", COLUMNS, campaign_id, known=["received_us"])
        while part := list(islice(rows, _AT_ONCE)):
            times.add(part)
    return times.clocks()


def clocks_of_benchmarks(reader: RowReader, campaign_id: int) -> dict[str, Clocks]:
    """Return the bounds of clocks by the times of each benchmark alone; one without times is left out."""
    opened = reader.sessions_of(campaign_id)
    columns = (*COLUMNS, "benchmark")
    found: dict[str, ClockTimes] = {}
    with reader.moment() as moment:
        rows = moment.rows("attempts", columns, campaign_id, known=["received_us"])
        while part := list(islice(rows, _AT_ONCE)):
            alike: dict[str, list[Row]] = {}
            for *row, benchmark in part:
                alike.setdefault(benchmark, []).append(tuple(row))
            for benchmark, some in alike.items():
                found.setdefault(benchmark, ClockTimes(opened)).add(some)
    return {benchmark: times.clocks() for benchmark, times in found.items()}


class _Times(NamedTuple):
    """Bounds by the times of some attempts of a place, and the first submission and the last report."""

    low: int | None
    high: int | None
    first: int
    last: int

    @classmethod
    def of(cls, rows: Sequence[Row], until_us: int) -> Self:
        """Return the bounds by ended attempts.

        Parameters
        ----------
        until_us
            Reports that came later were timed by another driver's clock.
        """
        _, _, submitted, started, stopped, received, least, most = zip(*rows, strict=True)
        own = [stop if at < until_us else None for stop, at in zip(stopped, received, strict=True)]
        low = (*differences(own, received), *_known(least))
        high = (*differences(started, submitted), *_known(most))
        return cls(max(low, default=None), min(high, default=None), min(submitted), max(received))

    @classmethod
    def combined(cls, parts: Sequence[Self]) -> Self:
        """Return the bounds by all of several."""
        low, high = _known(one.low for one in parts), _known(one.high for one in parts)
        first, last = min(one.first for one in parts), max(one.last for one in parts)
        return cls(max(low, default=None), min(high, default=None), first, last)


class ClockTimes:
    """Times of the attempts of a campaign, as far as they bound its clocks.

    Parameters
    ----------
    opened
        The sessions of the campaign.
    """

    def __init__(self, opened: Sequence[Session]) -> None:
        self._opened = opened
        self._until = _by_its_own_driver(opened)
        self._places: dict[Place, list[_Times]] = {}

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows of `COLUMNS`; those of attempts that have not ended are left out."""
        groups: dict[Place, list[Row]] = {}
        for row in rows:
            if row[5] is not None:
                groups.setdefault((row[0], row[1]), []).append(row)
        for place, some in groups.items():
            times = _Times.of(some, self._until.get(place[0], _NOT_RECEIVED))
            self._places.setdefault(place, []).append(times)

    def clocks(self) -> Clocks:
        """Return the bounds that the times prove."""
        ordered = sorted(self._places, key=lambda one: (one[0], one[1] or ""))
        times = {place: _Times.combined(self._places[place]) for place in ordered}
        hosts = {one.session_number: one.host for one in self._opened}
        measured = {place: Bounds(one.low, one.high) for place, one in times.items()}
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
        most = max([0, *contradictions, *_overlaps_of_sessions(times)])
        return Clocks(nodes if measured.keys() - own else {}, most)


def _by_its_own_driver(opened: Sequence[Session]) -> dict[int, int]:
    """Return, by session, when a driver on another host came, whose clock may have timed its reports since.

    A driver that adopts attempts of an earlier one on another host receives their reports by another clock.
    """
    return {
        one.session_number: next(
            (later.started_us for later in opened[k + 1 :] if later.host != one.host), _NOT_RECEIVED
        )
        for k, one in enumerate(opened)
    }


def _overlaps_of_sessions(times: dict[Place, _Times]) -> list[int]:
    """Return by how many microseconds each session began before the end of the one before it."""
    sessions: dict[int, list[_Times]] = {}
    for (session, _), one in times.items():
        sessions.setdefault(session, []).append(one)
    overlaps: list[int] = []
    latest: int | None = None
    for _, parts in sorted(sessions.items()):
        if latest is not None:
            overlaps.append(latest - min(one.first for one in parts))
        latest = max(_known([latest, *(one.last for one in parts)]))
    return overlaps


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]
