"""Accepted instances that missed their accuracy and are run again as new instances, with new seeds.

What an instance accepted never changes. A new instance takes its place in the verdict, and an event on the
old one says so; both are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, select

from db.column_values import now_us, to_json
from db.connection.locks import lock_events
from db.counted import counted, select_superseded
from db.errors import LeaseError
from db.events import EventKind
from db.records import NewInstance
from db.tables import ACCEPTED, attempts, campaigns, events, instances
from db.writing.changes import insert_planned

if TYPE_CHECKING:
    from db.connection.open_ledger import OpenLedger


@dataclass(frozen=True, slots=True)
class Missed:
    """An accepted instance below its target: its number, label and accuracy."""

    instance_id: int
    label: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class Replacement:
    """A missed instance, and label and seed of the new instance that takes its place."""

    missed: Missed
    label: str
    seed: int


def missed_accuracy(
    reader: OpenLedger, campaign_id: int, benchmark: str, *, at_least: float | None, at_most: float | None
) -> list[Missed]:
    """Return the accepted instances of a benchmark that miss a bound and are not superseded yet."""
    accuracy = attempts.c.accuracy
    statement = (
        select(instances.c.instance_id, instances.c.benchmark_index, accuracy)
        .select_from(ACCEPTED)
        .where(
            counted(campaign_id),
            instances.c.benchmark == benchmark,
            accuracy < at_least if at_least is not None else accuracy > at_most,
        )
        .order_by(instances.c.instance_id)
    )
    with reader.connection() as connection, connection.begin():
        return [
            Missed(instance, f"{benchmark}/{index}", value)
            for instance, index, value in connection.execute(statement)
        ]


def supersede(
    connection: Connection, campaign_id: int, benchmark: str, missed: Sequence[Missed], owner: str | None
) -> list[Replacement]:
    """Plan a new instance in place of each missed one; see `Ledger.supersede`."""
    lease = (
        select(campaigns.c.lease_owner)
        .where(campaigns.c.campaign_id == campaign_id)
        .with_for_update(key_share=True)
    )
    if connection.execute(lease).scalar_one() != owner:
        raise LeaseError("a driver has taken the campaign in the meantime; stop it first")
    gone = set(connection.execute(select_superseded(campaign_id)).scalars())
    if both := [one.label for one in missed if one.instance_id in gone]:
        raise LeaseError(f"{both[0]} was superseded in the meantime")
    mine = instances.c.campaign_id == campaign_id
    first, last = connection.execute(
        select(func.min(instances.c.instance_id), func.max(instances.c.instance_id)).where(mine)
    ).one()
    seed = connection.execute(
        select(instances.c.seed).where(mine, instances.c.instance_id == first)
    ).scalar_one()
    index = connection.execute(
        select(func.max(instances.c.benchmark_index)).where(mine, instances.c.benchmark == benchmark)
    ).scalar_one()
    made: list[Replacement] = []
    noted: list[dict[str, Any]] = []
    for step, one in enumerate(missed, start=1):
        new = Replacement(one, f"{benchmark}/{index + step}", (seed + last + step - first) % 2**32)
        made.append(new)
        noted.append(
            {
                "campaign_id": campaign_id,
                "at_us": now_us(),
                "kind": EventKind.INSTANCE_SUPERSEDED.value,
                "instance_id": one.instance_id,
                "message": f"accuracy {one.accuracy:.10g} misses the target; {new.label} takes its place",
                "data": to_json({"by": last + step, "label": new.label, "seed": new.seed}),
            }
        )
    if made:
        planned = (
            NewInstance(last + step, benchmark, index + step, new.seed)
            for step, new in enumerate(made, start=1)
        )
        insert_planned(connection, campaign_id, planned)
        lock_events(connection, campaign_id)
        connection.execute(insert(events), noted)
    return made
