"""Launching, resuming and stopping campaigns."""

from __future__ import annotations

import contextlib
import logging
import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from db.errors import CampaignExistsError
from db.events import EventKind
from db.ledger import Ledger
from db.records import Campaign as CampaignRow
from db.records import NewCampaign
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.container_checks import check_containers
from orchestrator.lifecycle.data_files import prepare
from orchestrator.lifecycle.data_hashes import describe
from orchestrator.lifecycle.excluded_nodes import ExcludeList, checked_list, exclude_list_events
from orchestrator.lifecycle.new_run_directory import check_run_directory, new_run_directory
from orchestrator.lifecycle.package_checks import check_packages
from orchestrator.lifecycle.session import RunResult, run_session
from orchestrator.lifecycle.session_host import EngineMaker, ThisMachine
from orchestrator.planning.campaign_file import Campaign, load_campaign
from orchestrator.planning.campaign_limits import check_limits
from orchestrator.planning.environment import check_environment
from orchestrator.planning.overrides import site_settings
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.rank_shares import check_rank_shares
from orchestrator.planning.site_facts import driver_address, node_facts
from orchestrator.schedulers.allocation import Allocation, with_allocation
from orchestrator.schedulers.client import SchedulerClient
from sites import FileError, Site, default, load

_log = logging.getLogger(__name__)


def plan(
    campaign: str | Path,
    site: str | None = None,
    *,
    name: str | None = None,
    data: str | Path | None = None,
    overrides: Sequence[str] = (),
    here: bool | None = None,
    pool: str | None = None,
) -> Plan:
    """Return what launching a campaign on a site would do.

    Parameters
    ----------
    campaign
        Path of a campaign file, or the name of one that comes with the project.
    site
        Name or path of a site; by default as `sites.default` says.
    name
        Name in the ledger; by default the file's.
    data
        Directory of the data folders; by default the site's.
    overrides
        Values that replace those of the files, each ``PATH=VALUE``, as of ``--set``.
    here
        Whether to use the allocation around this process instead of submitting blocks; None: as the site's
        ``scheduler.inside_allocation`` says, where there is one.
    pool
        Pool of the site that the allocation is of; other sessions are not kept to it.

    Raises
    ------
    CampaignError
        If a file is wrong, a slot is bigger than the node, or there is no allocation to use.
    """
    spec, _ = _load_campaign(campaign, overrides)
    planned, _ = _planned(spec, _load_site(site, overrides)[0], name, data, here, pool)
    check_rank_shares(planned)
    check_environment(planned)
    return planned


