"""The scheduler jobs of a campaign that have not ended, of every batch system that it may have used."""

from __future__ import annotations

from db.queries.blocks import pools_with_blocks
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.schedulers.client import SchedulerClient, batch_clients, job_name
from orchestrator.schedulers.model import SchedulerError
from sites import Site


def campaign_jobs(
    reader: Reader, row: CampaignRow, site: Site
) -> tuple[list[tuple[SchedulerClient, str]], list[str]]:
    """Return a campaign's jobs with the batch system of each, and why another batch system names none.

    Raises
    ------
    CampaignError
        If the site's script hook cannot be loaded.
    """
    jobs, problems = [], []
    for kind, system in batch_clients(site, pools_with_blocks(reader, row.campaign_id)).items():
        try:
            jobs += [(system, job) for job in system.find(job_name(row.uid))]
        except SchedulerError as error:  # the jobs of the other systems are listed all the same
            problems.append(f"{kind}: {error}")
    return jobs, problems
