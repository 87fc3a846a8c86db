"""Attempts of a campaign: tokens by what became of them, longest times, metrics, curves, and kept logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from db.connection.open_ledger import select_rows
from db.counted import counted
from db.rows import Attempt, Metric
from db.states import OPEN_STATES, AttemptState
from db.tables import ACCEPTED, attempts, columns_of, curves, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from db.reader import Reader


def succeeded(reader: Reader, campaign_id: int, session: int) -> set[str]:
    """Return the tokens of the attempts of a session that succeeded."""
    statement = select(attempts.c.token).where(
        attempts.c.campaign_id == campaign_id,
        attempts.c.session_number == session,
        attempts.c.state == AttemptState.SUCCEEDED,
    )
    with reader.connection() as connection, connection.begin():
        return set(connection.execute(statement).scalars())


def written_off(reader: Reader, campaign_id: int) -> set[str]:
    """Return the tokens of attempts that their driver declared ended, without a report of their own."""
    statement = select(attempts.c.token).where(
        attempts.c.campaign_id == campaign_id,
        attempts.c.state.not_in((*OPEN_STATES, AttemptState.SUCCEEDED)),
        attempts.c.process_stop_us.is_(None),
    )
    with reader.connection() as connection, connection.begin():
        return set(connection.execute(statement).scalars())


def longest_seconds(reader: Reader, campaign_id: int) -> dict[str, float]:
    """Return, by benchmark, the longest time that an accepted attempt's processes took, in seconds."""
    statement = (
        select(instances.c.benchmark, func.max(attempts.c.process_stop_us - attempts.c.process_start_us))
        .select_from(attempts)
        .join(instances)
        .where(
            instances.c.campaign_id == campaign_id,
            instances.c.accepted_attempt == attempts.c.attempt_number,
        )
        .group_by(instances.c.benchmark)
    )
    with reader.connection() as connection, connection.begin():
        rows = connection.execute(statement).all()
    return {benchmark: longest / 1e6 for benchmark, longest in rows if longest is not None}


def attempts_of_instances(reader: Reader, campaign_id: int, chosen: Collection[int]) -> list[Attempt]:
    """Return all attempts of some instances, by instance and number."""
    a = attempts.c
    statement = select_rows(Attempt).where(a.campaign_id == campaign_id, a.instance_id.in_(chosen))
    with reader.connection() as connection, connection.begin():
        return [
            Attempt(*row) for row in connection.execute(statement.order_by(a.instance_id, a.attempt_number))
        ]


def counted_attempts(reader: Reader, campaign_id: int) -> Iterator[tuple[str, int, int, Attempt]]:
    """Yield benchmark, number within it, seed and attempt of each instance that is accepted and counted."""
    i = instances.c
    statement = (
        select(i.benchmark, i.benchmark_index, i.seed, *columns_of(Attempt))
        .select_from(ACCEPTED)
        .where(counted(campaign_id))
        .order_by(i.instance_id)
    )
    with reader.connection() as connection, connection.begin():
        rows = connection.execution_options(yield_per=50).execute(statement)
        for benchmark, number, seed, *values in rows:
            yield str(benchmark), int(number), int(seed), Attempt(*values)


def metrics_of_instances(
    reader: Reader, campaign_id: int, chosen: Collection[int]
) -> dict[tuple[int, int], list[Metric]]:
    """Return the metrics of the attempts of some instances by instance and attempt, each list by name."""
    m = metrics.c
    statement = select_rows(Metric).where(m.campaign_id == campaign_id, m.instance_id.in_(chosen))
    found: dict[tuple[int, int], list[Metric]] = {}
    with reader.connection() as connection, connection.begin():
        for row in connection.execute(statement.order_by(m.instance_id, m.attempt_number, m.name)):
            metric = Metric(*row)
            found.setdefault((metric.instance_id, metric.attempt_number), []).append(metric)
    return found


def curves_of_instances(
    reader: Reader, campaign_id: int, chosen: Collection[int]
) -> dict[tuple[int, int], dict[str, dict[str, Any]]]:
    """Return the learning curves of the attempts of some instances by instance and attempt.

    Those of an attempt are by name, each with its ``axis`` and ``points``.
    """
    c = curves.c
    statement = (
        select(c.instance_id, c.attempt_number, c.name, c.axis, c.points)
        .where(c.campaign_id == campaign_id, c.instance_id.in_(chosen))
        .order_by(c.instance_id, c.attempt_number, c.name)
    )
    found: dict[tuple[int, int], dict[str, dict[str, Any]]] = {}
    with reader.connection() as connection, connection.begin():
        for instance, attempt, name, axis, points in connection.execute(statement):
            curve = {"axis": axis, "points": json.loads(points)}
            found.setdefault((instance, attempt), {})[name] = curve
    return found


def curve_points(reader: Reader, campaign_id: int, name: str | None = None) -> pd.DataFrame:
    """Return the learning curves of a campaign's attempts as a frame, one row per point.

    ``axis`` says whether ``place`` is an epoch or a step.

    Parameters
    ----------
    name
        Take the curves of this name only, such as ``val_loss``.
    """
    import pandas as pd

    i, c = instances.c, curves.c
    statement = (
        select(i.benchmark, i.benchmark_index, c.attempt_number, c.name, c.axis, c.points)
        .join_from(curves, instances, (i.campaign_id == c.campaign_id) & (i.instance_id == c.instance_id))
        .where(c.campaign_id == campaign_id)
        .order_by(*curves.primary_key)
    )
    if name is not None:
        statement = statement.where(c.name == name)
    with reader.connection() as connection, connection.begin():
        found = [
            (*key, place, value)
            for *key, points in connection.execute(statement)
            for place, value in json.loads(points)
        ]
    columns = ["benchmark", "benchmark_index", "attempt_number", "name", "axis", "place", "value"]
    return pd.DataFrame(found, columns=columns)
