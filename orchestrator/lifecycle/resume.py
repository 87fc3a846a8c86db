"""Resume a campaign."""

from __future__ import annotations

from pathlib import Path

from db.ledger import Ledger
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.session import RunResult, run_session
from orchestrator.lifecycle.session_host import EngineMaker, ThisMachine
from orchestrator.planning.campaign_file import left_out, parse_campaign
from orchestrator.planning.plan import make_plan, without
from orchestrator.planning.site_facts import node_facts
from sites import Site, parse


def resume(
    name: str,
    *,
    ledger: str | None = None,
    retry_exhausted: bool = False,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Continue a campaign after a stop, a crash, or new retries; finished instances are not run again.

    Ends processes that an earlier driver left behind, adopts results that reached a journal but
    not the ledger, marks attempts without a report as lost, and runs what is missing.

    Parameters
    ----------
    name
        Campaign.
    retry_exhausted
        Also try instances again that are out of retries.
    ledger, display, make_engine
        As for `launch`.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    LeaseError
        If a driver runs it now.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        spec = parse_campaign(row.campaign_yaml, f"campaign {name} in the ledger", stored=True)
        machine = parse(row.site_yaml, Site, f"site {row.site_name} in the ledger", stored=True)
        planned = make_plan(spec, machine, node_facts(machine), Path(row.data_path), name)
        names = left_out(row.campaign_yaml, [one.benchmark for one in book.benchmarks(row.campaign_id)])
        planned = without(planned, dict.fromkeys(names, "left out at launch"))
        if not Path(row.run_directory).is_dir():
            raise CampaignError(
                f"the campaign's directory {row.run_directory} is gone, and with it the journals; "
                "results that had not reached the ledger are lost. Make it again to go on without them"
            )
        return run_session(
            book,
            row,
            planned,
            "resume",
            display or NoDisplay(),
            ThisMachine(make_engine, resumed=True),
            retry_exhausted=retry_exhausted,
        )
