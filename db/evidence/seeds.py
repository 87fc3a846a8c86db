"""Seeds of instances, against each other and the campaign's seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from db.tables import instances

if TYPE_CHECKING:
    from db.reader import Reader


def distinct_seeds(reader: Reader, campaign_id: int) -> bool:
    """Return whether no two instances of a campaign share a seed."""
    shared = (
        select(instances.c.seed)
        .where(instances.c.campaign_id == campaign_id)
        .group_by(instances.c.seed)
        .having(func.count() > 1)
        .limit(1)
    )
    with reader.connection() as connection, connection.begin():
        return connection.execute(shared).first() is None


def other_seeds(reader: Reader, campaign_id: int, seed: int) -> tuple[int, tuple[str, int, int] | None]:
    """Return how many instances k have another seed than (`seed` + k) mod 2**32, and the first of them.

    The first is given by its label, its seed, and the seed that it should have.
    """
    right = (instances.c.instance_id + seed) % 2**32
    other = (instances.c.campaign_id == campaign_id) & (instances.c.seed != right)
    columns = instances.c.benchmark, instances.c.benchmark_index, instances.c.seed, right
    with reader.connection() as connection, connection.begin():
        number = connection.execute(select(func.count()).where(other)).scalar_one()
        first = connection.execute(
            select(*columns).where(other).order_by(instances.c.instance_id).limit(1)
        ).first()
    return number, None if first is None else (f"{first[0]}/{first[1]}", first[2], first[3])
