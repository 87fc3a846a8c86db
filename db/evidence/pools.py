"""Accepted instances by the pool of nodes that ran them."""

from __future__ import annotations

from sqlalchemy import func, select

from db.reader import Reader
from db.superseding import superseded_ids
from db.tables import ACCEPTED, attempts, blocks, instances


def accepted_by_pool(reader: Reader, campaign: int) -> dict[str, dict[str | None, int]]:
    """Return how many accepted instances of each benchmark ran in each pool of the site.

    Returns
    -------
    dict
        None stands for blocks of no pool; empty where no block of the campaign has one.
    """
    pooled = select(func.count()).where(blocks.c.campaign_id == campaign, blocks.c.pool.is_not(None))
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
            instances.c.campaign_id == campaign,
            instances.c.instance_id.not_in(superseded_ids(campaign)),
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
