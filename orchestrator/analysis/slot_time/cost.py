"""Money and CO2 of the node-hours that a campaign held, by the prices of its site file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from db.evidence.block_energy import block_energy
from db.evidence.node_hours import node_hours_by_job
from orchestrator.catalog.registered_site import registered_site
from sites import FileError
from sites.cost import Bill, Held, bill_of

if TYPE_CHECKING:
    from db.plain import RowReader
    from db.records import CampaignRow


def campaign_bill(reader: RowReader, row: CampaignRow, now_us: int | None = None) -> Bill | None:
    """Return what the held node-hours of a campaign come to; None while none has ended, or without prices.

    Prices are those of the site as the campaign was registered. Energy is that which the batch system
    accounted for whole blocks; node-hours of other blocks have the power that the site file states, if any.

    Parameters
    ----------
    now_us
        Until when what has not ended counts, UTC microseconds; by default it does not count.
    """
    try:
        site = registered_site(row)
    except FileError:  # a simulated campaign has no site file
        return None
    pools = site.all_pools()  # earlier sessions may have used another pool
    if all(one.cost is None for one in pools.values()):
        return None
    stated = block_energy(reader, row.campaign_id).joules
    held: dict[str, Held] = {}
    for job, hours in node_hours_by_job(reader, row.campaign_id, now_us):
        joules = stated.get(job.key)
        before = held.get(job.pool) or Held(job.pool, pools.get(job.pool, site).cost, 0.0)
        held[job.pool] = replace(
            before,
            node_hours=before.node_hours + hours,
            measured_hours=before.measured_hours + (0.0 if joules is None else hours),
            joules=before.joules + (joules or 0.0),
        )
    return bill_of(held.values())
