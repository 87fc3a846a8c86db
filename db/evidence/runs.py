"""Every accepted attempt of a benchmark, and the ranges of its metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import case, func, select

from db.evidence.ended import UNSUCCESSFUL
from db.reader import Reader
from db.states import AttemptState
from db.superseding import superseded_ids
from db.tables import ACCEPTED, attempts, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def run_columns(
    reader: Reader, campaign: int, benchmark: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns of every accepted attempt of a benchmark, in the order of instances.

    Returns
    -------
    tuple
        Start and stop of the run, UTC microseconds, both 0 where it was not measured; start of the first
        attempt of the instance that had begun its run and was ended, of a lost one the start of its process,
        0 without one; FOM time, in seconds, and accuracy, NaN where not measured.
    """
    a, ended = attempts.c, attempts.alias()
    began = func.coalesce(
        ended.c.run_start_us, case((ended.c.state == AttemptState.LOST.value, ended.c.process_start_us))
    )
    first = (
        select(ended.c.instance_id, func.min(began).label("began_us"))
        .where(ended.c.campaign_id == campaign, ended.c.state.in_([str(one) for one in UNSUCCESSFUL]))
        .group_by(ended.c.instance_id)
        .subquery()
    )
    statement = (
        select(a.run_start_us, a.run_stop_us, a.fom_seconds, a.accuracy, first.c.began_us)
        .select_from(ACCEPTED.outerjoin(first, first.c.instance_id == instances.c.instance_id))
        .where(
            instances.c.campaign_id == campaign,
            instances.c.benchmark == benchmark,
            instances.c.instance_id.not_in(superseded_ids(campaign)),
        )
        .order_by(instances.c.instance_id)
    )
    with reader.connection() as connection:
        rows: Sequence[Any] = connection.execute(statement).all()
    timed = [(row[0], row[1]) if row[0] and row[1] else (0, 0) for row in rows]
    times = np.array(timed, dtype=np.int64).reshape(-1, 2)
    began_us = np.array([row[4] or 0 for row in rows], dtype=np.int64)
    seconds, accuracies = (_finite([row[number] for row in rows]) for number in (2, 3))
    return times[:, 0], times[:, 1], began_us, seconds, accuracies


def metric_columns(
    reader: Reader, campaign: int, benchmark: str, names: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return metrics of every accepted attempt of a benchmark, in the order of `run_columns`.

    Returns
    -------
    dict
        A column by each of `names`; NaN where an attempt did not report the metric, or no finite number.
    """
    if not names:
        return {}
    chosen = (
        (metrics.c.campaign_id == instances.c.campaign_id)
        & (metrics.c.instance_id == instances.c.instance_id)
        & (metrics.c.attempt_number == instances.c.accepted_attempt)
        & metrics.c.name.in_(names)
    )
    statement = (
        select(instances.c.instance_id, metrics.c.name, metrics.c.value)
        .select_from(ACCEPTED.outerjoin(metrics, chosen))
        .where(
            instances.c.campaign_id == campaign,
            instances.c.benchmark == benchmark,
            instances.c.instance_id.not_in(superseded_ids(campaign)),
        )
        .order_by(instances.c.instance_id)
    )
    with reader.connection() as connection:
        rows: Sequence[Any] = connection.execute(statement).all()
    found: dict[int, dict[str, float | None]] = {}
    for instance, name, value in rows:
        found.setdefault(instance, {})[name] = value
    return {name: _finite([one.get(name) for one in found.values()]) for name in names}


def metric_ranges(reader: Reader, campaign: int, benchmark: str) -> dict[str, tuple[float, float, int]]:
    """Return lowest value, highest value and number of each metric over the accepted attempts."""
    statement = (
        select(
            metrics.c.name, func.min(metrics.c.value), func.max(metrics.c.value), func.count(metrics.c.value)
        )
        .select_from(instances)
        .join(
            metrics,
            (metrics.c.campaign_id == instances.c.campaign_id)
            & (metrics.c.instance_id == instances.c.instance_id)
            & (metrics.c.attempt_number == instances.c.accepted_attempt),
        )
        .where(
            instances.c.campaign_id == campaign,
            instances.c.benchmark == benchmark,
            instances.c.instance_id.not_in(superseded_ids(campaign)),
            metrics.c.value.is_not(None),
        )
        .group_by(metrics.c.name)
        .order_by(metrics.c.name)
    )
    with reader.connection() as connection:
        return {name: (low, high, number) for name, low, high, number in connection.execute(statement)}


def _finite(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return values as a column; NaN for those that are missing or not finite."""
    return np.array([v if v is not None and math.isfinite(v) else math.nan for v in values], dtype=np.float64)
