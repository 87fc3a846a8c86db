"""The batch systems that a campaign may have used, and its jobs there that have not ended."""

from __future__ import annotations

from collections.abc import Mapping

from db.queries.blocks import pools_with_blocks
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.schedulers.client import SchedulerClient, batch_clients, job_name
from orchestrator.schedulers.model import SchedulerError
from sites import Site


def campaign_systems(reader: Reader, row: CampaignRow, site: Site) -> dict[str, SchedulerClient]:
    """Return the batch systems that a campaign had blocks of, or may use, by type.

    Raises
    ------
    CampaignError
        If the site's script hook cannot be loaded.
    """
    return batch_clients(site, pools_with_blocks(reader, row.campaign_id))


def campaign_jobs(
    systems: Mapping[str, SchedulerClient], row: CampaignRow
) -> tuple[list[tuple[SchedulerClient, str]], list[str]]:
    """Return a campaign's jobs with the batch system of each, and why another batch system names none."""
    jobs, problems = [], []
    for kind, system in systems.items():
        try:
            jobs += [(system, job) for job in system.find(job_name(row.uid))]
        except SchedulerError as error:  # the jobs of the other systems are listed all the same
            problems.append(f"{kind}: {error}")
    return jobs, problems
