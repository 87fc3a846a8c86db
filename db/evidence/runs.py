"""Every accepted attempt of a benchmark, and the ranges of its metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import func, select

from db.reader import Reader
from db.superseding import superseded_ids
from db.tables import ACCEPTED, attempts, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def run_columns(
    reader: Reader, campaign: int, benchmark: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns of every accepted attempt of a benchmark, in the order of instances.

    Returns
    -------
    tuple
        Start and stop of the run, UTC microseconds, both 0 where it was not measured; FOM time, in seconds,
        and accuracy, NaN where not measured.
    """
    statement = (
        select(attempts.c.run_start_us, attempts.c.run_stop_us, attempts.c.fom_seconds, attempts.c.accuracy)
        .select_from(ACCEPTED)
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
    return times[:, 0], times[:, 1], _finite([row[2] for row in rows]), _finite([row[3] for row in rows])


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
