"""Power over time of the longest accepted run of each benchmark."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from db.evidence.runs_of_campaign import accepted_runs
from db.tables import instances, samples

if TYPE_CHECKING:
    from db.connection.open_ledger import OpenLedger

_POWER = ("gpu_power", "node_power", "cpu_power", "memory_power")


@dataclass(frozen=True, slots=True)
class PowerSeries:
    """Power of a device while an instance ran.

    Parameters
    ----------
    quantity
        Such as ``gpu_power``.
    points
        Seconds since the first point, and mean, lowest and highest power until the next one, in W.
    """

    benchmark: str
    instance: str
    quantity: str
    node: str
    device: str
    points: list[tuple[float, float, float, float]]


def power_series(reader: OpenLedger, campaign_id: int) -> list[PowerSeries]:
    """Return the power of the devices during the longest accepted run of each benchmark, where sampled."""
    longest: dict[str, tuple[float, int]] = {}
    for run in accepted_runs(reader, campaign_id):
        longest[run.benchmark] = max(
            longest.get(run.benchmark, (-1.0, -1)), (run.fom_seconds or 0.0, run.instance_id)
        )
    i, s = instances.c, samples.c
    statement = (
        select(i.benchmark, i.benchmark_index, s.quantity, s.node, s.device, s.points)
        .join_from(
            instances,
            samples,
            (s.campaign_id == i.campaign_id)
            & (s.instance_id == i.instance_id)
            & (s.attempt_number == i.accepted_attempt),
        )
        .where(
            i.campaign_id == campaign_id,
            i.instance_id.in_([instance for _, instance in longest.values()]),
            s.quantity.in_(_POWER),
        )
        .order_by(i.instance_id, *samples.primary_key)
    )
    with reader.connection() as connection:
        return [
            PowerSeries(
                benchmark, f"{benchmark}/{index}", quantity, node, device,
                [(at, *(values * 3)[:3]) for at, *values in json.loads(points)],
            )
            for benchmark, index, quantity, node, device, points in connection.execute(statement)
        ]  # fmt: skip
