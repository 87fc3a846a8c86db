"""Accepted attempts of benchmarks, aggregated by the database.

Attempts with the same observation are grouped in SQL, so that a campaign of a million attempts returns one
row per distinct observation and node of a benchmark, with all its run intervals. One query answers for all
benchmarks with the same target, so that a thousand points take no more queries than two.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Float,
    Text,
    case,
    cast,
    false,
    func,
    literal,
    null,
    select,
)

from db.connection.bulk_sql import in_list, numbers_by_name, prepare_to_aggregate
from db.counted import counted
from db.evidence.clocks import Clocks, Place, Spans, clock_bounds, clock_columns, ended_attempts
from db.evidence.mark_times import MarkTimes, mark_columns
from db.reader import Reader
from db.states import AttemptState, InstanceState
from db.tables import ACCEPTED, GROUPED_BY, attempts, instances
from db.writing.superseding import superseded_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True, slots=True)
class ObservationGroup:
    """Accepted attempts with the same observation on the same kind of slot.

    Parameters
    ----------
    observed
        Observation of their processes, without host, process id and the like.
    data
        Facts of the data they read; JSON text.
    number
        Number of attempts.
    timed, longest_seconds
        Number of attempts with a FOM time, and the longest one.
    longest_process_us
        The longest time from the start of a process to its end, in microseconds; None where none is known.
    lowest_share, highest_share
        Lowest and highest (FOM time × timed units) ÷ timed interval; None where no attempt has both.
    with_accuracy, lowest_accuracy, highest_accuracy, below_target
        How many have an accuracy, the lowest and the highest one, and how many miss the target.
    marks
        How their marks agree with what their supervisors saw.
    """

    observed: Any
    data: str | None
    cores: str | None
    devices: str | None
    number: int
    timed: int
    longest_seconds: float | None
    longest_process_us: int | None
    lowest_share: float | None
    highest_share: float | None
    with_accuracy: int
    lowest_accuracy: float | None
    highest_accuracy: float | None
    below_target: int
    marks: MarkTimes = field(default_factory=MarkTimes)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted attempts of one benchmark.

    Parameters
    ----------
    groups
        One for each different thing that was seen.
    runs, windows
        Start and stop of each run, and of each window of timed steps, that was measured, by where
        it ran, by the clock there.
    """

    groups: tuple[ObservationGroup, ...]
    runs: Mapping[Place, Spans]
    windows: Mapping[Place, Spans]


@dataclass(frozen=True, slots=True)
class Question:
    """A benchmark of a campaign, and what its attempts are compared with.

    Parameters
    ----------
    campaign_id, benchmark
        Number of the campaign, and label of the benchmark.
    least_accuracy, most_accuracy
        Target of `ObservationGroup.below_target`: one of the two, or None without a target.
    window
        Whether the timed interval is the window of timed steps, and not the run.
    units
        Number of batches or samples in the timed interval, 1 for a run; None where unknown.
    """

    campaign_id: int
    benchmark: str
    least_accuracy: float | None = None
    most_accuracy: float | None = None
    window: bool = False
    units: float | None = 1


def accepted(reader: Reader, questions: Sequence[Question]) -> list[Accepted]:
    """Return the accepted attempts of different benchmarks, in the order of the questions."""
    kinds: dict[Question, list[Question]] = {}
    for one in questions:
        kinds.setdefault(replace(one, benchmark="", units=None), []).append(one)
    found: dict[Question, Accepted] = {}
    with reader.connection() as connection, connection.begin():
        prepare_to_aggregate(connection)
        for kind, alike in kinds.items():
            found |= _of_kind(connection, kind, alike)
    return [found[one] for one in questions]


def _of_kind(connection: Connection, kind: Question, alike: Sequence[Question]) -> dict[Question, Accepted]:
    """Return the answers to questions that differ in their benchmarks and units only."""
    microseconds = {one.benchmark: one.units and 1e6 * one.units for one in alike}
    asked = numbers_by_name(connection, microseconds)
    sums = _sums(kind, asked.c.number)
    rows = _each(connection, kind, asked, sums)
    contents = _contents(connection, {row.observation_sha256 for row in rows})
    by_benchmark: dict[str, list[Any]] = {}
    for row in rows:
        by_benchmark.setdefault(row.benchmark, []).append(row)
    return {one: _added_up(by_benchmark.get(one.benchmark, []), contents) for one in alike}


def accepted_single_benchmark(reader: Reader, asked: Question) -> tuple[Accepted, Clocks] | None:
    """Return `accepted` and `db.evidence.clocks.clocks` of a campaign of one benchmark.

    If every success is accepted, one pass over an index answers both questions.

    Returns
    -------
    tuple or None
        None if some success does not count, such as the second one of an instance.
    """
    campaign = asked.campaign_id
    if superseded_counts(reader, campaign):
        return None
    opened = reader.sessions_of(campaign)
    sums = _sums(asked, cast(null() if asked.units is None else literal(1e6 * asked.units), Float))
    done = (instances.c.campaign_id == campaign) & (instances.c.state == InstanceState.DONE)
    with reader.connection() as connection, connection.begin():
        prepare_to_aggregate(connection)
        rows = connection.execute(ended_attempts(campaign, [*sums, *clock_columns(opened)])).all()
        successes = [row for row in rows if row.state == AttemptState.SUCCEEDED]
        number = connection.execute(select(func.count()).select_from(instances).where(done)).scalar_one()
        if sum(row.number for row in successes) != number:
            return None
        contents = _contents(connection, {row.observation_sha256 for row in successes})
        return _added_up(successes, contents), clock_bounds(rows, opened)


