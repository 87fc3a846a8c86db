"""Resources of the accepted attempts of benchmarks, and the pools of nodes that ran them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from db.counted import counted
from db.reader import Reader
from db.tables import ACCEPTED, attempts, blocks, instances


@dataclass(frozen=True, slots=True)
class Resources:
    """Memory and CPU time of the accepted attempts of a benchmark; None where not measured."""

    benchmark: str
    largest_memory_bytes: int | None
    mean_cpu_seconds: float | None
    largest_cpu_seconds: float | None


def resources(reader: Reader, campaign_id: int) -> list[Resources]:
    """Return what the accepted attempts of each benchmark used, in the order of the campaign."""
    a = attempts.c
    memory, mean, most = func.max(a.peak_memory_bytes), func.avg(a.cpu_seconds), func.max(a.cpu_seconds)
    statement = (
        select(instances.c.benchmark, memory, mean, most)
        .select_from(ACCEPTED)
        .where(
            counted(campaign_id),
        )
        .group_by(instances.c.benchmark)
        .order_by(func.min(instances.c.instance_id))
    )
    with reader.connection() as connection:
        return [Resources(*row) for row in connection.execute(statement)]


def accepted_by_pool(reader: Reader, campaign_id: int) -> dict[str, dict[str | None, int]]:
    """Return how many accepted instances of each benchmark ran in each pool of the site.

    Returns
    -------
    dict
        None stands for blocks of no pool; empty where no block of the campaign has one.
    """
    pooled = select(func.count()).where(blocks.c.campaign_id == campaign_id, blocks.c.pool.is_not(None))
    joined = ACCEPTED.outerjoin(
        blocks,
        (blocks.c.campaign_id == attempts.c.campaign_id)
        & (blocks.c.session_number == attempts.c.session_number)
        & (blocks.c.slot_shape == attempts.c.slot_shape)
        & (blocks.c.block_id == attempts.c.block_id),
    )
    statement = (
        select(instances.c.benchmark, blocks.c.pool, func.count().label("number"))
        .select_from(joined)
        .where(
            counted(campaign_id),
        )
        .group_by(instances.c.benchmark, blocks.c.pool)
    )
    found: dict[str, dict[str | None, int]] = {}
    with reader.connection() as connection:
        if not connection.execute(pooled).scalar_one():
            return {}
        for row in connection.execute(statement):
            found.setdefault(row.benchmark, {})[row.pool] = row.number
    return found
