"""The pools of a site that ran a campaign's benchmarks, with their partitions and kinds of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.evidence.resources import accepted_by_pool

if TYPE_CHECKING:
    from db.plain import RowReader
    from db.records import CampaignRow
    from sites import Site

_PLACES = ("partition", "queue", "qos", "constraint", "requires")


def pools_used(reader: RowReader, row: CampaignRow) -> dict[str, dict[str, int]]:
    """Return how many accepted instances of each benchmark ran in each pool, described by the site file.

    Returns
    -------
    dict
        Empty where the site has no pools.
    """
    found = accepted_by_pool(reader, row.campaign_id)
    if not found:
        return {}
    described = _described(row)
    return {
        name: {described.get(pool or "", pool or "no pool"): number for pool, number in by_pool.items()}
        for name, by_pool in found.items()
    }


def _described(row: CampaignRow) -> dict[str, str]:
    """Return the pools of a campaign's site in words, by name."""
    from orchestrator.catalog.registered_site import registered_site  # few sites have pools
    from sites import FileError

    try:
        site = registered_site(row)
    except FileError:  # a simulated campaign has no site file
        return {}
    return {name: f"{name} ({_words(one)})" for name, one in site.all_pools().items() if name}


def _words(site: Site) -> str:
    from sites import core_numbers

    places = [f"{key} {value}" for key in _PLACES if (value := getattr(site.scheduler, key, None))]
    gpus = site.node.gpus
    if gpus is not None:
        node = f"nodes of {gpus.count} {gpus.kind or gpus.vendor} GPUs"
    else:
        node = f"nodes of {len(core_numbers(site.node.cores))} cores"
    return ", ".join([*places, node])