def launch(
    campaign: str | Path,
    site: str | None = None,
    *,
    ledger: str | None = None,
    name: str | None = None,
    data: str | Path | None = None,
    overrides: Sequence[str] = (),
    check_data: bool = True,
    notify: str | None = None,
    here: bool | None = None,
    pool: str | None = None,
    exclude: str | None = None,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Register a campaign and run it to its end.

    Parameters
    ----------
    campaign, site, name, data, overrides, here, pool
        As for `plan`.
    ledger
        Ledger URL; by default the environment's, else the default file.
    check_data
        Read and hash all data files first; otherwise only look for their folders.
    notify
        Shell command that is run at the first failed attempt and at the end, with JSON on standard input.
    exclude
        Nodes never to use, in place of an earlier list: a file with one a line, or ``n1,n2``.
    display
        Shown where the campaign stands; by default nothing. The command line's own is, in a ``with``,
        `orchestrator.cli.progress_bar.Progress` of a Rich console. Decisions are logged to ``orchestrator``.
    make_engine
        Execution engine; Parsl by default.

    Raises
    ------
    CampaignError, WorkloadError
        If a file or the data are wrong. Nothing has been made then.
    LedgerError
        If the ledger is unfit or the name is taken.
    """
    spec, spec_text = _load_campaign(campaign, overrides)
    machine, site_text = _load_site(site, overrides)
    planned, allocation = _planned(spec, machine, name, data, here, pool)
    planned = check_site(planned, submits=allocation is None)
    excluded = checked_list(exclude, planned)
    _check_name(ledger, planned.name)
    directory = Path(planned.site.paths.runs).expanduser().absolute() / planned.name
    check_run_directory(directory)
    data_facts = prepare(planned, check=check_data)
    with contextlib.ExitStack() as stack:
        with new_run_directory(directory, ledger):
            book = stack.enter_context(Ledger.open(ledger))
            where = _data_path(planned.site, data)
            row = _register(book, planned, spec_text, site_text, where, directory, excluded)
        _note_launch(book, row, planned, data_facts)
        host = ThisMachine(make_engine, resumed=False, allocation=allocation)
        return run_session(book, row, planned, "launch", display or NoDisplay(), host, notify=notify)


def check_site(planned: Plan, *, submits: bool = True) -> Plan:
    """Return a plan without the optional benchmarks whose packages are missing, on a site that is usable.

    Parameters
    ----------
    submits
        Whether blocks are jobs that the site's batch system is asked for.

    Raises
    ------
    CampaignError
        If interpreter, packages, address or the batch system's commands are missing, or variables are set
        that the run class forbids.
    """
    machines = {stage.site.pool: stage.site for stage in planned.stages}.values()
    check_rank_shares(planned)
    check_environment(planned)
    for machine in machines:
        _check_interpreter(machine)
    planned = check_packages(planned)
    check_containers(planned)
    for machine in machines:
        driver_address(machine)  # or else it fails once it is registered
        if submits and not machine.local:
            SchedulerClient(machine).check()
    return planned


def _planned(
    spec: Campaign,
    site: Site,
    name: str | None,
    data: str | Path | None,
    here: bool | None,
    pool: str | None,
) -> tuple[Plan, Allocation | None]:
    """Return the plan of a campaign, and the allocation that it uses."""
    machine, allocation = with_allocation(site, here, pool)
    where, whole = _data_path(machine, data), allocation is not None
    return make_plan(spec, machine, node_facts(machine), where, name, whole_blocks=whole), allocation


def _check_name(ledger: str | None, name: str) -> None:
    if Ledger.exists(ledger):
        with Ledger(ledger) as book:
            if any(row.name == name for row in book.campaigns()):
                raise CampaignExistsError(name)


def _register(
    book: Ledger,
    planned: Plan,
    spec_text: str,
    site_text: str,
    data: Path,
    directory: Path,
    excluded: ExcludeList | None = None,
) -> CampaignRow:
    """Register a campaign with its exclude list, so that one whose launch was killed keeps the list."""
    site = planned.site
    book.register(
        NewCampaign(
            name=planned.name,
            uid=uuid.uuid4().hex,
            campaign_yaml=spec_text,
            site_name=site.site,
            site_yaml=site_text,
            rulebook=planned.campaign.rulebook,
            run_class=planned.campaign.run_class,
            run_directory=str(directory),
            data_path=str(data),
        ),
        [benchmark.row() for benchmark in planned.benchmarks],
        planned.instances(),
        planned.point_rows(),
        {benchmark.name: benchmark.description() for benchmark in planned.benchmarks},
        {"planned_node_hours": planned.node_hours},
        exclude_list_events(excluded),
    )
    return book.campaign(planned.name)


def _note_launch(
    book: Ledger,
    row: CampaignRow,
    planned: Plan,
    data_facts: Mapping[str, dict[str, Any]],
) -> None:
    for benchmark, facts in data_facts.items():
        book.note(row.campaign_id, EventKind.DATA_READ, describe(facts), subject=benchmark, data=facts)
    _log.info("campaign %s: %d instances, %s", row.name, planned.size, row.run_directory)


def _check_interpreter(site: Site) -> None:
    if site.interpreter is not None and shutil.which(site.interpreter) is None:
        raise CampaignError(f"site {site.site}: interpreter {site.interpreter} not found, or not executable")


def _load_campaign(campaign: str | Path, overrides: Sequence[str]) -> tuple[Campaign, str]:
    spec, text = load_campaign(campaign, overrides)
    check_limits(spec, text, str(campaign))
    return spec, text


def _load_site(site: str | None, overrides: Sequence[str]) -> tuple[Site, str]:
    try:
        return load(site or default().site, site_settings(overrides))
    except FileError as error:
        raise CampaignError(str(error)) from None


def _data_path(site: Site, data: str | Path | None) -> Path:
    return Path(data or site.paths.data).expanduser().absolute()
