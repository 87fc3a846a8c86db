"""What every attempt of a campaign measured of its slot, with where it ran and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from db.tables import attempts, instances, metrics

if TYPE_CHECKING:
    from db.reader import Reader

RATES = {"flop_per_second": "FLOP/s", "bytes_per_second": "B/s"}
"""Metrics that say how fast a slot was, with their units; the first that an attempt has counts."""


@dataclass(frozen=True, slots=True)
class SlotRate:
    """One attempt on a slot.

    Parameters
    ----------
    slot
        Number on the node; None where it is not known.
    reason, message
        Why it failed; None where it did not, or none was reported.
    rate, unit
        Of an accepted attempt: its metric of `RATES`, or else one divided by its FOM time. None where it has
        neither.
    """

    benchmark: str
    node: str
    slot: int | None
    session: int
    block: str | None
    state: str
    reason: str | None
    message: str | None
    rate: float | None
    unit: str


def slot_rates(reader: Reader, campaign: int) -> list[SlotRate]:
    """Return the attempts of a campaign that have a node, in the order of instances and attempts."""
    a, i, m = attempts.c, instances.c, metrics.c
    places = (i.benchmark, a.node, a.slot_index, a.session_number, a.block_id, a.state)
    ends = (
        a.failure_reason,
        a.failure_message,
        a.fom_seconds,
        (i.accepted_attempt == a.attempt_number).label("accepted"),
    )
    statement = (
        select(a.instance_id, a.attempt_number, *places, *ends)
        .select_from(attempts.join(instances))
        .where(a.campaign_id == campaign, a.node.is_not(None))
        .order_by(a.instance_id, a.attempt_number)
    )
    measured = select(m.instance_id, m.attempt_number, m.name, m.value).where(
        m.campaign_id == campaign, m.name.in_(RATES), m.value > 0
    )
    rates: dict[tuple[int, int], tuple[str, float]] = {}
    with reader.connection() as connection, connection.begin():
        for instance, number, name, value in connection.execute(measured):
            key = (instance, number)
            if key not in rates or name == next(iter(RATES)):
                rates[key] = (RATES[name], value)
        found = []
        for row in connection.execute(statement):
            unit, rate = rates.get(row[:2], ("1/s", 1 / row.fom_seconds if row.fom_seconds else None))
            found.append(SlotRate(*row[2:10], rate=rate if row.accepted else None, unit=unit))
    return found
