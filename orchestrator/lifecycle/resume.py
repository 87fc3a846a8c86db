"""Resume a campaign."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from db.ledger import Ledger
from db.queries.blocks import pools_with_blocks
from db.records import CampaignRow
from db.writing.changes import CampaignChange
from orchestrator.catalog.registered_site import registered_site
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import (
    campaign_change,
    changed_campaign,
    changed_site,
    kept_pools,
    moved_slots,
    other_pools,
    pool_change,
    site_change,
)
from orchestrator.lifecycle.checks.containers import check_containers
from orchestrator.lifecycle.checks.excluded_nodes import (
    ExcludeList,
    checked_list,
    note_exclude_list,
)
from orchestrator.lifecycle.checks.plans import check_whole
from orchestrator.lifecycle.checks.run_directory import remove_claim
from orchestrator.lifecycle.options import ResumeOptions
from orchestrator.lifecycle.requests.pools import settled
from orchestrator.lifecycle.saved_rows import refuse_older_ledger
from orchestrator.lifecycle.session.code_records import check_code
from orchestrator.lifecycle.session.host import EngineMaker, ThisMachine
from orchestrator.lifecycle.session.run_session import RunResult, run_session
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.left_out import left_out
from orchestrator.planning.plan import Plan, make_plan, without
from orchestrator.planning.registered import as_registered
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.allocation import Allocation, with_allocation
from orchestrator.version import __version__
from orchestrator.wording import count_of
from sites import Site

_log = logging.getLogger(__name__)
_REFUSED_SHOWN = 8


def resume(
    name: str,
    options: ResumeOptions = ResumeOptions(),  # noqa: B008  frozen
    *,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Continue a campaign after a stop, a crash, or new retries; finished instances are not run again.

    Waits for attempts that outlived a driver, ends what else it left behind, adopts results that reached a
    journal but not the ledger, marks attempts without a report as lost, and runs what is missing.

    Parameters
    ----------
    display, make_engine
        As for `launch`.

    Raises
    ------
    UnknownCampaignError, LeaseError, CampaignError
        If there is no such campaign, a driver runs it now, its directory is gone, the code has changed, or
        what was given cannot change.
    """
    with Ledger(options.ledger) as book:
        row, display = settled(book, name), display or NoDisplay()
        ready = _prepare(book, row, options)
        return run_session(
            book,
            row,
            ready.plan,
            "resume",
            display,
            ready.host(make_engine, None if options.end_running else display),
            record=partial(_record, book, row, ready.changes, checked_list(options.exclude, ready.plan)),
            retry_exhausted=options.retry_exhausted,
            changed_code=ready.differences,
            notify=options.notify,
        )


def _registered_campaign(row: CampaignRow) -> CampaignFile:
    """Return the campaign of a stored text; raises `CampaignError` where today's code cannot run it."""
    try:
        return parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger")
    except CampaignError as error:
        raise CampaignError(
            f"{error}\ncampaign {row.name} cannot be resumed, even with --allow-changed-code: version "
            f"{__version__} does not understand the file it was launched with; install the code that ran it "
            f"(`orchestrator instance show {row.name}` names it), or launch a corrected file by another name"
        ) from None


def _record(
    book: Ledger,
    row: CampaignRow,
    changes: Sequence[Callable[[int], CampaignChange]],
    excluded: ExcludeList | None,
    session: int,
) -> None:
    note_exclude_list(book, row, excluded, session)
    for make in changes:
        change = make(session)
        book.change(row.campaign_id, change, session=session)
        _log.warning("%s", change.message)


@dataclass(frozen=True, slots=True)
class _Ready:
    """Settings with which a session is started.

    Parameters
    ----------
    allocation
        Where blocks start; None: the site's scheduler is asked for them.
    differences
        What the code resolves otherwise than is registered, by benchmark.
    changes
        What the session records of a changed site or campaign.
    """

    plan: Plan
    registered: Site
    allocation: Allocation | None
    differences: Mapping[str, str]
    changes: Sequence[Callable[[int], CampaignChange]]

    def host(self, make_engine: EngineMaker | None, display: ProgressDisplay | None) -> ThisMachine:
        """Return this process as the session's host; `display` as of `ThisMachine`."""
        return ThisMachine(
            make_engine,
            resumed=True,
            earlier_site=self.registered,
            display=display,
            allocation=self.allocation,
        )


def _prepare(book: Ledger, row: CampaignRow, options: ResumeOptions) -> _Ready:
    name = row.name
    spec = _registered_campaign(row)
    registered = registered_site(row)
    machine, new_site = changed_site(row, registered, options.site, options.overrides)
    _check_pool_types(book, row, registered, machine)
    machine, allocation = with_allocation(machine, options.here, options.pool)
    spec, new_spec = changed_campaign(row, spec, options.overrides)
    rows = book.benchmarks(row.campaign_id)
    spec, differences = as_registered(spec, registered, rows)
    if differences and not options.allow_changed_code:
        raise CampaignError(_refusal(differences))
    check_code(book, row, allow_changed_code=options.allow_changed_code)
    planned = make_plan(
        spec,
        machine,
        node_facts(machine),
        Path(row.data_path),
        name,
        whole_blocks=allocation is not None,
        kept_pools=kept_pools(book, row, rows),
    )
    names = left_out(row.campaign_yaml, [one.benchmark for one in rows])
    planned = without(planned, dict.fromkeys(names, "left out at launch"))
    _check_directory(Path(row.run_directory))
    refuse_older_ledger(book, row)
    changes: list[Callable[[int], CampaignChange]] = []
    elsewhere = other_pools(planned, rows)
    moved = moved_slots(book, row, planned, mixed=options.mixed) if new_site or elsewhere else {}
    if new_site or elsewhere:
        check_whole(planned, submits=allocation is None)
    else:
        check_containers(planned)
    if new_site:
        changes.append(partial(site_change, planned, new_site, moved))
    elif elsewhere:
        changes.append(partial(pool_change, planned, row.site_yaml, elsewhere, moved))
    if new_spec:
        changes.append(partial(campaign_change, new_spec))
    return _Ready(planned, registered, allocation, differences, changes)


def _check_pool_types(book: Ledger, row: CampaignRow, before: Site, after: Site) -> None:
    """Refuse a pool that had blocks and has another type of scheduler now: its job ids mean others."""
    for pool in sorted(pools_with_blocks(book, row.campaign_id) & before.pools.keys() & after.pools.keys()):
        types = before.scheduler_type(pool), after.scheduler_type(pool)
        if types[0] != types[1]:
            raise CampaignError(
                f"pool {pool} had blocks of {types[0]}, and its scheduler.type would be {types[1]}; give the "
                "new pool another name"
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
    return "\n".join([*lines, *([f"and {count_of(rest, 'more benchmark')}"] if rest > 0 else [])])
