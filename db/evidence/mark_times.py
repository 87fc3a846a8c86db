"""How the marks of accepted attempts agree with what their supervisors saw, aggregated by the database.

A training dates its marks by its own clock. Its supervisor dates their arrival, and reads the CPU time that
the processes had used by then; both are on one node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from db.tables import ACCEPTED, attempts, instances

if TYPE_CHECKING:
    from db.reader import Reader

ARRIVAL_ALLOWANCE_SECONDS = 1.0
"""How long a mark takes to arrive at most, on a node that is busy."""
_MARKS = ("run_start", "timed_window_start", "timed_window_stop", "run_stop")


@dataclass(frozen=True, slots=True)
class MarkTimes:
    """The extremes of accepted attempts; None where none was measured.

    Parameters
    ----------
    undated
        How many have a mark whose arrival is not known.
    disordered
        How many have marks that stop before they start.
    with_interval
        How many have a timed interval.
    latest_us, earliest_us
        The largest and the smallest time from the date of a mark until it arrived.
    stretch_us
        By how much a timed interval between arrivals is longer than between marks.
    shortest_us
        The shortest timed interval.
    busiest
        Most CPU time from the run's start to its stop, or to that of the window, as a share of that time and
        `ARRIVAL_ALLOWANCE_SECONDS`: how many cores were busy at least.
    before_us, before_cpu_seconds
        The longest time, and most CPU time, from the start of the processes until that of the run.
    after_us, after_cpu_seconds
        The longest time, and most CPU time, from the stop of the run until the processes had ended.
    after_window_us
        The longest time from the stop of the window until that of the run.
    """

    undated: int = 0
    disordered: int = 0
    with_interval: int = 0
    latest_us: int | None = None
    earliest_us: int | None = None
    stretch_us: int | None = None
    shortest_us: int | None = None
    busiest: float | None = None
    before_us: int | None = None
    before_cpu_seconds: float | None = None
    after_us: int | None = None
    after_cpu_seconds: float | None = None
    after_window_us: int | None = None

    @classmethod
    def combined(cls, parts: Iterable[MarkTimes]) -> MarkTimes:
        """Return the extremes and sums of several."""
        all_parts = list(parts)
        return cls(
            **_extremes({one.name: [getattr(part, one.name) for part in all_parts] for one in fields(cls)})
        )

    @classmethod
    def of_rows(cls, columns: Mapping[str, Sequence[Any]]) -> MarkTimes:
        """Return the extremes and sums of rows with `mark_columns`, given as the values of each column."""
        values = {
            one.name: chain(*(columns[name] for name in _OF_SEVERAL.get(one.name, [one.name])))
            for one in fields(cls)
        }
        return cls(**_extremes(values))


_SUMS = ("undated", "disordered", "with_interval")
_LOWEST = ("earliest_us", "shortest_us")
_OF_SEVERAL = {
    "latest_us": [f"{name}_late" for name in _MARKS],
    "earliest_us": [f"{name}_early" for name in _MARKS],
    "busiest": ["busiest_run", "busiest_window"],
}
"""Columns of each field that has not one column of its own name."""


def _extremes(values: Mapping[str, Iterable[Any]]) -> dict[str, Any]:
    """Return the sum or the extreme of the values of each field; nothing for an extreme of no known value."""
    found = {}
    for name, some in values.items():
        known = [value for value in some if value is not None]
        if name in _SUMS:
            found[name] = sum(known)
        elif known:
            found[name] = min(known) if name in _LOWEST else max(known)
    return found


def mark_columns(*, window: bool) -> list[ColumnElement[Any]]:
    """Return the columns of sums for `MarkTimes`.

    Parameters
    ----------
    window
        Whether the timed interval is the window of timed steps, and not the run.
    """
    a = attempts.c
    late = {name: a[f"{name}_arrived_us"] - a[f"{name}_us"] for name in _MARKS}
    undated = [and_(a[f"{name}_us"] != 0, a[f"{name}_arrived_us"].is_(None)) for name in _MARKS]
    disordered = [
        a.run_stop_us < a.run_start_us,
        a.timed_window_stop_us < a.timed_window_start_us,
        a.timed_window_start_us < a.run_start_us,
        a.run_stop_us < a.timed_window_stop_us,
    ]
    timed = "timed_window" if window else "run"
    start, stop = a[f"{timed}_start_us"], a[f"{timed}_stop_us"]
    return [
        func.count(case((or_(*undated), 1))).label("undated"),
        func.count(case((or_(*disordered), 1))).label("disordered"),
        func.count(case((stop > start, 1))).label("with_interval"),
        *(func.max(value).label(f"{name}_late") for name, value in late.items()),
        *(func.min(value).label(f"{name}_early") for name, value in late.items()),
        func.max(late[f"{timed}_stop"] - late[f"{timed}_start"]).label("stretch_us"),
        func.min(case((stop > start, stop - start))).label("shortest_us"),
        _busiest("run_stop").label("busiest_run"),
        _busiest("timed_window_stop").label("busiest_window"),
        func.max(a.run_start_us - a.process_start_us).label("before_us"),
        func.max(a.run_start_cpu_seconds).label("before_cpu_seconds"),
        func.max(a.process_stop_us - a.run_stop_us).label("after_us"),
        func.max(a.cpu_seconds - a.run_stop_cpu_seconds).label("after_cpu_seconds"),
        func.max(a.run_stop_us - a.timed_window_stop_us).label("after_window_us"),
    ]


def longest_before_us(reader: Reader, campaign_id: int, benchmark: str) -> int | None:
    """Return the longest time from the start of an accepted attempt's processes until it was ready to run.

    What it waits at a start barrier comes after that. The index of judged columns lacks it, so that this
    query is slower than `mark_columns`.
    """
    a = attempts.c
    before = func.max(func.coalesce(a.ready_us, a.run_start_us) - a.process_start_us)
    statement = (
        select(before)
        .select_from(ACCEPTED)
        .where(instances.c.campaign_id == campaign_id, instances.c.benchmark == benchmark)
    )
    with reader.connection() as connection:
        return connection.execute(statement).scalar()


def _busiest(until: str) -> ColumnElement[Any]:
    """Return the most CPU seconds from the run's start to a mark, for each second between them."""
    a = attempts.c
    used = a[f"{until}_cpu_seconds"] - a.run_start_cpu_seconds
    between = a[f"{until}_us"] - a.run_start_us
    return func.max(case((between >= 0, used * 1e6 / (between + 1e6 * ARRIVAL_ALLOWANCE_SECONDS))))
