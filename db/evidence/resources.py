"""Memory and CPU time of the accepted attempts."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from db.reader import Reader
from db.superseding import superseded_ids
from db.tables import ACCEPTED, attempts, instances


@dataclass(frozen=True, slots=True)
class Resources:
    """Memory and CPU time of the accepted attempts of a benchmark; None where not measured."""

    benchmark: str
    largest_memory_bytes: int | None
    mean_cpu_seconds: float | None
    largest_cpu_seconds: float | None


def resources(reader: Reader, campaign: int) -> list[Resources]:
    """Return what the accepted attempts of each benchmark used, in the order of the campaign."""
    a = attempts.c
    memory, mean, most = func.max(a.peak_memory_bytes), func.avg(a.cpu_seconds), func.max(a.cpu_seconds)
    statement = (
        select(instances.c.benchmark, memory, mean, most)
        .select_from(ACCEPTED)
        .where(
            instances.c.campaign_id == campaign,
            instances.c.instance_id.not_in(superseded_ids(campaign)),
        )
        .group_by(instances.c.benchmark)
        .order_by(func.min(instances.c.instance_id))
    )
    with reader.connection() as connection:
        return [Resources(*row) for row in connection.execute(statement)]
