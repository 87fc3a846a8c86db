"""Learning curves of the accepted attempts of a campaign."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import select

from db.counted import counted
from db.tables import curves, instances

if TYPE_CHECKING:
    from db.connection.open_ledger import OpenLedger

CurvePoints = list[tuple[int, float | None]]


def accepted_curves(
    reader: OpenLedger, campaign_id: int, most: int
) -> dict[tuple[str, str, str], list[CurvePoints]]:
    """Return the points of the curves of accepted attempts, by benchmark, name and axis.

    Parameters
    ----------
    most
        Instances of each benchmark whose curves are read: those with the lowest numbers.
    """
    i, c = instances.c, curves.c
    statement = (
        select(i.benchmark, c.name, c.axis, c.points)
        .join_from(
            instances,
            curves,
            (c.campaign_id == i.campaign_id)
            & (c.instance_id == i.instance_id)
            & (c.attempt_number == i.accepted_attempt),
        )
        .where(counted(campaign_id), i.benchmark_index < most)
        .order_by(i.instance_id, c.name)
    )
    found: dict[tuple[str, str, str], list[CurvePoints]] = {}
    with reader.connection() as connection:
        for benchmark, name, axis, points in connection.execute(statement):
            found.setdefault((benchmark, name, axis), []).append(json.loads(points))
    return found
