"""Resume a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from db.ledger import Ledger
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.code_records import check_code
from orchestrator.lifecycle.new_run_directory import remove_claim
from orchestrator.lifecycle.session import RunResult, run_session
from orchestrator.lifecycle.session_host import EngineMaker, ThisMachine
from orchestrator.planning.campaign_file import left_out, parse_campaign
from orchestrator.planning.plan import make_plan, without
from orchestrator.planning.registered import as_registered
from orchestrator.planning.site_facts import node_facts
from sites import Site, parse

_REFUSED_SHOWN = 8


def resume(
    name: str,
    *,
    ledger: str | None = None,
    retry_exhausted: bool = False,
    allow_changed_code: bool = False,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Continue a campaign after a stop, a crash, or new retries; finished instances are not run again.

    Ends processes that an earlier driver left behind, adopts results that reached a journal but
    not the ledger, marks attempts without a report as lost, and runs what is missing.

    Parameters
    ----------
    retry_exhausted
        Also try instances again that are out of retries.
    allow_changed_code
        Go on although the code has changed since the first session, or resolves parameters, timeouts or
        slots otherwise than they are registered. What is registered is used; events keep what differs.
    ledger, display, make_engine
        As for `launch`.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    LeaseError
        If a driver runs it now.
    CampaignError
        If its directory is gone, the code has changed, or today's code resolves a benchmark otherwise.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        spec = parse_campaign(row.campaign_yaml, f"campaign {name} in the ledger", stored=True)
        machine = parse(row.site_yaml, Site, f"site {row.site_name} in the ledger", stored=True)
        rows = book.benchmarks(row.campaign_id)
        spec, differences = as_registered(spec, machine, rows)
        if differences and not allow_changed_code:
            raise CampaignError(_refusal(differences))
        check_code(book, row, allow_changed_code=allow_changed_code)
        planned = make_plan(spec, machine, node_facts(machine), Path(row.data_path), name)
        names = left_out(row.campaign_yaml, [one.benchmark for one in rows])
        planned = without(planned, dict.fromkeys(names, "left out at launch"))
        _check_directory(Path(row.run_directory))
        return run_session(
            book,
            row,
            planned,
            "resume",
            display or NoDisplay(),
            ThisMachine(make_engine, resumed=True),
            retry_exhausted=retry_exhausted,
            changed_code=differences,
        )


def _check_directory(directory: Path) -> None:
    if not directory.is_dir():
        raise CampaignError(
            f"the campaign's directory {directory} is gone, and with it the journals; "
            "results that had not reached the ledger are lost. Make it again to go on without them"
        )
    remove_claim(directory)


def _refusal(differences: Mapping[str, str]) -> str:
    """Return a line for each of the first benchmarks."""
    lines = [
        f"benchmark {name} is registered otherwise than today's code resolves it: {what}; install the code "
        "of the launch, or go on as registered with --allow-changed-code"
        for name, what in islice(differences.items(), _REFUSED_SHOWN)
    ]
    rest = len(differences) - _REFUSED_SHOWN
    return "\n".join([*lines, *([f"and {rest:,} more benchmarks"] if rest > 0 else [])])