def _added_up(rows: Iterable[Any], contents: Mapping[str, Any]) -> Accepted:
    """Return the accepted attempts of a benchmark from rows of sums, and from observations by key."""
    alike: dict[str, list[Any]] = {}
    where: dict[Place, list[Any]] = {}
    for row in rows:
        alike.setdefault(row.observation_sha256, []).append(row)
        where.setdefault((row.session_number, row.node), []).append(row)
    return Accepted(
        tuple(_alike(contents.get(key, {}), rows) for key, rows in alike.items()),
        {place: _times([row.runs for row in rows]) for place, rows in where.items()},
        {place: _times([row.windows for row in rows]) for place, rows in where.items()},
    )


def _each(
    connection: Connection,
    kind: Question,
    asked: CTE,
    sums: Sequence[ColumnElement[Any]],
) -> Sequence[Any]:
    """Return the sums of accepted attempts, grouped by benchmark and `GROUPED_BY`."""
    together = [instances.c.benchmark, *(attempts.c[name] for name in GROUPED_BY)]
    return connection.execute(
        select(*together, *sums)
        .select_from(ACCEPTED.join(asked, asked.c.name == instances.c.benchmark))
        .where(counted(kind.campaign_id))
        .group_by(*together)
    ).all()


def _sums(asked: Question, unit_us: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """Return the columns of sums; `unit_us` is 1e6 times the units of the timed interval, NULL if unknown."""
    seconds, accuracy = _measured(attempts.c.fom_seconds), _measured(attempts.c.accuracy)
    below_target: ColumnElement[bool] = false()
    if asked.least_accuracy is not None:
        below_target = accuracy < asked.least_accuracy
    elif asked.most_accuracy is not None:
        below_target = accuracy > asked.most_accuracy
    start, stop = _interval("timed_window" if asked.window else "run")
    share = case((stop > start, seconds * unit_us / (stop - start)))
    return [
        func.count().label("number"),
        func.count(seconds).label("timed"),
        func.max(seconds).label("longest_seconds"),
        func.max(attempts.c.process_stop_us - attempts.c.process_start_us).label("longest_process_us"),
        func.min(share).label("lowest_share"),
        func.max(share).label("highest_share"),
        func.count(accuracy).label("with_accuracy"),
        func.min(accuracy).label("lowest_accuracy"),
        func.max(accuracy).label("highest_accuracy"),
        func.sum(case((below_target, 1), else_=0)).label("below_target"),
        *mark_columns(window=asked.window),
        _pairs("run").label("runs"),
        _pairs("timed_window").label("windows"),
    ]


def _contents(connection: Connection, keys: Iterable[str | None]) -> dict[str, Any]:
    """Return the documents with these keys."""
    condition, value = in_list(connection, "sha256", [key for key in keys if key is not None])
    found = connection.exec_driver_sql(f"SELECT sha256, content FROM documents WHERE {condition}", (value,))
    return {row.sha256: json.loads(row.content) for row in found}


def _alike(facts: Mapping[str, Any], rows: Sequence[Any]) -> ObservationGroup:
    columns = dict(zip(rows[0]._fields, zip(*rows, strict=True), strict=True))

    def known(name: str) -> list[Any]:
        return [value for value in columns[name] if value is not None]

    return ObservationGroup(
        observed=facts.get("seen"),
        data=facts.get("data"),
        cores=facts.get("cores"),
        devices=facts.get("devices"),
        number=sum(columns["number"]),
        timed=sum(columns["timed"]),
        longest_seconds=max(known("longest_seconds"), default=None),
        longest_process_us=max(known("longest_process_us"), default=None),
        lowest_share=min(known("lowest_share"), default=None),
        highest_share=max(known("highest_share"), default=None),
        with_accuracy=sum(columns["with_accuracy"]),
        lowest_accuracy=min(known("lowest_accuracy"), default=None),
        highest_accuracy=max(known("highest_accuracy"), default=None),
        below_target=sum(map(int, columns["below_target"])),
        marks=MarkTimes.of_rows(columns),
    )


def _measured(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a column's finite values, and NULL for all others."""
    return case((column.between(-_LARGEST, _LARGEST), column))


def _pairs(what: str) -> ColumnElement[Any]:
    """Return all starts and stops in one text, which takes a tenth of the time of one row each."""
    start, stop = _interval(what)
    both = case(((start != 0) & (stop >= start), cast(start, Text) + "," + cast(stop, Text)))
    return func.aggregate_strings(both, ",")


def _interval(what: str) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return attempts.c[f"{what}_start_us"], attempts.c[f"{what}_stop_us"]


def _times(texts: Iterable[str | None]) -> Spans:
    times = array("q", (int(time) for text in texts if text for time in text.split(",")))
    return Spans(times[::2], times[1::2])
