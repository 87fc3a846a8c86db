"""Every accepted attempt of a benchmark, and the range of each metric, for rulebooks that need them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import func, select

from db.reader import Reader
from db.superseding import superseded_ids
from db.tables import attempts, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """One element per accepted attempt, in the order of instances.

    Times are UTC microseconds, 0 where they were not measured; seconds and accuracies are NaN then.
    """

    start_us: NDArray[np.int64]
    stop_us: NDArray[np.int64]
    fom_seconds: NDArray[np.float64]
    accuracy: NDArray[np.float64]


def run_columns(reader: Reader, campaign: int, benchmark: str) -> RunColumns:
    """Return the run interval, FOM time and accuracy of every accepted attempt of a benchmark."""
    statement = (
        select(attempts.c.run_start_us, attempts.c.run_stop_us, attempts.c.fom_seconds, attempts.c.accuracy)
        .select_from(instances)
        .join(
            attempts,
            (attempts.c.campaign_id == instances.c.campaign_id)
            & (attempts.c.instance_id == instances.c.instance_id)
            & (attempts.c.attempt_number == instances.c.accepted_attempt),
        )
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
    return RunColumns(
        times[:, 0], times[:, 1], _finite([row[2] for row in rows]), _finite([row[3] for row in rows])
    )


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
