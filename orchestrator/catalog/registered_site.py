"""The site that a campaign was registered on, and the places of its benchmarks, from the ledger."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.records import CampaignRow
    from sites import Site


def registered_site(row: CampaignRow) -> Site:
    """Return a campaign's site; raises `sites.FileError` where it has no readable text, as simulated ones."""
    from sites import Site, parse  # here: the places of a slot need no schema of site files

    return parse(row.site_yaml, Site, f"site {row.site_name} in the ledger")


def pool_walltimes(row: CampaignRow) -> dict[str, float]:
    """Return the walltime of blocks in seconds, by pool; none for those of the driver's own machine."""
    from sites import FileError
    from sites.schedulers import Batch

    try:
        pools = registered_site(row).all_pools()
    except FileError:  # a simulated campaign has no site file
        return {}
    return {name: one.scheduler.walltime for name, one in pools.items() if isinstance(one.scheduler, Batch)}


def registered_places(slot: str) -> dict[str, dict[str, Any]]:
    """Return the slots of a benchmark by the pool that serves it, its main one first.

    Parameters
    ----------
    slot
        As the ledger has it; a site without pools has one place without a name.
    """
    first: dict[str, Any] = json.loads(slot)
    return {one.get("pool") or "": one for one in (first, *first.get("others", ()))}
