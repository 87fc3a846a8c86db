"""Every accepted attempt of a benchmark, for rulebooks that need them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from db.evidence.accepted import ACCEPTED
from db.reader import Reader
from db.tables import attempts, instances

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
        .where(instances.c.campaign_id == campaign, instances.c.benchmark == benchmark)
        .order_by(instances.c.instance_id)
    )
    with reader.connection() as connection:
        rows: Sequence[Any] = connection.execute(statement).all()
    timed = [(row[0], row[1]) if row[0] and row[1] else (0, 0) for row in rows]
    times = np.array(timed, dtype=np.int64).reshape(-1, 2)
    return times[:, 0], times[:, 1], _finite([row[2] for row in rows]), _finite([row[3] for row in rows])


def _finite(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return values as a column; NaN for those that are missing or not finite."""
    return np.array([v if v is not None and math.isfinite(v) else math.nan for v in values], dtype=np.float64)
