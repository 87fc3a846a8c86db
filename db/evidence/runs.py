"""Every accepted attempt of each benchmark, and the ranges of their metrics."""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, case, func, select, text

from db.counted import counted
from db.evidence.ended import UNSUCCESSFUL
from db.reader import Reader
from db.states import AttemptState
from db.tables import ACCEPTED, RULE_METRICS, RULE_METRICS_ONLY, attempts, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    RunColumns = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[float], Sequence[float]]
    from db.reader import Reader


def run_columns(reader: Reader, campaign_id: int) -> dict[str, RunColumns]:
    """Return the columns of every accepted attempt of each benchmark, in the order of instances.

    Returns
    -------
    dict
        By benchmark, without those that have no accepted attempt (see `NO_RUNS`): start and stop of the run,
        UTC microseconds, both 0 where it was not measured; start of the first attempt of the instance that
        had begun its run and was ended, of a lost one the start of its process, 0 without one; FOM time, in
        seconds, and accuracy, NaN where not measured.
    """
    a, ended = attempts.c, attempts.alias()
    began = func.coalesce(
        ended.c.run_start_us, case((ended.c.state == AttemptState.LOST.value, ended.c.process_start_us))
    )
    first = (
        select(ended.c.instance_id, func.min(began).label("began_us"))
        .where(ended.c.campaign_id == campaign_id, ended.c.state.in_([str(one) for one in UNSUCCESSFUL]))
        .group_by(ended.c.instance_id)
        .subquery()
    )
    statement = (
        select(
            instances.c.benchmark,
            a.run_start_us,
            a.run_stop_us,
            first.c.began_us,
            a.fom_seconds,
            a.accuracy,
        )
        .select_from(ACCEPTED.outerjoin(first, first.c.instance_id == instances.c.instance_id))
        .where(
            counted(campaign_id),
        )
        .order_by(instances.c.instance_id)
    )
    found: dict[str, list[Any]] = {}
    with reader.connection() as connection:
        for row in connection.execute(statement):
            found.setdefault(row[0], []).append(row)
    return {benchmark: _columns(rows) for benchmark, rows in found.items()}


def _columns(rows: Sequence[Any]) -> RunColumns:
    starts, stops = (
        array("q", (row[number] if row[1] and row[2] else 0 for row in rows)) for number in (1, 2)
    )
    began_us = array("q", (row[3] or 0 for row in rows))
    seconds, accuracies = (_finite([row[number] for row in rows]) for number in (4, 5))
    return starts, stops, began_us, seconds, accuracies


def metric_columns(
    reader: Reader, campaign_id: int, names: Sequence[str]
) -> tuple[dict[str, dict[str, array[float]]], dict[str, dict[str, frozenset[str]]]]:
    """Return metrics of every accepted attempt of each benchmark, in the order of `run_columns`.

    Returns
    -------
    tuple
        By benchmark, without those that have no accepted attempt: a column by each of `names`, NaN where an
        attempt did not report the metric, or no finite number; the units of each metric that some attempt
        reported.
    """
    if not names:
        return {}, {}
    chosen = (
        (metrics.c.campaign_id == instances.c.campaign_id)
        & (metrics.c.instance_id == instances.c.instance_id)
        & (metrics.c.attempt_number == instances.c.accepted_attempt)
        & metrics.c.name.in_(names)
    )
    statement = (
        select(
            instances.c.benchmark, instances.c.instance_id, metrics.c.name, metrics.c.value, metrics.c.unit
        )
        .select_from(ACCEPTED.outerjoin(metrics, chosen))
        .where(
            counted(campaign_id),
        )
        .order_by(instances.c.instance_id)
    )
    found: dict[str, dict[str, array[float]]] = {}
    units: dict[str, dict[str, frozenset[str]]] = {}
    last = None
    with reader.connection() as connection:
        for benchmark, instance, name, value, unit in connection.execute(statement):
            columns = found.get(benchmark) or found.setdefault(benchmark, {one: array("d") for one in names})
            if instance != last:  # a new row, which an attempt without any of them leaves as it is
                last = instance
                for column in columns.values():
                    column.append(math.nan)
            if value is not None and math.isfinite(value):
                columns[name][-1] = value
            if name is not None:
                known = units.setdefault(benchmark, {})
                if unit not in known.get(name, ()):
                    known[name] = known.get(name, frozenset()) | {unit}
    return found, units


def metric_ranges(reader: Reader, campaign_id: int) -> dict[str, dict[str, tuple[float, float, int]]]:
    """Return, by benchmark, lowest value, highest value and number of each metric of accepted attempts."""
    statement = (
        select(
            instances.c.benchmark,
            metrics.c.name,
            func.min(metrics.c.value),
            func.max(metrics.c.value),
            func.count(metrics.c.value),
        )
        .select_from(instances)
        .join(
            metrics,
            (metrics.c.campaign_id == instances.c.campaign_id)
            & (metrics.c.instance_id == instances.c.instance_id)
            & (metrics.c.attempt_number == instances.c.accepted_attempt),
        )
        .where(
            counted(campaign_id),
            metrics.c.value.is_not(None),
        )
        .group_by(instances.c.benchmark, metrics.c.name)
        .order_by(metrics.c.name)
    )
    found: dict[str, dict[str, tuple[float, float, int]]] = {}
    with reader.connection() as connection:
        for benchmark, name, low, high, number in connection.execute(statement):
            found.setdefault(benchmark, {})[name] = low, high, number
    return found


def _finite(values: Sequence[float | None]) -> array[float]:
    """Return values as a column; NaN for those that are missing or not finite."""
    return array("d", (v if v is not None and math.isfinite(v) else math.nan for v in values))


NO_RUNS = _columns([])
"""The columns of a benchmark without accepted attempts."""


_FEW_BENCHMARKS = 8
"""Up to as many are asked about one by one, which reads few rows of each; more are read together."""
_COUNTED = (
    (instances.c.campaign_id == metrics.c.campaign_id)
    & (instances.c.instance_id == metrics.c.instance_id)
    & (instances.c.accepted_attempt == metrics.c.attempt_number)
)


def lowest_metrics(
    reader: Reader, campaign_id: int, benchmarks: Sequence[str], name: str
) -> dict[str, float]:
    """Return the lowest value of a metric over accepted attempts, by benchmark where any has it."""
    known: list[Any] = [
        metrics.c.campaign_id == campaign_id,
        metrics.c.name == name,
        metrics.c.value.is_not(None),
    ]
    if name in RULE_METRICS:  # SQLite uses a partial index only if the query repeats its condition
        known.append(text(RULE_METRICS_ONLY))
    together = (
        select(instances.c.benchmark, func.min(metrics.c.value))
        .select_from(metrics.join(instances, _COUNTED))
        .where(*known)
        .group_by(instances.c.benchmark)
    )
    few = len(benchmarks) <= _FEW_BENCHMARKS
    with reader.connection() as connection, connection.begin():
        if not few:
            return {row[0]: float(row[1]) for row in connection.execute(together)}
        found = {one: connection.execute(_first(one).where(*known)).scalar() for one in benchmarks}
    return {one: float(lowest) for one, lowest in found.items() if lowest is not None}


def _first(benchmark: str) -> Select[Any]:
    """Return the statement for one benchmark, which reads an index from the lowest value on."""
    counted = select(instances.c.instance_id).where(_COUNTED, instances.c.benchmark == benchmark).exists()
    return select(metrics.c.value).where(counted).order_by(metrics.c.value).limit(1)
