"""What the accepted attempts of a benchmark have in common, added up by the database.

A million attempts on as many slots as a machine has saw only as many different things: the database
hands over one row for each of these, and the times of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import ColumnElement, Text, case, cast, false, func, select

from db.connect import translated
from db.reader import Reader
from db.tables import attempts, environments, instances

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True, slots=True)
class Alike:
    """Accepted attempts that saw the same on the same kind of slot.

    Parameters
    ----------
    seen
        What their processes saw, without what differs between processes that saw the same; JSON text.
    data
        What data they read; JSON text.
    cores, devices
        What they were given.
    number
        How many they are.
    timed, longest_seconds
        How many have a FOM time, and the longest.
    rated, lowest_accuracy, below
        How many have an accuracy, the lowest, and how many are below what was asked for.
    """

    seen: str | None
    data: str | None
    cores: str | None
    devices: str | None
    number: int
    timed: int
    longest_seconds: float | None
    rated: int
    lowest_accuracy: float | None
    below: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted attempts of one benchmark.

    Parameters
    ----------
    alike
        One for each different thing that was seen.
    runs, windows
        Start and stop of each run, and of each window of timed steps, that was measured: UTC
        microseconds, shape (n, 2).
    """

    alike: tuple[Alike, ...]
    runs: NDArray[np.int64]
    windows: NDArray[np.int64]


def accepted(reader: Reader, campaign: int, benchmark: str, least_accuracy: float | None) -> Accepted:
    """Return what a ledger knows of a benchmark's accepted attempts.

    Parameters
    ----------
    least_accuracy
        What `Alike.below` is about; None where nothing was asked for.
    """
    seconds, accuracy = _measured(attempts.c.fom_seconds), _measured(attempts.c.accuracy)
    below = false() if least_accuracy is None else accuracy < least_accuracy
    told = (attempts.c.sighting, attempts.c.data, attempts.c.cores, attempts.c.devices)
    groups = (
        select(
            *told,
            func.count().label("number"),
            func.count(seconds).label("timed"),
            func.max(seconds).label("longest_seconds"),
            func.count(accuracy).label("rated"),
            func.min(accuracy).label("lowest_accuracy"),
            func.sum(case((below, 1), else_=0)).label("below"),
            _pairs("run").label("runs"),
            _pairs("window").label("windows"),
        )
        .select_from(instances)
        .join(
            attempts,
            (attempts.c.campaign == instances.c.campaign)
            & (attempts.c.instance == instances.c.instance)
            & (attempts.c.attempt == instances.c.accepted_attempt),
        )
        .where(instances.c.campaign == campaign, instances.c.benchmark == benchmark)
        .group_by(*told)
        .subquery()
    )
    statement = select(environments.c.content, *list(groups.c)[1:]).select_from(
        groups.outerjoin(environments, environments.c.environment == groups.c.sighting)
    )
    with translated(reader.url), reader.connection() as connection, connection.begin():
        rows = connection.execute(statement).all()
    return Accepted(
        tuple(
            Alike(
                row.content,
                row.data,
                row.cores,
                row.devices,
                row.number,
                row.timed,
                row.longest_seconds,
                row.rated,
                row.lowest_accuracy,
                int(row.below),
            )
            for row in rows
        ),
        _times([row.runs for row in rows]),
        _times([row.windows for row in rows]),
    )


def _measured(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a column's finite values, and NULL for all others."""
    return case((column.between(-_LARGEST, _LARGEST), column))


def _pairs(what: str) -> ColumnElement[Any]:
    """Return all starts and stops in one text: a tenth of the work of a row for each."""
    start, stop = attempts.c[f"{what}_start_us"], attempts.c[f"{what}_stop_us"]
    both = case(((start != 0) & (stop != 0), cast(start, Text) + "," + cast(stop, Text)))
    return func.aggregate_strings(both, ",")


def _times(texts: list[str | None]) -> NDArray[np.int64]:
    found = [np.fromstring(one, dtype=np.int64, sep=",") for one in texts if one]
    return (np.concatenate(found) if found else np.empty(0, dtype=np.int64)).reshape(-1, 2)
