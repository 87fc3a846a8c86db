"""The lowest value of a metric over the accepted attempts of each benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, text

from db.tables import RULE_METRICS, RULE_METRICS_ONLY, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader

_FEW_BENCHMARKS = 8
"""Up to as many are asked about one by one, which reads few rows of each; more are read together."""
_COUNTED = (
    (instances.c.campaign_id == metrics.c.campaign_id)
    & (instances.c.instance_id == metrics.c.instance_id)
    & (instances.c.accepted_attempt == metrics.c.attempt_number)
)


def lowest_metrics(reader: Reader, campaign: int, benchmarks: Sequence[str], name: str) -> dict[str, float]:
    """Return the lowest value of a metric over accepted attempts, by benchmark where any has it."""
    known: list[Any] = [
        metrics.c.campaign_id == campaign,
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
